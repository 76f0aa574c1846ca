#include "core/source/synthetic_source.h"

#include "core/wire/stream_decoder.h"

#include <utility>

namespace decodescope {

struct SyntheticSource::State {
    State(SyntheticSpec s, const Clock& c, SourceOutput o)
        : spec(s)
        , clock(c)
        , output(std::move(o))
        , stream(std::move(s))
        , upcoming(stream.next()) {}

    SyntheticSpec spec;
    const Clock& clock;
    SourceOutput output;
    SyntheticStream stream;
    std::optional<SyntheticRead> upcoming;
    std::unique_ptr<StreamDecoder> decoder;
    std::optional<Instant> openedAt; // when the pretended connection is up
    std::optional<Instant> started;  // t0
    std::uint32_t reads = 0;
    bool ended = false;

    void mark(Instant at, const Milestone& milestone) {
        if (output.raw)
            output.raw->onMilestone(at, milestone);
        output.events->post(StreamEvent{at, 0, 0, milestone});
    }

    void deliver(SyntheticRead read, std::vector<StreamEvent>& events) {
        const ByteChunk chunk{*started + read.at, reads++, std::move(read.bytes)};
        if (chunk.read == 0)
            mark(chunk.at, {Milestone::Kind::firstByte});
        if (output.raw)
            output.raw->onChunk(chunk.at, chunk.read, chunk.bytes);
        decoder->feed(chunk, events);
    }

    void finish(const TransportEnd& end, std::vector<StreamEvent>& events) {
        ended = true;
        if (output.raw)
            output.raw->onEnd(end.at, end.kind, end.message);
        decoder->finish(end, events);
    }
};

SyntheticSource::SyntheticSource(SyntheticSpec spec, const Clock& clock, SourceOutput output)
    : m_state(std::make_unique<State>(std::move(spec), clock, std::move(output))) {}

SyntheticSource::~SyntheticSource() = default;

void SyntheticSource::prepare() {
    State& s = *m_state;
    if (s.openedAt)
        return;
    s.openedAt = s.clock.now() + fromSeconds(s.spec.connectMs / 1e3);
    if (auto decoder = StreamDecoder::create({})) {
        s.decoder = std::move(*decoder);
        return;
    }
    s.ended = true;
    s.output.events->post(StreamEvent{
        s.clock.now(), 0, 0, errorEnd(ErrorKind::malformed, "This build does not decode openai-chat streams.")});
}

bool SyntheticSource::ready() const {
    return m_state->ended || (m_state->openedAt && m_state->clock.now() >= *m_state->openedAt);
}

void SyntheticSource::release(std::optional<Instant> scheduled) {
    State& s = *m_state;
    prepare();
    if (s.started || s.ended)
        return;
    const Instant t0 = scheduled.value_or(s.clock.now());
    s.started = t0;
    s.mark(t0, {Milestone::Kind::started});
    s.mark(t0, {Milestone::Kind::connected, false, fromSeconds(s.spec.connectMs / 1e3)});
    s.mark(t0, {Milestone::Kind::sent});
}

void SyntheticSource::cancel(ErrorKind kind) {
    State& s = *m_state;
    prepare();
    if (s.ended)
        return;
    std::vector<StreamEvent> events;
    s.finish({s.clock.now(), kind, "The synthetic stream was stopped."}, events);
    s.output.events->post(events);
}

Instant SyntheticSource::now() const {
    return m_state->clock.now();
}

void SyntheticSource::pump() {
    State& s = *m_state;
    if (!s.started || s.ended)
        return;
    const Instant now = s.clock.now();
    std::vector<StreamEvent> events;
    while (s.upcoming && *s.started + s.upcoming->at <= now) {
        const Instant at = *s.started + s.upcoming->at;
        s.deliver(std::move(*s.upcoming), events);
        s.upcoming = s.stream.next();
        if (!s.upcoming)
            s.finish({at, ErrorKind::none, {}}, events);
    }
    if (!events.empty())
        s.output.events->post(events);
}

} // namespace decodescope
