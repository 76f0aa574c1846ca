#include "core/net/local_source.h"

#include "core/wire/stream_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace decodescope {

namespace {

/// A connection that broke may be the first sign of an engine that died: how long its end is waited for.
constexpr Duration kUntilDeathShows = std::chrono::milliseconds(500);

/// Hands a run's bytes on at once and keeps back how they ended, so that what killed the run can be said with it.
class EndKept final : public RawSink {
public:
    explicit EndKept(std::shared_ptr<RawSink> next)
        : m_next(std::move(next)) {}

    void onChunk(Instant at, std::uint32_t read, std::string_view bytes) override {
        if (m_next)
            m_next->onChunk(at, read, bytes);
    }
    void onMilestone(Instant at, const Milestone& milestone) override {
        if (m_next)
            m_next->onMilestone(at, milestone);
    }
    void onStamps(Instant at, const StampReport& stamps) override {
        if (m_next)
            m_next->onStamps(at, stamps);
    }
    void onEnd(Instant at, ErrorKind kind, std::string_view message) override {
        const std::lock_guard lock(m_mutex);
        m_end = {at, kind, std::string(message)};
    }

    /// Tells the end that was kept. Once.
    void tellEnd() {
        const std::lock_guard lock(m_mutex);
        if (m_end && m_next)
            m_next->onEnd(m_end->at, m_end->kind, m_end->message);
        m_end.reset();
    }
    /// The same with another cause, as a replay is to tell it.
    void tellEndAs(ErrorKind kind, std::string_view message) {
        const std::lock_guard lock(m_mutex);
        if (m_end && m_next)
            m_next->onEnd(m_end->at, kind, message);
        m_end.reset();
    }

private:
    std::shared_ptr<RawSink> m_next;
    std::mutex m_mutex;
    std::optional<TransportEnd> m_end;
};

/// Whether a run may have ended so because the engine did.
bool mayBeDeath(const StreamEnd& end) {
    return end.verdict == StreamEnd::Verdict::error &&
           (end.kind == ErrorKind::connectionClosed || end.kind == ErrorKind::unreachable);
}

} // namespace

struct LocalSource::State {
    State(EnginePool& enginePool, SourceFactory makeRemote, RunSpec request, SourceOutput to)
        : pool(enginePool)
        , remote(std::move(makeRemote))
        , spec(std::move(request))
        , output(std::move(to))
        , raw(std::make_shared<EndKept>(output.raw)) {}

    EnginePool& pool;
    SourceFactory remote;
    RunSpec spec;
    SourceOutput output;
    std::shared_ptr<EventMailbox> inner = std::make_shared<EventMailbox>();
    std::shared_ptr<EventMailbox> matesSay = std::make_shared<EventMailbox>(); // heard by nobody
    std::shared_ptr<EndKept> raw;
    std::shared_ptr<EngineProcess> engine;           // kept for as long as the run
    std::unique_ptr<TokenSource> source;             // from when the engine listens on
    std::vector<std::unique_ptr<TokenSource>> mates; // requests that nobody sees, for as long as the run
    std::optional<StreamEvent> end;                  // the run's, while the engine's own is waited for
    Instant endCame{};
    bool ended = false;

    /// The run is over before anything was asked.
    void endHere(ErrorKind kind, const std::string& message) {
        if (std::exchange(ended, true))
            return;
        endRun(output, std::chrono::steady_clock::now(), kind, message);
    }

    /// Opens the connection as soon as there is somebody to connect to.
    void follow() {
        if (source || ended || !engine)
            return;
        if (engine->status().state == EngineState::failed || engine->status().state == EngineState::stopped) {
            const std::string& why = engine->status().failure;
            endHere(ErrorKind::unreachable, why.empty() ? "The engine was stopped before it was ready." : why);
            return;
        }
        if (engine->status().state != EngineState::ready)
            return;
        RunSpec request = spec;
        request.endpoint.url = engine->url();
        request.endpoint.key = {};
        request.key = engine->token();
        source = remote(request, SourceOutput{inner, raw});
        source->prepare();
        request.sampling.ignoreEos = true; // none of them may end before the run does
        for (int i = 0; i < spec.batchMates; ++i) {
            mates.push_back(remote(request, SourceOutput{matesSay, nullptr}));
            mates.back()->prepare();
        }
    }

    void forward() {
        std::vector<StreamEvent> events;
        if (!inner->drain(events))
            return;
        if (auto* last = std::get_if<StreamEnd>(&events.back().what)) {
            if (mayBeDeath(*last)) {
                end = std::move(events.back());
                endCame = std::chrono::steady_clock::now();
                events.pop_back();
            } else {
                raw->tellEnd();
                ended = true;
            }
        }
        output.events->post(events);
    }

    /// Tells an end that was held back, once it is known whether the engine died.
    void settle() {
        if (!end || ended)
            return;
        const bool died = engine->status().state == EngineState::failed;
        if (!died && std::chrono::steady_clock::now() - endCame < kUntilDeathShows)
            return;
        ended = true;
        auto& last = std::get<StreamEnd>(end->what);
        if (died) {
            last.message = engine->status().failure;
            raw->tellEndAs(last.kind, last.message);
        } else {
            raw->tellEnd();
        }
        output.events->post(*std::move(end));
    }
};

LocalSource::LocalSource(EnginePool& pool, SourceFactory remote, RunSpec spec, SourceOutput output)
    : m_state(std::make_unique<State>(pool, std::move(remote), std::move(spec), std::move(output))) {}

LocalSource::~LocalSource() = default;

void LocalSource::prepare() {
    State& s = *m_state;
    if (s.engine || s.ended)
        return;
    s.engine = s.pool.acquire(*s.spec.local);
    s.follow();
}

bool LocalSource::ready() const {
    const State& s = *m_state;
    return s.ended || (s.source && s.source->ready() &&
                       std::all_of(s.mates.begin(), s.mates.end(), [](const auto& mate) { return mate->ready(); }));
}

void LocalSource::release(std::optional<Instant> scheduled) {
    for (const auto& mate : m_state->mates)
        mate->release(scheduled);
    if (m_state->source)
        m_state->source->release(scheduled);
}

void LocalSource::cancel(ErrorKind kind) {
    State& s = *m_state;
    if (s.end)
        s.endCame = {}; // no need to wait for what it died of
    else if (s.source)
        s.source->cancel(kind);
    else
        s.endHere(kind, "The run was stopped while the engine loaded the model.");
}

Instant LocalSource::now() const {
    return std::chrono::steady_clock::now();
}

void LocalSource::pump() {
    State& s = *m_state;
    s.follow();
    std::vector<StreamEvent> unheard;
    s.matesSay->drain(unheard);
    if (s.source)
        s.source->pump();
    s.forward();
    s.settle();
}

SourceFactory makeLocalSourceFactory(EnginePool& pool, SourceFactory remote) {
    return [&pool, remote = std::move(remote)](const RunSpec& request, SourceOutput output) {
        return std::make_unique<LocalSource>(pool, remote, request, std::move(output));
    };
}

} // namespace decodescope
