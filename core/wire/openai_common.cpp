#include "core/wire/openai_common.h"

#include "core/wire/engine_object.h"
#include "core/wire/server_error.h"
#include "core/wire/surrogates.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace decodescope {
namespace {

constexpr double kMsPerSecond = 1000;

std::string cleanText(JsonView value) {
    return wtf8ToUtf8(value.text());
}

std::optional<double> secondsAsMs(JsonView value) {
    const auto seconds = value.number();
    return seconds ? std::optional(*seconds * kMsPerSecond) : std::nullopt;
}

std::optional<std::uint64_t> firstCount(std::initializer_list<JsonView> places) {
    for (const JsonView place : places) {
        if (const auto n = place.count())
            return n;
    }
    return std::nullopt;
}

template <class T> void replaceIfTold(std::optional<T>& value, const std::optional<T>& told) {
    if (told)
        value = told;
}

/// A few servers (xAI) count the reasoning beside the completion and not in it: their total tells.
void includeReasoning(UsageReport& told, std::optional<std::uint64_t> total) {
    const std::uint64_t reasoning = told.reasoning.value_or(0);
    if (total && told.prompt && told.completion && reasoning > 0 &&
        *total == *told.prompt + *told.completion + reasoning)
        told.completion = *told.completion + reasoning;
}

void addTimings(ServerTimings told, MessageContent& out) {
    if (!told.queueMs && !told.loadMs && !told.promptMs && !told.decodeMs)
        return;
    if (!out.timings)
        out.timings.emplace();
    replaceIfTold(out.timings->queueMs, told.queueMs);
    replaceIfTold(out.timings->loadMs, told.loadMs);
    replaceIfTold(out.timings->promptMs, told.promptMs);
    replaceIfTold(out.timings->decodeMs, told.decodeMs);
    out.timings->raw = std::move(told.raw);
}

/// LM Studio's own API tells seconds.
void readStats(JsonView stats, MessageContent& out) {
    ServerTimings told;
    told.decodeMs = secondsAsMs(stats["generation_time"]);
    told.raw = stats.source();
    addTimings(std::move(told), out);
}

void addCount(std::optional<std::uint32_t>& to, std::size_t n) {
    to = static_cast<std::uint32_t>(
        std::min<std::size_t>(to.value_or(0) + n, std::numeric_limits<std::uint32_t>::max()));
}

Channel channelOfPart(JsonView part, Channel otherwise) {
    const std::string_view type = part["type"].text();
    if (type == "thinking" || type == "reasoning" || type == "reasoning_text" || type == "summary_text")
        return Channel::reasoning;
    if (type == "refusal")
        return Channel::refusal;
    return otherwise;
}

void addPart(JsonView part, Channel channel, std::uint16_t choice, MessageContent& out) {
    if (part.isString()) {
        out.add(channel, choice, part.text());
        return;
    }
    const Channel own = channelOfPart(part, channel);
    for (const std::string_view key : {"text", "thinking", "reasoning", "refusal", "content", "summary"}) {
        const JsonView inner = part[key];
        if (inner.isString() && !inner.text().empty()) {
            out.add(own, choice, inner.text());
            return;
        }
        if (inner.isArray()) {
            for (const JsonView element : inner) {
                if (element.isString())
                    out.add(own, choice, element.text());
                else if (element["text"].isString())
                    out.add(own, choice, element["text"].text());
            }
            return;
        }
    }
}

/// Groups of reasoning pieces, each from one field. A group that says what an earlier one said is taken back: the
/// same thought under a second name is no second thought.
class Thoughts {
public:
    explicit Thoughts(MessageContent& out)
        : m_out(out) {}

    /// The fragments from `first` on are a group (together with pieces of other channels, which are left alone).
    void close(std::size_t first) {
        std::string text;
        for (std::size_t i = first; i < m_out.fragments.size(); ++i) {
            if (m_out.fragments[i].channel == Channel::reasoning)
                text += m_out.fragments[i].text;
        }
        if (text.empty())
            return;
        if (std::find(m_known.begin(), m_known.end(), text) == m_known.end()) {
            m_known.push_back(std::move(text));
            return;
        }
        const auto group = m_out.fragments.begin() + static_cast<std::ptrdiff_t>(first);
        m_out.fragments.erase(std::remove_if(group, m_out.fragments.end(),
                                             [](const RawFragment& f) { return f.channel == Channel::reasoning; }),
                              m_out.fragments.end());
    }

private:
    MessageContent& m_out;
    std::vector<std::string> m_known;
};

} // namespace

