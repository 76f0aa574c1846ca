#pragma once

#include "core/wire/dialect.h"
#include "core/wire/openai_chat.h"

namespace decodescope {

/// Azure's chat completions: chat with a content filter beside it, whose verdicts on the prompt come before the answer,
/// without choices, and whose annotations come between its pieces, without delta. Both are signs of work, no text.
class AzureChat final : public Dialect {
public:
    void readMessage(JsonView message, MessageContent& out) override;
    [[nodiscard]] bool readWholeAnswer(JsonView answer, MessageContent& out) override {
        return m_chat.readWholeAnswer(answer, out);
    }
    [[nodiscard]] bool endsWithDone() const override { return m_chat.endsWithDone(); }

private:
    OpenAiChat m_chat;
};

} // namespace decodescope
