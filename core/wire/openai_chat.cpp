#include "core/wire/openai_chat.h"

namespace decodescope {

void OpenAiChat::readMessage(JsonView message, MessageContent& out) {
    readEnvelope(message, out);
    std::size_t place = 0;
    for (const JsonView choice : message["choices"]) {
        const auto index = choiceIndex(choice, place++);
        if (!index || !choice.isObject())
            continue;
        readChoiceMarks(choice, *index, out);
        // Azure's annotations have no delta; a `message` that repeats the answer at the end is not read either.
        const JsonView delta = choice["delta"];
        addDeltaText(delta, "content", *index, out);
        for (const JsonView entry : delta["tool_calls"])
            m_tools.read(entry, ToolCallTable::functionOf(entry), *index, out);
        if (delta["function_call"].isObject())
            m_tools.read(delta["function_call"], delta["function_call"], *index, out);
    }
}

bool OpenAiChat::readWholeAnswer(JsonView answer, MessageContent& out) {
    readEnvelope(answer, out);
    std::size_t place = 0;
    for (const JsonView choice : answer["choices"]) {
        const auto index = choiceIndex(choice, place++);
        const JsonView message = choice["message"];
        if (!index || !message.isObject())
            continue;
        readChoiceMarks(choice, *index, out);
        addDeltaText(message, "content", *index, out);
        for (const JsonView entry : message["tool_calls"])
            m_tools.readWhole(entry, ToolCallTable::functionOf(entry), *index, out);
        if (message["function_call"].isObject())
            m_tools.readWhole(message["function_call"], message["function_call"], *index, out);
    }
    return answer["choices"].isArray() && !out.choices.empty();
}

} // namespace decodescope
