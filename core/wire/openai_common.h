#pragma once

#include "core/wire/dialect.h"
#include "core/wire/tool_calls.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

/// What the chat and the completions API of OpenAI, and the many servers that speak like them, have in common.
namespace decodescope {

/// Gives each tool call of a response its number.
class ToolCallTable {
public:
    /// Reads one entry of `tool_calls` (or a legacy `function_call`, whose entry is the function itself).
    void read(JsonView entry, JsonView function, std::uint16_t choice, MessageContent& out);
    /// An entry of a whole answer: always a call of its own.
    void readWhole(JsonView entry, JsonView function, std::uint16_t choice, MessageContent& out);
    /// What an entry calls: a function with arguments, or a custom tool that takes text.
    [[nodiscard]] static JsonView functionOf(JsonView entry);

private:
    std::optional<std::uint16_t> find(JsonView entry, JsonView function, std::uint16_t choice) const;
    std::optional<std::uint16_t> open(JsonView entry, std::uint16_t choice, MessageContent& out);

    ToolCalls m_calls;
    std::vector<std::optional<std::uint64_t>> m_indices; // of each call
};

/// The choice's own index, else its place in the list. Nothing for an index that no server means.
[[nodiscard]] std::optional<std::uint16_t> choiceIndex(JsonView choice, std::size_t place);

/// The totals of a `usage` object, each under the names that servers give it, and the server's times in it (Groq).
void readUsage(JsonView usage, MessageContent& out);

/// llama.cpp's `timings`: its clock, and its running counter of tokens.
void readTimings(JsonView timings, MessageContent& out);

/// Everything beside the choices: error, usage, timings, identity, prompt progress.
void readEnvelope(JsonView message, MessageContent& out);

/// Everything of a choice but its text: finish reason, log probabilities, token ids, usage, error.
void readChoiceMarks(JsonView choice, std::uint16_t index, MessageContent& out);

/// The text of a value that is a string, a list of parts, or an object with one.
void addText(JsonView value, Channel channel, std::uint16_t choice, MessageContent& out);

/// The members of a delta (or of a whole message) that hold text: the answer under `answerKey`, reasoning under all its
/// names (equal texts once), refusal, audio transcript.
void addDeltaText(JsonView delta, std::string_view answerKey, std::uint16_t choice, MessageContent& out);

} // namespace decodescope
