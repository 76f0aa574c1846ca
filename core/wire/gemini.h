#pragma once

#include "core/wire/dialect.h"
#include "core/wire/tool_calls.h"

#include <cstdint>
#include <optional>

namespace decodescope {

/// Google's `streamGenerateContent`, as server-sent events (`alt=sse`). Ends with the bytes after a finish reason.
class Gemini : public Dialect {
public:
    void readMessage(JsonView message, MessageContent& out) override;
    [[nodiscard]] bool readWholeAnswer(JsonView answer, MessageContent& out) override;
    [[nodiscard]] bool mayBeArray() const override { return true; }

private:
    void readCandidate(JsonView candidate, std::uint16_t index, MessageContent& out);
    void readPart(JsonView part, std::uint16_t candidate, MessageContent& out);
    void readFunctionCall(JsonView call, std::uint16_t candidate, MessageContent& out);
    void readUsage(JsonView usage, MessageContent& out);

    ToolCalls m_calls;
    std::optional<std::uint16_t> m_unfinishedCall; // one whose arguments go on in the next part
    std::optional<std::uint64_t> m_candidateTokens, m_thoughtTokens;
};

/// The same without `alt=sse`: a JSON array whose elements are the messages.
class GeminiArray final : public Gemini {
public:
    [[nodiscard]] MessageFraming framing() const override { return MessageFraming::jsonArray; }
};

} // namespace decodescope
