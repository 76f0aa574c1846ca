#pragma once

#include "core/wire/dialect.h"
#include "core/wire/tool_calls.h"

#include <cstdint>
#include <map>
#include <optional>

namespace decodescope {

/// Cohere's `/v2/chat`: typed events, told apart by their JSON `type`.
class Cohere final : public Dialect {
public:
    void readMessage(JsonView message, MessageContent& out) override;
    [[nodiscard]] bool readWholeAnswer(JsonView answer, MessageContent& out) override;

private:
    void readContent(JsonView content, Channel otherwise, MessageContent& out);
    void openCall(std::uint64_t index, JsonView call, MessageContent& out);
    void readArguments(std::uint64_t index, JsonView call, MessageContent& out);

    ToolCalls m_calls;
    std::map<std::uint64_t, std::uint16_t> m_callAt; ///< by the index of events
    std::map<std::uint64_t, Channel> m_contentAt;
};

} // namespace decodescope
