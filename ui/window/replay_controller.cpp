#include "ui/window/replay_controller.h"

#include <algorithm>

namespace decodescope {
namespace {

/// For a run that the recording does not hold (a lane with fewer repeats than the others): it ends at once.
class NoRun final : public TokenSource {
public:
    NoRun(SourceOutput output, Instant at, ClockSource clock)
        : m_output(std::move(output))
        , m_at(at)
        , m_clock(clock) {}
    void prepare() override {}
    [[nodiscard]] bool ready() const override { return true; }
    void release(std::optional<Instant>) override { end(); }
    void cancel(ErrorKind) override { end(); }
    [[nodiscard]] Instant now() const override { return m_at; }
    [[nodiscard]] ClockSource clockSource() const override { return m_clock; }
    [[nodiscard]] bool stampedNow() const override { return false; }

private:
    void end() {
        if (m_ended)
            return;
        m_ended = true;
        m_output.events->post({m_at, 0, 0, errorEnd(ErrorKind::cancelled, "The recording holds no such run.")});
    }
    SourceOutput m_output;
    Instant m_at;
    ClockSource m_clock;
    bool m_ended = false;
};

} // namespace

ReplayController::ReplayController(Session& session, const Clock& clock, QObject* parent)
    : QObject(parent)
    , m_session(session)
    , m_real(clock) {}

void ReplayController::setRecording(std::shared_ptr<const Recording> recording) {
    m_recording = std::move(recording);
    m_clock.reset();
    m_perLane.clear();
    m_stamps.clear();
    if (m_recording) {
        m_perLane.resize(m_recording->lanes.size());
        for (const auto& run : m_recording->runs) {
            for (std::size_t i = 0; i < m_recording->lanes.size(); ++i) {
                if (m_recording->lanes[i].lane == run->asked.lane)
                    m_perLane[i].push_back(run);
            }
            for (const ByteChunk& chunk : run->chunks)
                m_stamps.push_back(chunk.at);
        }
        std::ranges::sort(m_stamps);
        for (const auto& run : m_recording->runs) {
            m_first = run == m_recording->runs.front() ? run->begin() : std::min(m_first, run->begin());
            m_last = run == m_recording->runs.front() ? run->lastStamp() : std::max(m_last, run->lastStamp());
        }
    }
    emit changed();
}

bool ReplayController::atEnd() const {
    return m_clock && m_clock->now() >= m_clock->end();
}

double ReplayController::positionS() const {
    return m_clock ? toSeconds(m_clock->now() - m_clock->start()) : 0.0;
}

double ReplayController::durationS() const {
    return available() ? toSeconds(m_last - m_first) : 0.0;
}

std::unique_ptr<TokenSource> ReplayController::makeSource(const RunSpec& spec, SourceOutput output) {
    for (std::size_t i = 0; m_recording && i < m_perLane.size(); ++i) {
        // Lanes of one name are told apart by the order in which the session asks.
        const bool named = m_recording->lanes[i].name == spec.laneName;
        const bool behind = std::ranges::any_of(m_perLane, [&](const auto& other) {
            const auto j = static_cast<std::size_t>(&other - m_perLane.data());
            return j > i && m_recording->lanes[j].name == spec.laneName && m_next[j] < m_next[i];
        });
        if (named && !behind && m_next[i] < m_perLane[i].size())
            return std::make_unique<ReplaySource>(m_perLane[i][m_next[i]++], m_clock, std::move(output));
    }
    const ClockSource clock = m_recording ? m_recording->header.clock : ClockSource::replay;
    return std::make_unique<NoRun>(std::move(output), m_clock ? m_clock->now() : m_real.now(), clock);
}

void ReplayController::begin() {
    m_clock = std::make_shared<ReplayClock>(m_real, m_first, m_last);
    m_clock->setSpeed(m_speed);
    m_next.assign(m_perLane.size(), 0);
    std::size_t warmups = 0;
    std::size_t repeats = 1;
    for (const auto& runs : m_perLane) {
        const auto warm =
            static_cast<std::size_t>(std::ranges::count_if(runs, [](const auto& run) { return run->asked.warmup; }));
        warmups = std::max(warmups, warm);
        repeats = std::max(repeats, runs.size() - warm);
    }
    m_session.stop();
    m_session.pump();
    RunPlan plan{.repeats = static_cast<int>(repeats), .warmups = static_cast<int>(warmups)};
    if (!m_session.start(plan))
        m_clock.reset();
}

void ReplayController::restart() {
    if (!available())
        return;
    begin();
    emit changed();
}

void ReplayController::togglePause() {
    if (!available())
        return;
    if (!m_clock || atEnd())
        begin();
    else if (m_clock->paused())
        m_clock->resume();
    else
        m_clock->pause();
    emit changed();
}

void ReplayController::setSpeed(double factor) {
    m_speed = std::clamp(factor, 0.1, 8.0);
    if (m_clock)
        m_clock->setSpeed(m_speed);
    emit changed();
}

void ReplayController::step() {
    if (!available())
        return;
    if (!m_clock || atEnd())
        begin();
    if (!m_clock)
        return;
    m_clock->pause();
    const auto next = std::ranges::upper_bound(m_stamps, m_clock->now());
    m_clock->stepTo(next == m_stamps.end() ? m_clock->end() : *next);
    emit changed();
}

void ReplayController::seek(double seconds) {
    if (!available())
        return;
    const bool wasPaused = m_clock && m_clock->paused();
    if (!m_clock || seconds < positionS())
        begin();
    if (!m_clock)
        return;
    m_clock->pause();
    m_clock->stepTo(m_clock->start() + fromSeconds(std::clamp(seconds, 0.0, durationS())));
    if (!wasPaused)
        m_clock->resume();
    emit changed();
}

void ReplayController::leave() {
    if (!m_clock)
        return;
    m_clock.reset();
    m_session.stop();
    m_session.pump();
    emit changed();
}

} // namespace decodescope
