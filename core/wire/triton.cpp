#include "core/wire/triton.h"

#include "core/wire/server_error.h"
#include "core/wire/surrogates.h"

namespace decodescope {
namespace {

constexpr std::uint16_t kMostChoices = 1024;

} // namespace

void Triton::readMessage(JsonView message, MessageContent& out) {
    out.error = errorIn(message);
    const JsonView text = message["text_output"];
    if (text.isString()) {
        out.add(Channel::answer, 0, text.text());
    } else {
        std::uint16_t choice = 0;
        for (const JsonView one : text) {
            if (choice == kMostChoices)
                break;
            out.choices.push_back(choice);
            out.add(Channel::answer, choice++, one.text());
        }
    }
    // The vLLM backend tells one where it is asked to.
    if (const std::string_view reason = message["finish_reason"].text(); !reason.empty())
        out.finishes.push_back({0, wtf8ToUtf8(reason)});
}

bool Triton::readWholeAnswer(JsonView answer, MessageContent& out) {
    readMessage(answer, out);
    return answer["text_output"].isString() || answer["text_output"].isArray();
}

} // namespace decodescope
