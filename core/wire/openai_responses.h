#pragma once

#include "core/wire/dialect.h"
#include "core/wire/tool_calls.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace decodescope {

/// `/v1/responses` of OpenAI, and of the servers that speak like it: typed events, told apart by their JSON `type`.
/// What the events that end in `.done` repeat is not read.
class OpenAiResponses final : public Dialect {
public:
    void readMessage(JsonView message, MessageContent& out) override;
    [[nodiscard]] bool readWholeAnswer(JsonView answer, MessageContent& out) override;

private:
    /// Where a call's arguments come from: events name the item, or its place in the output, or both.
    struct Item {
        std::string id;
        std::optional<std::uint64_t> place;
        std::optional<std::uint16_t> call; ///< nothing where the table of calls was full
    };

    void checkSequence(JsonView number, MessageContent& out);
    void readDelta(std::string_view type, JsonView message, MessageContent& out);
    void openItem(JsonView item, JsonView place, MessageContent& out);
    std::optional<std::uint16_t> callOf(JsonView message, MessageContent& out);
    void readEnd(std::string_view type, JsonView response, MessageContent& out);
    void readFinish(JsonView response, std::string_view otherwise, MessageContent& out) const;
    void readOutput(JsonView output, MessageContent& out);
    void readItem(JsonView item, MessageContent& out);

    ToolCalls m_calls;
    std::vector<Item> m_items;
    std::optional<std::uint64_t> m_sequence;
    bool m_anyText = false;
    bool m_summary = false;     // of the reasoning
    bool m_fullThought = false; // the reasoning itself
};

} // namespace decodescope
