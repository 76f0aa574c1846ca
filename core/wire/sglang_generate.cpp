#include "core/wire/sglang_generate.h"

#include "core/wire/openai_common.h"
#include "core/wire/server_error.h"
#include "core/wire/surrogates.h"

namespace decodescope {
namespace {

/// A finish reason is an object, or null while the model runs; old builds sent a string.
std::string_view finishOf(JsonView reason) {
    return reason.isString() ? reason.text() : reason["type"].text();
}

} // namespace

void SglangGenerate::readMessage(JsonView message, MessageContent& out) {
    out.error = errorIn(message);
    const auto choice = choiceIndex(message, 0);
    if (!choice || (!message["text"].isString() && !message["meta_info"].isObject()))
        return;
    out.choices.push_back(*choice);
    out.add(Channel::answer, *choice, message["text"].text());
    readMeta(message["meta_info"], *choice, out);
}

void SglangGenerate::readMeta(JsonView meta, std::uint16_t choice, MessageContent& out) {
    UsageReport usage;
    usage.prompt = meta["prompt_tokens"].count();
    usage.cached = meta["cached_tokens"].count();
    usage.reasoning = meta["reasoning_tokens"].count();
    if (const auto completion = meta["completion_tokens"].count()) {
        usage.completion = m_completion.take(choice, *completion);
        out.hints.runningUsage = usage.completion;
    }
    if (usage.prompt || usage.completion || usage.cached || usage.reasoning)
        out.usage = usage;

    const JsonView reason = meta["finish_reason"];
    const std::string_view finish = finishOf(reason);
    if (finish.empty())
        return;
    out.finishes.push_back({choice, wtf8ToUtf8(finish)});
    // A request that was given up ends the stream like any other, and says so here alone.
    if (finish == "abort" && !out.error && !reason["message"].text().empty()) {
        out.error = errorFrom(reason);
        if (const JsonView status = reason["status_code"]; status.number()) {
            out.error->code = status.source();
            out.error->codeIsNumber = true;
        }
    }
}

bool SglangGenerate::readWholeAnswer(JsonView answer, MessageContent& out) {
    readMessage(answer, out);
    return answer["text"].isString();
}

} // namespace decodescope
