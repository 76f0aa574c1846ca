#include "core/wire/llamacpp_completion.h"

#include "core/wire/openai_common.h"
#include "core/wire/server_error.h"
#include "core/wire/surrogates.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace decodescope {
namespace {

std::optional<std::uint32_t> sizeOf(JsonView list) {
    if (list.size() == 0)
        return std::nullopt;
    return static_cast<std::uint32_t>(std::min<std::size_t>(list.size(), std::numeric_limits<std::uint32_t>::max()));
}

/// Why the model stopped, in the server's words; builds before 2025 told it by three flags.
std::string stopReason(JsonView message) {
    if (const std::string_view type = message["stop_type"].text(); !type.empty() && type != "none")
        return wtf8ToUtf8(type);
    for (const std::string_view reason : {"eos", "limit", "word"}) {
        if (message[fmt::format("stopped_{}", reason)].truthy())
            return std::string(reason);
    }
    return "stop";
}

} // namespace

void LlamaCppCompletion::readMessage(JsonView message, MessageContent& out) {
    out.error = errorIn(message);
    out.identity.model = wtf8ToUtf8(message["model"].text());
    const auto choice = choiceIndex(message, 0);
    if (!choice)
        return;
    readText(message, *choice, out);
    readTotals(message, *choice, out);
    if (message["stop"].truthy()) {
        out.finishes.push_back({*choice, stopReason(message)});
        m_running.erase(*choice);
        m_stopped.insert(*choice);
    }
    out.ended = !m_stopped.empty() && m_running.empty();
}

void LlamaCppCompletion::readText(JsonView message, std::uint16_t choice, MessageContent& out) {
    const std::string_view content = message["content"].text();
    const JsonView progress = message["prompt_progress"];
    if (message["content"].isString() || message["stop"].truthy()) {
        out.choices.push_back(choice);
        if (!m_stopped.contains(choice))
            m_running.insert(choice);
    }
    out.add(Channel::answer, choice, content);
    if (progress.isObject())
        out.keepalive = fmt::format("prompt {} of {}", progress["processed"].count().value_or(0),
                                    progress["total"].count().value_or(0));
    // While the prompt is read an event carries a token that is none: id 0, no text, nothing predicted.
    const bool none = content.empty() && (progress.isObject() || message["tokens_predicted"].count() == 0U);
    if (none)
        return;
    out.hints.ids = sizeOf(message["tokens"]);
    out.hints.logprobs = sizeOf(message["completion_probabilities"]);
}

void LlamaCppCompletion::readTotals(JsonView message, std::uint16_t choice, MessageContent& out) {
    const JsonView timings = message["timings"];
    readTimings(timings, out);
    auto predicted = timings["predicted_n"].count();
    if (!predicted)
        predicted = message["tokens_predicted"].count();
    const auto read = timings["prompt_n"].count();
    const auto cached = timings["cache_n"].count();
    UsageReport usage;
    // What came from the cache belongs to the prompt; prompt_n alone is what had to be computed.
    usage.prompt = message["tokens_evaluated"].count();
    if (read && (cached || !usage.prompt))
        usage.prompt = *read + cached.value_or(0);
    usage.cached = cached;
    if (predicted) {
        usage.completion = m_predicted.take(choice, *predicted);
        out.hints.runningTimings = usage.completion;
    }
    if (usage.prompt || usage.completion || usage.cached)
        out.usage = usage;
}

bool LlamaCppCompletion::readWholeAnswer(JsonView answer, MessageContent& out) {
    readMessage(answer, out);
    return answer["content"].isString();
}

} // namespace decodescope
