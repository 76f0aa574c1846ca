#include "core/record/replay_source.h"

#include "core/record/recording.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace decodescope {

/// Plays marks, then reads, then the end, each when the clock has come to its stamp.
struct ReplaySource::State {
    std::shared_ptr<const RecordedRun> run;
    std::shared_ptr<ReplayClock> clock;
    SourceOutput output;
    std::unique_ptr<StreamDecoder> decoder;
    std::vector<std::pair<Instant, Milestone>> marks; // in order of time
    std::size_t nextMark = 0;
    std::size_t nextChunk = 0;
    std::size_t nextHiccup = 0;
    bool prepared = false;
    bool released = false;
    bool ended = false;

    bool markIsNext() const {
        return nextMark < marks.size() &&
               (nextChunk == run->chunks.size() || marks[nextMark].first <= run->chunks[nextChunk].at);
    }

    /// Of marks, reads and the end.
    Instant nextOfRun() const {
        if (markIsNext())
            return marks[nextMark].first;
        if (nextChunk < run->chunks.size())
            return run->chunks[nextChunk].at;
        return run->lastStamp();
    }

    bool hiccupIsNext() const {
        return nextHiccup < run->hiccups.size() && run->hiccups[nextHiccup].woke <= nextOfRun();
    }

    std::optional<Instant> due() const {
        if (ended)
            return std::nullopt;
        return hiccupIsNext() ? run->hiccups[nextHiccup].woke : nextOfRun();
    }

    void deliverHiccup(std::vector<StreamEvent>& events) {
        const Hiccup& hiccup = run->hiccups[nextHiccup++];
        events.push_back({hiccup.woke, 0, 0, hiccup});
        if (output.raw)
            output.raw->onHiccup(hiccup);
    }

    /// What the run's end comes behind: a hiccup may outlast it.
    void deliverLast(std::vector<StreamEvent>& events) {
        while (nextHiccup < run->hiccups.size())
            deliverHiccup(events);
        if (!run->stamps)
            return;
        events.push_back({run->lastStamp(), 0, 0, *run->stamps});
        if (output.raw)
            output.raw->onStamps(run->lastStamp(), *run->stamps);
    }

    void deliverNext(std::vector<StreamEvent>& events) {
        if (hiccupIsNext()) {
            deliverHiccup(events);
        } else if (markIsNext()) {
            const auto& [at, milestone] = marks[nextMark++];
            events.push_back({at, 0, 0, milestone});
            if (output.raw)
                output.raw->onMilestone(at, milestone);
        } else if (nextChunk < run->chunks.size()) {
            const ByteChunk& chunk = run->chunks[nextChunk++];
            if (output.raw)
                output.raw->onChunk(chunk.at, chunk.read, chunk.bytes);
            decoder->feed(chunk, events);
        } else if (run->end) {
            deliverLast(events);
            finish(*run->end, events);
        } else {
            // The recording was cut off here: an error without a kind is what RunRecorder takes as `interrupted`.
            deliverLast(events);
            ended = true;
            StreamEnd end;
            end.verdict = StreamEnd::Verdict::error;
            events.push_back({run->lastStamp(), 0, 0, std::move(end)});
        }
    }

    void finish(const TransportEnd& end, std::vector<StreamEvent>& events) {
        ended = true;
        if (output.raw)
            output.raw->onEnd(end.at, end.kind, end.message);
        decoder->finish(end, events);
    }
};

ReplaySource::ReplaySource(std::shared_ptr<const RecordedRun> run, std::shared_ptr<ReplayClock> clock,
                           SourceOutput output)
    : m_state(std::make_unique<State>()) {
    m_state->run = std::move(run);
    m_state->clock = std::move(clock);
    m_state->output = std::move(output);
    m_state->marks = m_state->run->milestones;
    std::stable_sort(m_state->marks.begin(), m_state->marks.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
}

ReplaySource::~ReplaySource() = default;

void ReplaySource::prepare() {
    State& s = *m_state;
    if (std::exchange(s.prepared, true))
        return;
    auto decoder = StreamDecoder::create(decoderOptions(s.run->asked));
    if (decoder) {
        s.decoder = std::move(*decoder);
        return;
    }
    s.ended = true;
    s.output.events->post({s.clock->now(), 0, 0, errorEnd(ErrorKind::malformed, decoder.error().message)});
}

bool ReplaySource::ready() const {
    return m_state->prepared;
}

void ReplaySource::release(std::optional<Instant>) {
    prepare();
    m_state->released = true;
}

void ReplaySource::cancel(ErrorKind kind) {
    prepare();
    if (m_state->ended)
        return;
    std::vector<StreamEvent> events;
    m_state->finish({m_state->clock->now(), kind, "The replay was stopped."}, events);
    m_state->output.events->post(events);
}

Instant ReplaySource::now() const {
    return m_state->clock->now();
}

ClockSource ReplaySource::clockSource() const {
    return m_state->run->asked.clock;
}

void ReplaySource::pump() {
    State& s = *m_state;
    if (!s.released)
        return;
    const Instant now = s.clock->now();
    std::vector<StreamEvent> events;
    for (auto due = s.due(); due && *due <= now; due = s.due())
        s.deliverNext(events);
    if (!events.empty())
        s.output.events->post(events);
}

std::optional<Instant> ReplaySource::nextDue() const {
    return m_state->due();
}

} // namespace decodescope