void readUsage(JsonView usage, MessageContent& out) {
    if (!usage.isObject())
        return;
    UsageReport told;
    told.prompt = firstCount({usage["prompt_tokens"], usage["input_tokens"]});
    told.completion = firstCount({usage["completion_tokens"], usage["output_tokens"]});
    told.reasoning = firstCount({usage["completion_tokens_details"]["reasoning_tokens"],
                                 usage["output_tokens_details"]["reasoning_tokens"], usage["reasoning_tokens"]});
    told.cached =
        firstCount({usage["prompt_tokens_details"]["cached_tokens"], usage["input_tokens_details"]["cached_tokens"],
                    usage["prompt_cache_hit_tokens"], usage["cached_tokens"], usage["cache_read_input_tokens"]});
    includeReasoning(told, usage["total_tokens"].count());
    if (told.prompt || told.completion || told.reasoning || told.cached) {
        if (!out.usage)
            out.usage.emplace();
        replaceIfTold(out.usage->prompt, told.prompt);
        replaceIfTold(out.usage->completion, told.completion);
        replaceIfTold(out.usage->reasoning, told.reasoning);
        replaceIfTold(out.usage->cached, told.cached);
        replaceIfTold(out.hints.runningUsage, told.completion);
    }
    ServerTimings timings;
    timings.queueMs = secondsAsMs(usage["queue_time"]);
    timings.promptMs = secondsAsMs(usage["prompt_time"]);
    timings.decodeMs = secondsAsMs(usage["completion_time"]);
    timings.raw = usage.source();
    addTimings(std::move(timings), out);
}

void readTimings(JsonView timings, MessageContent& out) {
    if (!timings.isObject())
        return;
    ServerTimings told;
    told.promptMs = timings["prompt_ms"].number();
    told.decodeMs = timings["predicted_ms"].number();
    told.raw = timings.source();
    addTimings(std::move(told), out);
    replaceIfTold(out.hints.runningTimings, timings["predicted_n"].count());
}

std::optional<std::uint16_t> choiceIndex(JsonView choice, std::size_t place) {
    const JsonView told = choice["index"];
    const std::uint64_t index = told ? told.count().value_or(std::numeric_limits<std::uint64_t>::max()) : place;
    if (index > std::numeric_limits<std::uint16_t>::max())
        return std::nullopt;
    return static_cast<std::uint16_t>(index);
}

void readEnvelope(JsonView message, MessageContent& out) {
    out.error = errorIn(message);
    if (!out.error)
        out.error = errorIn(message["x_groq"]); // why Groq broke off
    readUsage(message["x_groq"]["usage"], out);
    readUsage(message["usage"], out);
    readTimings(message["timings"], out);
    readStats(message["stats"], out);
    readEngineObject(message["decodescope"], out);
    out.identity.provider = cleanText(message["provider"]);
    out.identity.systemFingerprint = cleanText(message["system_fingerprint"]);
    out.identity.model = cleanText(message["model"]);
    const JsonView progress = message["prompt_progress"];
    if (progress.isObject()) {
        out.keepalive = fmt::format("prompt {} of {}", progress["processed"].count().value_or(0),
                                    progress["total"].count().value_or(0));
    }
}

void readChoiceMarks(JsonView choice, std::uint16_t index, MessageContent& out) {
    out.choices.push_back(index);
    const std::string_view reason = choice["finish_reason"].text();
    if (!reason.empty())
        out.finishes.push_back({index, wtf8ToUtf8(reason)});
    const JsonView logprobs = choice["logprobs"];
    for (const std::string_view key : {"content", "refusal", "tokens"}) {
        if (logprobs[key].size() > 0)
            addCount(out.hints.logprobs, logprobs[key].size());
    }
    for (const JsonView ids : {choice["token_ids"], choice["delta"]["token_ids"]}) {
        if (ids.size() > 0)
            addCount(out.hints.ids, ids.size());
    }
    readUsage(choice["usage"], out);
    if (!out.error)
        out.error = errorIn(choice);
}

