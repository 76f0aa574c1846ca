#include "core/record/run_recorder.h"

#include "core/record/engine_steps.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace decodescope {
namespace {

template <class... F> struct Overloaded : F... { using F::operator()...; };
template <class... F> Overloaded(F...) -> Overloaded<F...>;

constexpr std::uint32_t kBurstEvents = 3;

/// Sums of counts that a server may tell at will: they stop at the largest value instead of wrapping.
std::uint32_t saturatingAdd(std::uint32_t a, std::uint64_t b) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(std::min(kMost, a + std::min(b, kMost)));
}

/// A stamp that a server sent, on the time line of our own. One that lies beyond all measure stays as it is: the
/// differences that it is used for are checked anyway.
std::int64_t movedNs(std::int64_t ns, Duration by) {
    std::int64_t moved = 0;
    return __builtin_add_overflow(ns, toNs(by), &moved) ? ns : moved;
}

/// What a running total adds to what was handed out before; a total that falls back adds nothing.
std::uint64_t growth(std::uint64_t& last, std::uint64_t total, bool& fell) {
    fell = fell || total < last;
    if (total <= last)
        return 0;
    return total - std::exchange(last, total);
}

void add(EventTokens& to, const EventTokens& more) {
    to.usage = saturatingAdd(to.usage, more.usage);
    to.timings = saturatingAdd(to.timings, more.timings);
    to.ids = saturatingAdd(to.ids, more.ids);
    to.logprobs = saturatingAdd(to.logprobs, more.logprobs);
    to.engine = saturatingAdd(to.engine, more.engine);
}

Outcome outcomeOf(const StreamEnd& end) {
    switch (end.kind) {
    case ErrorKind::cancelled:
        return Outcome::cancelled;
    case ErrorKind::timeoutConnect:
    case ErrorKind::timeoutFirstToken:
    case ErrorKind::timeoutIdle:
    case ErrorKind::timeoutTotal:
        return Outcome::timeout;
    default:
        break;
    }
    switch (end.verdict) {
    case StreamEnd::Verdict::complete:
        return end.notStreamed ? Outcome::notStreamed : Outcome::complete;
    case StreamEnd::Verdict::incomplete:
        return Outcome::truncated;
    case StreamEnd::Verdict::error:
        break;
    }
    return Outcome::error;
}

template <class T> void replaceIfTold(std::optional<T>& value, const std::optional<T>& told) {
    if (told)
        value = told;
}

void replaceIfTold(std::string& value, const std::string& told) {
    if (!told.empty())
        value = told;
}

} // namespace

RunRecorder::RunRecorder(std::shared_ptr<RunRecord> record)
    : m_record(std::move(record)) {}

void RunRecorder::apply(const StreamEvent& event) {
    if (m_record->outcome != Outcome::running)
        return;
    const bool ofTheSource = std::holds_alternative<Milestone>(event.what) ||
                             std::holds_alternative<Hiccup>(event.what) ||
                             std::holds_alternative<StampReport>(event.what);
    // A run that failed before its first byte ends with read 0 and yet had no read.
    const bool ofNoRead = std::holds_alternative<StreamEnd>(event.what) && m_record->reads == 0;
    if (!ofTheSource && !ofNoRead)
        m_record->reads = std::max(m_record->reads, saturatingAdd(event.read, 1));
    std::visit(Overloaded{
                   [&](const Milestone& milestone) { applyMilestone(event.at, milestone); },
                   [&](const ResponseHead& head) { m_record->head = head; },
                   [&](const MessageArrived&) { ++m_record->messages; },
                   [&](const TokenDelta& delta) { applyDelta(event, delta); },
                   [&](const ToolCallOpened& opened) { applyTool(opened); },
                   [&](const UsageReport& usage) { applyUsage(usage); },
                   [&](const ServerTimings& timings) { applyTimings(timings); },
                   [&](const ServerIdentity& identity) { applyIdentity(identity); },
                   [&](const EngineIntroduced& engine) { applyEngine(*engine.facts); },
                   [&](const EnginePrompt& prompt) { applyEnginePrompt(prompt); },
                   [&](const EngineStep& step) { applyEngineStep(event.at, step); },
                   [&](const FinishReported& finish) { applyFinish(finish); },
                   [&](const Keepalive&) { ++m_record->keepalives; },
                   [&](const WarningRaised& warning) { warn(warning.name); },
                   [&](const Hiccup& hiccup) { m_record->hiccups.push_back(hiccup); },
                   [&](const StampReport& stamps) {
                       m_record->stamps = stamps;
                       m_record->clock = stamps.source;
                       if (stamps.rejected > 0)
                           warn("stamp_rejected");
                   },
                   [&](const StreamEnd& end) { applyEnd(event, end); },
               },
               event.what);
}

