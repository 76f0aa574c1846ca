#pragma once

#include "core/wire/dialect.h"
#include "core/wire/tool_calls.h"

namespace decodescope {

/// Ollama's own `/api/chat` (`message.content`) and `/api/generate` (`response`): a JSON object a line, the last with
/// `done: true`, the counts and the server's durations.
class Ollama final : public Dialect {
public:
    void readMessage(JsonView message, MessageContent& out) override;
    [[nodiscard]] bool readWholeAnswer(JsonView answer, MessageContent& out) override;
    [[nodiscard]] MessageFraming framing() const override { return MessageFraming::lines; }

private:
    ToolCalls m_calls;
};

} // namespace decodescope
