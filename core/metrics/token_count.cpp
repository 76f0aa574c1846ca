#include "core/metrics/metrics.h"
#include "core/metrics/token_model.h"

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

constexpr double kMismatchShare = 0.02; // metrics.md section 2: more than 2% and more than 2 tokens
constexpr std::uint64_t kMismatchTokens = 2;

bool disagree(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t difference = a > b ? a - b : b - a;
    return difference > kMismatchTokens &&
           static_cast<double>(difference) > kMismatchShare * static_cast<double>(std::max(a, b));
}

TokenSourceKind sourceOf(UnitPick pick) {
    switch (pick) {
    case UnitPick::engine:
        return TokenSourceKind::engine;
    case UnitPick::usage:
        return TokenSourceKind::usage;
    case UnitPick::timings:
        return TokenSourceKind::timings;
    case UnitPick::ids:
        return TokenSourceKind::tokenIds;
    case UnitPick::logprobs:
        return TokenSourceKind::logprobs;
    case UnitPick::one:
        break;
    }
    return TokenSourceKind::none;
}

/// What an API calls its final total.
TokenSourceKind totalNameOf(const RunRecord& record) {
    const std::string& protocol = record.spec.endpoint.protocol;
    if (record.usage && record.usage->origin == UsageOrigin::evalCount)
        return TokenSourceKind::evalCount;
    if (protocol.starts_with("llamacpp"))
        return TokenSourceKind::timings;
    return TokenSourceKind::usage;
}

/// A source tells every event's tokens when it leaves none out. A running counter, and our engine's count, may stand
/// still for a few events (text that was held back and flushed), but not at the first: then it only came late.
bool tellsEachEvent(const TokenTally& tally, UnitPick pick, const RunRecord& record) {
    if (pick == UnitPick::usage && (!record.usageContinuous || record.usageFell))
        return false;
    if (pick == UnitPick::timings && record.timingsFell)
        return false;
    const TokenTally::Told& told = tally.told[static_cast<std::size_t>(pick)];
    if (told.sum == 0 || told.firstIsZero)
        return false;
    const bool counter = pick == UnitPick::usage || pick == UnitPick::timings || pick == UnitPick::engine;
    const std::uint64_t mayStandStill = counter ? std::max<std::uint64_t>(1, tally.events / 10) : 0;
    return told.zeros <= mayStandStill;
}

std::uint64_t sumOf(const TokenTally& tally, UnitPick pick, const RunRecord& record) {
    return tally.told[static_cast<std::size_t>(pick)].sum + toldBy(record.trailing, pick);
}

/// End tokens without text: one for each choice that ended by itself.
std::uint64_t endTokens(const RunRecord& record) {
    std::uint64_t count = record.finish && stoppedByItself(*record.finish) ? 1 : 0;
    for (const auto& [index, choice] : record.choices)
        count += index != 0 && choice.finish && stoppedByItself(*choice.finish) ? 1 : 0;
    return count;
}

struct Hidden {
    bool any = false;
    std::optional<std::uint64_t> told; ///< absent: hidden, but nobody says how many
    bool guessed = false;              ///< only the total says so, by being far more than the text could have
};

/// Tokens that were billed and not streamed. A token of text has at least one byte, so more reasoning tokens than
/// bytes of reasoning text were not (all) streamed; nothing finer can be told from the wire alone.
Hidden findHidden(const TokenTally& tally, const RunRecord& record, std::uint64_t total, std::uint64_t ends) {
    const std::optional<std::uint64_t> reasoning = record.usage ? record.usage->reasoning : std::nullopt;
    const std::uint64_t reasoningBytes =
        tally.events == 0 ? record.text(Channel::reasoning).size() : tally.reasoningBytes;
    if (reasoning && *reasoning > reasoningBytes && *reasoning <= total)
        return {true, reasoning};
    if (std::find(record.warnings.begin(), record.warnings.end(), "hidden_tokens") != record.warnings.end())
        return {true, reasoning && *reasoning > 0 && *reasoning <= total ? reasoning : std::nullopt};
    constexpr std::uint64_t kBytesPerToken = 2; // far below any tokenizer on any text, and yet
    constexpr std::uint64_t kSlack = 16;        // markup that a server's parser swallows
    constexpr std::uint64_t kSlackOfCall = 64;  // a tool call has far more of it than text
    const std::uint64_t plausible =
        kBytesPerToken * record.transcript.size() + kSlack + kSlackOfCall * record.toolCalls.size() + ends;
    if (tally.eventsWithoutText == 0 && record.choices.size() <= 1 && total > plausible)
        return {true, std::nullopt, true};
    return {};
}

