#include "core/wire/tgi.h"

#include "core/wire/server_error.h"
#include "core/wire/surrogates.h"

namespace decodescope {
namespace {

void readDetails(JsonView details, MessageContent& out) {
    UsageReport usage;
    usage.completion = details["generated_tokens"].count();
    usage.prompt = details["input_length"].count();
    if (const std::size_t prompt = details["prefill"].size(); !usage.prompt && prompt > 0)
        usage.prompt = prompt;
    if (usage.prompt || usage.completion)
        out.usage = usage;
    if (const std::string_view reason = details["finish_reason"].text(); !reason.empty())
        out.finishes.push_back({0, wtf8ToUtf8(reason)});
}

void readToken(JsonView message, MessageContent& out) {
    if (!out.error)
        out.error = errorIn(message);
    if (const JsonView token = message["token"]; token.isObject()) {
        out.hints.ids = out.hints.ids.value_or(0) + 1;
        // The end token has a text, "</s>" or the like, that nobody is meant to see.
        if (!token["special"].truthy())
            out.add(Channel::answer, 0, token["text"].text());
    }
    // All the text once more: the sign that this was the last token.
    out.ended = out.ended || message["generated_text"].isString();
    readDetails(message["details"], out);
}

} // namespace

void Tgi::readMessage(JsonView message, MessageContent& out) {
    if (!message.isArray()) {
        readToken(message, out);
        return;
    }
    for (const JsonView element : message)
        readToken(element, out);
}

bool Tgi::readWholeAnswer(JsonView answer, MessageContent& out) {
    const JsonView text = answer["generated_text"];
    out.error = errorIn(answer);
    out.add(Channel::answer, 0, text.text());
    readDetails(answer["details"], out);
    return text.isString();
}

} // namespace decodescope