void RunRecorder::interrupt() {
    if (m_record->outcome == Outcome::running)
        m_record->outcome = Outcome::interrupted;
}

void RunRecorder::applyMilestone(Instant at, const Milestone& milestone) {
    RunRecord& record = *m_record;
    const auto setOnce = [](std::optional<Instant>& instant, Instant value) {
        if (!instant)
            instant = value;
    };
    switch (milestone.kind) {
    case Milestone::Kind::started:
        setOnce(record.started, at);
        record.moved = milestone.moved;
        break;
    case Milestone::Kind::connected:
        applyConnected(at, milestone);
        break;
    case Milestone::Kind::sent:
        if (!record.firstByte)
            record.sent = at;
        break;
    case Milestone::Kind::firstByte:
        setOnce(record.firstByte, at);
        break;
    case Milestone::Kind::routed:
        record.proxy = milestone.proxy;
        break;
    }
    // A connection that was up before the release counts from the release (metrics.md section 1, tc).
    if (record.started && record.connected && *record.connected < *record.started)
        record.connected = record.started;
}

void RunRecorder::applyConnected(Instant at, const Milestone& milestone) {
    RunRecord& record = *m_record;
    if (record.firstByte && record.connected)
        return;
    record.connected = at;
    record.warmConnection = milestone.warm;
    record.openingTook = milestone.openingTook;
    record.tlsVersion = milestone.tlsVersion;
    record.tlsUnverified = milestone.unverified;
    record.proxy = milestone.proxy;
    const bool shookHands = !milestone.tlsVersion.empty() && !milestone.warm;
    record.tlsTook = shookHands ? std::optional(milestone.tlsTook) : std::nullopt;
}

void RunRecorder::applyDelta(const StreamEvent& event, const TokenDelta& delta) {
    RunRecord& record = *m_record;
    countHints(delta.hints);

    std::uint8_t channels = 0;
    const auto textBegin = static_cast<std::uint32_t>(record.transcript.size());
    for (const Fragment& fragment : delta.fragments) {
        if (fragment.text.empty())
            continue;
        channels |= static_cast<std::uint8_t>(1U << static_cast<unsigned>(fragment.channel));
        appendFragment(fragment);
    }
    if (channels == 0) {
        // Usage that grows after the only event with text was a running count as well.
        m_record->usageContinuous |= m_usageEvents == 1 && record.events.size() == 1 && record.trailing.usage > 0;
        return;
    }

    const auto textEnd = static_cast<std::uint32_t>(record.transcript.size());
    const EventTokens tokens = std::exchange(record.trailing, {});
    if (tokens.usage > 0 && ++m_usageEvents >= 2)
        record.usageContinuous = true;

    const bool sameMessage = !record.events.empty() && record.events.back().message == event.message &&
                             record.events.back().read == event.read;
    if (sameMessage) {
        TokenEvent& last = record.events.back();
        if (last.textBegin == last.textEnd)
            last.textBegin = textBegin;
        last.textEnd = textEnd;
        last.channels |= channels;
        add(last.tokens, tokens);
        return;
    }
    const auto streamEnd =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(event.streamEnd, std::numeric_limits<std::uint32_t>::max()));
    record.events.push_back({event.at, event.read, event.message, textBegin, textEnd, channels, tokens, streamEnd});
    checkBurst();
}

void RunRecorder::appendFragment(const Fragment& fragment) {
    RunRecord& record = *m_record;
    ChoiceRecord& choice = record.choices[fragment.choice];
    if (fragment.channel == Channel::answer)
        choice.text += fragment.text;
    if (fragment.channel == Channel::tool) {
        if (record.toolCalls.size() <= fragment.toolCall)
            record.toolCalls.resize(std::size_t{fragment.toolCall} + 1);
        ToolCall& call = record.toolCalls[fragment.toolCall];
        call.choice = fragment.choice;
        (fragment.isToolName ? call.name : call.arguments) += fragment.text;
    }
    if (fragment.choice != 0)
        return;
    if (record.spans.empty() || record.spans.back().channel != fragment.channel)
        record.spans.push_back({static_cast<std::uint32_t>(record.transcript.size()), fragment.channel});
    record.transcript += fragment.text;
}

void RunRecorder::countHints(const TokenHints& hints) {
    EventTokens& waiting = m_record->trailing;
    if (hints.runningUsage)
        waiting.usage = saturatingAdd(waiting.usage, growth(m_lastUsage, *hints.runningUsage, m_record->usageFell));
    if (hints.runningTimings)
        waiting.timings =
            saturatingAdd(waiting.timings, growth(m_lastTimings, *hints.runningTimings, m_record->timingsFell));
    waiting.ids = saturatingAdd(waiting.ids, hints.ids.value_or(0));
    waiting.logprobs = saturatingAdd(waiting.logprobs, hints.logprobs.value_or(0));
    waiting.engine = saturatingAdd(waiting.engine, hints.engine.value_or(0));
}

