#include "core/base/utc_time.h"
#include "core/session/session.h"
#include "core/source/context_filler.h"
#include "core/source/request.h"

#include <fmt/format.h>

#include <random>
#include <utility>

namespace decodescope {

namespace {

/// A line that no server has in its prompt cache.
std::string uniqueLine() {
    std::random_device device;
    const auto word = [&device] { return static_cast<std::uint32_t>(device()); };
    return fmt::format("[{:08x}{:08x}]\n", word(), word());
}

} // namespace

LaneState stateOf(const RunRecord& record) {
    switch (record.outcome) {
    case Outcome::running:
        if (!record.events.empty())
            return LaneState::running;
        return record.sent || record.firstByte ? LaneState::waiting : LaneState::connecting;
    case Outcome::complete:
        return LaneState::done;
    case Outcome::notStreamed:
        return LaneState::notStreamed;
    case Outcome::cancelled:
        return LaneState::cancelled;
    case Outcome::truncated:
    case Outcome::interrupted:
        return LaneState::cut;
    case Outcome::timeout:
        return LaneState::failed;
    case Outcome::error:
        break;
    }
    const bool lost = record.end && record.end->kind == ErrorKind::connectionClosed;
    return lost && !record.events.empty() ? LaneState::cut : LaneState::failed;
}

std::optional<Instant> Lane::now() const {
    if (m_source)
        return m_source->now();
    if (m_runs.empty())
        return std::nullopt;
    const RunRecord& record = *m_runs.back()->record;
    if (record.finished)
        return record.finished;
    if (!record.events.empty())
        return record.events.back().at;
    return record.firstByte ? record.firstByte : record.sent ? record.sent : record.started;
}

void Lane::begin(const Tools& tools, const RunOrder& order) {
    RunSpec request = m_planSpec;
    const std::string unique = request.uniquePrefix ? uniqueLine() : std::string();
    // The record keeps how deep the prompt stood, and not the text that it took.
    RunSpec asked = request;
    asked.prompt = unique + request.prompt;
    if (request.contextDepth > 0)
        request.prompt = contextFiller(request.contextDepth) + "\n\n" + request.prompt;
    request.prompt = unique + request.prompt;

    auto run = std::make_shared<LaneRun>();
    run->record = std::make_shared<RunRecord>();
    RunRecord& record = *run->record;
    record.spec = std::move(asked);
    record.spec.key.reset();
    if (Result<std::string> route = routeText(request))
        record.route = *std::move(route);
    if (Result<std::string> body = requestBody(request); body)
        record.requestBody = *std::move(body);
    record.startedUtc = utcNow();
    record.lane = order.laneIndex;
    record.repeat = order.repeat;
    record.warmup = order.warmup;
    if (!request.endpoint.model.empty())
        record.card.model = request.endpoint.model;
    if (!request.recorded) // how many a recorded lane shared its server with is not known here
        record.card.concurrency = order.concurrency + request.batchMates;
    record.card.clientVersion = "decodescope " DECODESCOPE_VERSION;

    run->raw = std::make_shared<RawLog>();
    m_recorder = std::make_unique<RunRecorder>(run->record);
    m_mailbox = std::make_shared<EventMailbox>();
    m_begun = tools.clock.now();
    m_hiccupsRead = tools.hiccups ? tools.hiccups->end() : 0;
    m_ready = false;
    m_released = false;
    m_state = LaneState::connecting;
    m_runs.push_back(run);
    ++m_revision;

    m_source = tools.factory(request, SourceOutput{m_mailbox, run->raw});
    if (m_source)
        record.clock = m_source->clockSource();
    if (tools.journal) // only now, as the run's first line names its clock
        run->raw->teeTo(tools.journal->openRun(record));
    if (!m_source) {
        StreamEnd end = errorEnd(ErrorKind::unreachable, fmt::format("Nothing here can reach {}.", record.route));
        run->raw->onEnd(tools.clock.now(), end.kind, end.message);
        apply(StreamEvent{tools.clock.now(), 0, 0, std::move(end)}, {});
        return;
    }
    m_source->prepare();
}

void Lane::release(std::optional<Instant> scheduled) {
    m_released = true;
    m_source->release(scheduled);
    ++m_revision;
}

void Lane::cancel() {
    if (!m_source)
        return;
    m_released = true; // no barrier starts it any more
    m_source->cancel(ErrorKind::cancelled);
}

bool Lane::pump(const Tools& tools, const std::function<void(const Lane&, const StreamEvent&)>& onEvent) {
    if (!m_source)
        return false;
    m_source->pump();
    // Asked before draining: whoever says ready because it failed has posted its end by then.
    m_ready = m_source->ready();
    std::vector<StreamEvent> batch;
    const bool drained = m_mailbox->drain(batch);
    std::optional<Instant> end;
    if (drained && std::holds_alternative<StreamEnd>(batch.back().what))
        end = batch.back().at;
    // Read after the mailbox and recorded before its events: what came in a hiccup stands behind it.
    const bool hiccuped = takeHiccups(tools, end, onEvent);
    if (!drained && !hiccuped)
        return false;
    for (const StreamEvent& event : batch) {
        apply(event, onEvent);
        if (!m_recorder)
            break;
    }
    if (m_recorder) {
        LaneRun& run = *m_runs.back();
        run.live.update(*run.record);
        m_state = stateOf(*run.record);
    }
    ++m_revision;
    return true;
}

bool Lane::takeHiccups(const Tools& tools, std::optional<Instant> end,
                       const std::function<void(const Lane&, const StreamEvent&)>& onEvent) {
    if (!tools.hiccups || !m_source->stampedNow())
        return false;
    const std::vector<Hiccup> hiccups =
        end ? tools.hiccups->sinceAndNow(m_hiccupsRead, tools.clock.now()) : tools.hiccups->since(m_hiccupsRead);
    bool any = false;
    for (const Hiccup& hiccup : hiccups) {
        if (hiccup.woke <= m_begun || (end && hiccup.due >= *end))
            continue;
        any = true;
        m_runs.back()->raw->onHiccup(hiccup);
        apply({hiccup.woke, 0, 0, hiccup}, onEvent);
    }
    return any;
}

void Lane::apply(const StreamEvent& event, const std::function<void(const Lane&, const StreamEvent&)>& onEvent) {
    m_recorder->apply(event);
    const bool last = std::holds_alternative<StreamEnd>(event.what);
    if (last)
        endRun();
    if (onEvent)
        onEvent(*this, event);
}

void Lane::endRun() {
    LaneRun& run = *m_runs.back();
    run.live.update(*run.record);
    run.summary = run.live.summary(*run.record); // equals summarize() and is at hand: no hitch in mid-race
    m_state = stateOf(*run.record);
    m_recorder.reset();
    m_source.reset();
    ++m_revision;
}

void Lane::show(std::vector<std::shared_ptr<LaneRun>> runs) {
    m_runs = std::move(runs);
    m_state = m_runs.empty() ? LaneState::idle : stateOf(*m_runs.back()->record);
    ++m_revision;
}

} // namespace decodescope
