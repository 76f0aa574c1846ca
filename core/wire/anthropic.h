#pragma once

#include "core/wire/dialect.h"
#include "core/wire/tool_calls.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

namespace decodescope {

/// `/v1/messages` of Anthropic and the servers that speak like it, told apart by the JSON `type`; and the older text
/// completions, whose events may repeat all the text so far.
class Anthropic final : public Dialect {
public:
    void readMessage(JsonView message, MessageContent& out) override;
    [[nodiscard]] bool readWholeAnswer(JsonView answer, MessageContent& out) override;
    /// Known after the first message.
    [[nodiscard]] TextForm textForm() const override;

private:
    struct Block {
        Channel channel = Channel::answer;
        std::optional<std::uint16_t> call;
        bool whole = false;  ///< a call whose arguments came when it was opened
        bool silent = false; ///< thinking of which nothing was shown yet
    };
    /// What is counted as `output_tokens`: the total, or what happens to be out when the message starts.
    enum class OutputCount { total, preliminary };

    void openBlock(std::uint64_t index, JsonView content, MessageContent& out);
    void readDelta(std::uint64_t index, JsonView delta, MessageContent& out);
    void closeBlock(std::uint64_t index, MessageContent& out);
    void readUsage(JsonView usage, OutputCount output, MessageContent& out);
    void readInvocation(JsonView metrics, MessageContent& out) const;
    void readCompletion(JsonView message, MessageContent& out);
    Block* block(std::uint64_t index);

    ToolCalls m_calls;
    std::map<std::uint64_t, Block> m_blocks;
    std::optional<std::uint64_t> m_input, m_cacheReads, m_cacheWrites;
    bool m_outputTold = false;
    bool m_textCompletion = false;
};

} // namespace decodescope
