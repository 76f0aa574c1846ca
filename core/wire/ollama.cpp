#include "core/wire/ollama.h"

#include "core/wire/server_error.h"
#include "core/wire/surrogates.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

namespace decodescope {
namespace {

constexpr double kNsPerMs = 1e6;

std::optional<double> nsAsMs(JsonView value) {
    const auto ns = value.number();
    return ns ? std::optional(*ns / kNsPerMs) : std::nullopt;
}

void readCounts(JsonView message, MessageContent& out) {
    UsageReport told;
    told.origin = UsageOrigin::evalCount;
    told.prompt = message["prompt_eval_count"].count();
    told.cached = message["prompt_eval_cached_count"].count();
    told.completion = message["eval_count"].count();
    if (told.prompt || told.cached || told.completion)
        out.usage = told;
}

/// The durations stand beside everything else that the last message says: their members alone are kept.
void readDurations(JsonView message, MessageContent& out) {
    std::string raw;
    for (const std::string_view key : {"total_duration", "load_duration", "prompt_eval_count", "prompt_eval_duration",
                                       "prompt_eval_cached_count", "eval_count", "eval_duration"}) {
        if (!message[key].number())
            continue;
        raw += raw.empty() ? "{\"" : ",\"";
        raw.append(key).append("\":").append(message[key].source());
    }
    ServerTimings told;
    told.loadMs = nsAsMs(message["load_duration"]);
    told.promptMs = nsAsMs(message["prompt_eval_duration"]);
    told.decodeMs = nsAsMs(message["eval_duration"]);
    if (!told.loadMs && !told.promptMs && !told.decodeMs && !message["total_duration"].number())
        return;
    told.raw = raw + "}";
    out.timings = std::move(told);
}

} // namespace

void Ollama::readMessage(JsonView message, MessageContent& out) {
    out.error = errorIn(message);
    out.identity.model = wtf8ToUtf8(message["model"].text());
    const JsonView chat = message["message"];
    for (const JsonView source : {chat, message})
        out.add(Channel::reasoning, 0, source["thinking"].text());
    out.add(Channel::answer, 0, chat["content"].text());
    out.add(Channel::answer, 0, message["response"].text());
    // Calls come whole, one or several at a time; none is ever told in pieces.
    for (const JsonView entry : chat["tool_calls"]) {
        const JsonView function = entry["function"];
        if (const auto call = m_calls.open(wtf8ToUtf8(entry["id"].text()), 0, out)) {
            m_calls.addName(*call, function["name"].text(), out);
            m_calls.addArguments(*call, function["arguments"], out);
        }
    }
    if (const std::size_t entries = message["logprobs"].size(); entries > 0)
        out.hints.logprobs =
            static_cast<std::uint32_t>(std::min<std::size_t>(entries, std::numeric_limits<std::uint32_t>::max()));
    readCounts(message, out);
    readDurations(message, out);
    out.ended = message["done"].truthy();
    if (const std::string_view reason = message["done_reason"].text(); out.ended && !reason.empty())
        out.finishes.push_back({0, wtf8ToUtf8(reason)});
}

// A streamed piece and a whole answer have the same shape.
bool Ollama::readWholeAnswer(JsonView answer, MessageContent& out) {
    readMessage(answer, out);
    return answer["message"].isObject() || answer["response"].isString();
}

} // namespace decodescope