/// Whether what was told event by event adds up to something else than the total, and nothing that was hidden explains
/// it. Ids and logprobs that a server's parsers left out of some events are found this way.
bool contradicts(const TokenTally& tally, UnitPick pick, const RunRecord& record, std::uint64_t total,
                 const Hidden& hidden) {
    // A counter that several choices share, or that fell back, adds up to nothing.
    const bool counter = pick == UnitPick::usage || pick == UnitPick::timings;
    if (counter && !tellsEachEvent(tally, pick, record))
        return false;
    // The final usage is the counter's last word as well: it must not be compared with itself.
    const std::uint64_t sum =
        pick == UnitPick::usage ? tally.told[static_cast<std::size_t>(pick)].sum : sumOf(tally, pick, record);
    if (sum == 0 || (hidden.any && !hidden.told && !hidden.guessed))
        return false;
    // Running counters count what is hidden as well.
    return disagree(sum, counter ? total : total - hidden.told.value_or(0));
}

/// Parsers of servers hide the ids of some tokens (of calls, of reasoning), so ids count only where they add up; the
/// end token may be among them or not.
bool addsUp(std::uint64_t sum, std::uint64_t shown, std::uint64_t ends) {
    return sum <= shown && shown - sum <= ends;
}

void applyTotal(TokenModel& model, const TokenTally& tally, std::uint64_t total, std::uint64_t ends) {
    const std::uint64_t events = model.answersOnly ? tally.answerEvents : tally.events;
    if (events == 0)
        return;
    model.tokensKnown = true;
    if (total == events || (ends > 0 && total == events + ends)) {
        model.count.visible = static_cast<double>(events);
        return;
    }
    const double visible = static_cast<double>(total > ends ? total - ends : total);
    model.count.visible = visible;
    model.count.kUnknown = true;
    model.scale = visible / static_cast<double>(events);
    // Fewer tokens than pieces of text: the server (or a proxy) counted something else.
    if (total < events && disagree(total, events))
        model.count.usageMismatch = true;
}

} // namespace

bool stoppedByItself(std::string_view finish) noexcept {
    for (const std::string_view other : {"length",
                                         "max_tokens",
                                         "MAX_TOKENS",
                                         "max_output_tokens",
                                         "max_tokens_reached",
                                         "limit",
                                         "incomplete",
                                         "model_length",
                                         "model_context_window_exceeded",
                                         "error",
                                         "ERROR",
                                         "ERROR_LIMIT",
                                         "ERROR_TOXIC",
                                         "TIMEOUT",
                                         "content_filter",
                                         "SAFETY",
                                         "RECITATION",
                                         "PROHIBITED_CONTENT",
                                         "BLOCKLIST",
                                         "SPII",
                                         "LANGUAGE",
                                         "MALFORMED_FUNCTION_CALL",
                                         "OTHER",
                                         "refusal",
                                         "abort",
                                         "cancelled"})
        if (finish == other)
            return false;
    return !finish.empty();
}

std::uint32_t toldBy(const EventTokens& tokens, UnitPick pick) noexcept {
    switch (pick) {
    case UnitPick::engine:
        return tokens.engine;
    case UnitPick::usage:
        return tokens.usage;
    case UnitPick::timings:
        return tokens.timings;
    case UnitPick::ids:
        return tokens.ids;
    case UnitPick::logprobs:
        return tokens.logprobs;
    case UnitPick::one:
        break;
    }
    return 0;
}

void TokenTally::add(const RunRecord& record, const TokenEvent& event) {
    for (std::size_t i = 1; i < told.size(); ++i) {
        const std::uint32_t k = toldBy(event.tokens, static_cast<UnitPick>(i));
        told[i].sum += k;
        told[i].zeros += k == 0;
        told[i].firstIsZero = told[i].firstIsZero || (events == 0 && k == 0);
    }
    ++events;
    answerEvents += event.answers();
    eventsWithoutText += event.textBegin == event.textEnd;
    if (!event.has(Channel::reasoning))
        return;
    for (std::uint32_t at = event.textBegin; at < event.textEnd; ++at) {
        if (!event.answers()) {
            reasoningBytes += event.textEnd - event.textBegin;
            break;
        }
        reasoningBytes += record.channelAt(at) == Channel::reasoning;
    }
}

