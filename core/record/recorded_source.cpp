#include "core/record/recorded_source.h"

#include "core/record/replay_source.h"

#include <utility>

namespace decodescope {
namespace {

/// The run with all its stamps moved, and the move said with its t0.
std::shared_ptr<const RecordedRun> movedRun(const RecordedRun& run, Instant t0, Duration by) {
    auto moved = std::make_shared<RecordedRun>(run);
    bool told = false;
    for (auto& [at, milestone] : moved->milestones) {
        at += by;
        if (milestone.kind != Milestone::Kind::started)
            continue;
        milestone.moved += by;
        told = true;
    }
    if (!told) {
        Milestone started;
        started.moved = by;
        moved->milestones.insert(moved->milestones.begin(), {t0, started});
    }
    for (ByteChunk& chunk : moved->chunks)
        chunk.at += by;
    for (Hiccup& hiccup : moved->hiccups) {
        hiccup.due += by;
        hiccup.woke += by;
    }
    if (moved->end)
        moved->end->at += by;
    return moved;
}

Instant startOf(const RecordedRun& run) {
    for (const auto& [at, milestone] : run.milestones) {
        if (milestone.kind == Milestone::Kind::started)
            return at;
    }
    return run.begin();
}

} // namespace

struct RecordedSource::State {
    std::shared_ptr<const RecordedRun> run;
    const Clock& clock;
    SourceOutput output;
    std::unique_ptr<ReplaySource> replay; // from the release on
    bool prepared = false;
    bool ended = false; // before the release
};

RecordedSource::RecordedSource(std::shared_ptr<const RecordedRun> run, const Clock& clock, SourceOutput output)
    : m_state(std::make_unique<State>(State{std::move(run), clock, std::move(output), nullptr})) {}

RecordedSource::~RecordedSource() = default;

void RecordedSource::prepare() {
    m_state->prepared = true;
}

bool RecordedSource::ready() const {
    return m_state->prepared;
}

void RecordedSource::release(std::optional<Instant> scheduled) {
    State& s = *m_state;
    if (s.replay || s.ended)
        return;
    const Instant t0 = scheduled.value_or(s.clock.now());
    const auto moved = movedRun(*s.run, t0, t0 - startOf(*s.run));
    // The hand starts where the real clock is, so that replayed and real instants are the same from here on.
    const Instant now = s.clock.now();
    auto hand = std::make_shared<ReplayClock>(s.clock, now, std::max(now, moved->lastStamp()));
    s.replay = std::make_unique<ReplaySource>(moved, std::move(hand), s.output);
    s.replay->release({});
}

void RecordedSource::cancel(ErrorKind kind) {
    State& s = *m_state;
    s.prepared = true;
    if (s.replay) {
        s.replay->cancel(kind);
        return;
    }
    if (std::exchange(s.ended, true))
        return;
    endRun(s.output, s.clock.now(), kind, "The run was stopped before it began.");
}

Instant RecordedSource::now() const {
    return m_state->replay ? m_state->replay->now() : m_state->clock.now();
}

ClockSource RecordedSource::clockSource() const {
    return m_state->run->asked.clock;
}

void RecordedSource::pump() {
    if (m_state->replay)
        m_state->replay->pump();
}

} // namespace decodescope