void RunRecorder::checkBurst() {
    const std::vector<TokenEvent>& events = m_record->events;
    if (events.size() < kBurstEvents)
        return;
    if (events[events.size() - kBurstEvents].read == events.back().read)
        warn("burst");
}

void RunRecorder::applyTool(const ToolCallOpened& opened) {
    RunRecord& record = *m_record;
    if (record.toolCalls.size() <= opened.toolCall)
        record.toolCalls.resize(std::size_t{opened.toolCall} + 1);
    ToolCall& call = record.toolCalls[opened.toolCall];
    call.choice = opened.choice;
    replaceIfTold(call.id, opened.id);
}

void RunRecorder::applyUsage(const UsageReport& usage) {
    if (!m_record->usage)
        m_record->usage.emplace();
    UsageReport& total = *m_record->usage;
    replaceIfTold(total.prompt, usage.prompt);
    replaceIfTold(total.completion, usage.completion);
    if (usage.completion)
        total.origin = usage.origin;
    replaceIfTold(total.reasoning, usage.reasoning);
    replaceIfTold(total.cached, usage.cached);
}

void RunRecorder::applyTimings(const ServerTimings& timings) {
    if (!m_record->timings)
        m_record->timings.emplace();
    ServerTimings& known = *m_record->timings;
    replaceIfTold(known.queueMs, timings.queueMs);
    replaceIfTold(known.loadMs, timings.loadMs);
    replaceIfTold(known.promptMs, timings.promptMs);
    replaceIfTold(known.decodeMs, timings.decodeMs);
    replaceIfTold(known.raw, timings.raw);
}

void RunRecorder::applyIdentity(const ServerIdentity& identity) {
    replaceIfTold(m_record->identity.provider, identity.provider);
    replaceIfTold(m_record->identity.systemFingerprint, identity.systemFingerprint);
    replaceIfTold(m_record->identity.model, identity.model);
}

void RunRecorder::applyEngine(const EngineFacts& facts) {
    m_record->engine = facts;
    RunCard& card = m_record->card;
    const auto fill = [](std::optional<std::string>& field, const std::string& told) {
        if (!told.empty())
            field = told;
    };
    const auto fillCount = [](std::optional<int>& field, std::uint32_t told) {
        if (told > 0 && std::in_range<int>(told))
            field = static_cast<int>(told);
    };
    fill(card.model, facts.model);
    fill(card.quantization, facts.quantization);
    fill(card.hardware, facts.device);
    fill(card.kvType, facts.kvType);
    fill(card.speculativeDecoding, facts.speculative);
    if (!facts.version.empty())
        card.serverVersion = "decodescope-engine " + facts.version;
    card.scheduler = "continuous batching";
    fillCount(card.batch, facts.parallel);
    fillCount(card.contextLength, facts.context);
}

// What the engine stamped moves with what we stamped: only differences between the two mean anything.
void RunRecorder::applyEnginePrompt(EnginePrompt prompt) {
    prompt.receivedNs = movedNs(prompt.receivedNs, m_record->moved);
    m_record->enginePrompt = prompt;
}

void RunRecorder::applyEngineStep(Instant at, EngineStep step) {
    for (std::int64_t* stamp : {&step.sampledAtNs, &step.beginNs, &step.endNs})
        *stamp = movedNs(*stamp, m_record->moved);
    m_record->engineSteps.push_back({step, at, static_cast<std::uint32_t>(m_record->events.size())});
    raiseBandwidth(*m_record);
}

void RunRecorder::applyFinish(const FinishReported& finish) {
    if (finish.reason.empty())
        return;
    m_record->choices[finish.choice].finish = finish.reason;
    if (finish.choice == 0)
        m_record->finish = finish.reason;
}

void RunRecorder::applyEnd(const StreamEvent& event, const StreamEnd& end) {
    if (end.verdict == StreamEnd::Verdict::error && end.kind == ErrorKind::none) {
        interrupt();
        return;
    }
    m_record->finished = event.at;
    m_record->end = end;
    m_record->outcome = outcomeOf(end);
}

void RunRecorder::warn(const std::string& name) {
    std::vector<std::string>& warnings = m_record->warnings;
    if (std::find(warnings.begin(), warnings.end(), name) == warnings.end())
        warnings.push_back(name);
}

} // namespace decodescope