std::uint32_t TokenModel::units(const TokenEvent& event) const noexcept {
    if (pick != UnitPick::one)
        return toldBy(event.tokens, pick);
    return answersOnly && !event.answers() ? 0 : 1;
}

TokenModel decideTokens(const TokenTally& tally, const RunRecord& record) {
    TokenModel model;
    TokenCount& count = model.count;
    if (record.usage) {
        count.prompt = record.usage->prompt;
        count.cached = record.usage->cached;
        count.reasoning = record.usage->reasoning;
    }
    // What a run that goes on reports is no final total yet: tokens without text may be waiting for their event.
    const bool running = record.outcome == Outcome::running;
    const bool final = !running || (record.finish && !record.usageContinuous);
    std::optional<std::uint64_t> total;
    TokenSourceKind totalName = totalNameOf(record);
    if (record.usage && record.usage->completion && final) {
        total = record.usage->completion;
    } else if (!running && sumOf(tally, UnitPick::timings, record) > 0) {
        total = sumOf(tally, UnitPick::timings, record);
        totalName = TokenSourceKind::timings;
    }
    if (total && *total == 0 && tally.events > 0) {
        count.usageMismatch = true; // text came, so this total counts something else
        total.reset();
    }

    // Reasoning is part of the completion: a proxy counted the two in different ways.
    if (total && count.reasoning && *count.reasoning > *total && disagree(*count.reasoning, *total))
        count.usageMismatch = true;

    const std::uint64_t ends = endTokens(record);
    Hidden hidden;
    if (total)
        hidden = findHidden(tally, record, *total, ends);
    count.hidden = hidden.any;
    const std::uint64_t shown = total.value_or(0) - hidden.told.value_or(0); // of the tokens that were streamed
    const bool summarised = hidden.any && tally.answerEvents < tally.events;

    for (const UnitPick pick :
         {UnitPick::engine, UnitPick::usage, UnitPick::timings, UnitPick::ids, UnitPick::logprobs}) {
        // Running counters count what is hidden as well and hand it to the next event.
        const bool counter = pick == UnitPick::usage || pick == UnitPick::timings;
        if (total && contradicts(tally, pick, record, *total, hidden)) {
            count.usageMismatch = true;
            continue;
        }
        if (hidden.any && (counter || summarised || !hidden.told))
            continue;
        if (!tellsEachEvent(tally, pick, record))
            continue;
        if (pick == UnitPick::ids && total && !addsUp(sumOf(tally, pick, record), shown, ends))
            continue;
        model.pick = pick;
        model.tokensKnown = true;
        count.basis = TokenBasis::perEvent;
        // Our engine counts what it sampled; its usage is only the sum of that.
        count.source = total && pick != UnitPick::engine ? totalName : sourceOf(pick);
        count.output = total ? total : std::optional(sumOf(tally, pick, record));
        count.visible = static_cast<double>(tally.told[static_cast<std::size_t>(pick)].sum);
        return model;
    }
    if (!total)
        return model;

    count.basis = TokenBasis::total;
    count.source = totalName;
    count.output = total;
    if (hidden.any && !hidden.told)
        return model;
    model.answersOnly = summarised;
    applyTotal(model, tally, shown, ends);
    return model;
}

double scaleOf(const TokenCount& tokens) noexcept {
    if (!tokens.kUnknown)
        return 1.0;
    const auto some = std::find_if(tokens.perEvent.begin(), tokens.perEvent.end(), [](double k) { return k > 0; });
    return some == tokens.perEvent.end() ? 1.0 : *some;
}

void appendPerEvent(TokenCount& count, const TokenModel& model, const RunRecord& record, std::size_t from) {
    if (!model.tokensKnown)
        return;
    for (std::size_t i = from; i < record.events.size(); ++i) {
        const std::uint32_t units = model.units(record.events[i]);
        count.perEvent.push_back(model.scale * units);
        if (count.basis == TokenBasis::perEvent)
            count.told.push_back(units);
    }
}

TokenCount countTokens(const RunRecord& record) {
    TokenTally tally;
    for (const TokenEvent& event : record.events)
        tally.add(record, event);
    const TokenModel model = decideTokens(tally, record);
    TokenCount count = model.count;
    appendPerEvent(count, model, record, 0);
    return count;
}

} // namespace decodescope