void addText(JsonView value, Channel channel, std::uint16_t choice, MessageContent& out) {
    if (value.isString()) {
        out.add(channel, choice, value.text());
    } else if (value.isArray()) {
        for (const JsonView part : value)
            addPart(part, channel, choice, out);
    } else if (value.isObject()) {
        addPart(value, channel, choice, out);
    }
}

void addDeltaText(JsonView delta, std::string_view answerKey, std::uint16_t choice, MessageContent& out) {
    constexpr std::string_view kReasoningKeys[] = {"reasoning_content", "reasoning", "reasoning_text", "thinking",
                                                   "reasoning_details"};
    Thoughts thoughts(out);
    for (const std::string_view key : kReasoningKeys) {
        const std::size_t first = out.fragments.size();
        addText(delta[key], Channel::reasoning, choice, out);
        thoughts.close(first);
    }
    for (const JsonView detail : delta["reasoning_details"]) {
        if (detail["type"].text() == "reasoning.summary")
            out.warnings.emplace_back("hidden_tokens");
    }
    const std::size_t first = out.fragments.size();
    addText(delta[answerKey], Channel::answer, choice, out);
    if (delta[answerKey].isArray())
        thoughts.close(first);
    addText(delta["refusal"], Channel::refusal, choice, out);
    addText(delta["audio"]["transcript"], Channel::answer, choice, out);
}

namespace {

/// Custom tools take text, and it has another name.
JsonView argumentsOf(JsonView function) {
    return function["arguments"] ? function["arguments"] : function["input"];
}

} // namespace

JsonView ToolCallTable::functionOf(JsonView entry) {
    return entry["custom"].isObject() ? entry["custom"] : entry["function"];
}

void ToolCallTable::read(JsonView entry, JsonView function, std::uint16_t choice, MessageContent& out) {
    std::optional<std::uint16_t> call = find(entry, function, choice);
    if (call)
        m_calls.addId(*call, cleanText(entry["id"]), out);
    else
        call = open(entry, choice, out);
    if (!call)
        return;
    m_calls.addName(*call, function["name"].text(), out);
    m_calls.addArguments(*call, argumentsOf(function), out);
}

void ToolCallTable::readWhole(JsonView entry, JsonView function, std::uint16_t choice, MessageContent& out) {
    if (const auto call = open(entry, choice, out)) {
        m_calls.addName(*call, function["name"].text(), out);
        m_calls.addArguments(*call, argumentsOf(function), out);
    }
}

std::optional<std::uint16_t> ToolCallTable::find(JsonView entry, JsonView function, std::uint16_t choice) const {
    const auto index = entry["index"].count();
    const std::string id = cleanText(entry["id"]);
    const bool named = !function["name"].text().empty();
    for (std::size_t i = m_calls.size(); i-- > 0;) {
        if (m_calls.choice(i) != choice)
            continue;
        const auto number = static_cast<std::uint16_t>(i);
        if (index) {
            if (m_indices[i] != index)
                continue;
            // Some servers number every call 0: a new id that comes with a name is a new call. (A new id alone is not:
            // others invent one for each piece.)
            const bool another = !id.empty() && !m_calls.id(i).empty() && id != m_calls.id(i) && named;
            return another ? std::nullopt : std::optional(number);
        }
        if (!id.empty()) {
            if (m_calls.id(i) == id)
                return number;
            continue;
        }
        // Neither index nor id: the latest call goes on, unless a second name begins another.
        return named && !m_calls.name(i).empty() ? std::nullopt : std::optional(number);
    }
    return std::nullopt;
}

std::optional<std::uint16_t> ToolCallTable::open(JsonView entry, std::uint16_t choice, MessageContent& out) {
    const auto call = m_calls.open(cleanText(entry["id"]), choice, out);
    if (call)
        m_indices.push_back(entry["index"].count());
    return call;
}

} // namespace decodescope
