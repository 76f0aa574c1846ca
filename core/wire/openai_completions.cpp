#include "core/wire/openai_completions.h"

namespace decodescope {

void OpenAiCompletions::readMessage(JsonView message, MessageContent& out) {
    readEnvelope(message, out);
    std::size_t place = 0;
    for (const JsonView choice : message["choices"]) {
        const auto index = choiceIndex(choice, place++);
        if (!index || !choice.isObject())
            continue;
        readChoiceMarks(choice, *index, out);
        addDeltaText(choice, "text", *index, out);
    }
}

// A streamed piece and a whole answer have the same shape.
bool OpenAiCompletions::readWholeAnswer(JsonView answer, MessageContent& out) {
    readMessage(answer, out);
    return answer["choices"].isArray() && !out.choices.empty();
}

} // namespace decodescope
