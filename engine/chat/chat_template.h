#pragma once

#include "engine/base/error.h"
#include "engine/tokenizer/tokenizer.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace decodescope::engine {

struct ChatMessage {
    std::string role; ///< "system", "user", "assistant"; others are refused by the family's name
    std::string content;
};

struct ChatOptions {
    std::optional<bool> thinking; ///< the template's thinking switch, where it has one; nullopt: its default
};

/// The chat families that are built in, recognised from the template text of the file. Rendering marks what a user
/// wrote, so that control tokens inside it stay text.
class ChatTemplate {
public:
    virtual ~ChatTemplate() = default;
    /// ErrorCode::unsupported with the reason when the template is of no family we have, or absent (empty text).
    [[nodiscard]] static Result<std::unique_ptr<ChatTemplate>> recognise(std::string_view templateText,
                                                                         const Tokenizer& tokenizer);
    [[nodiscard]] virtual std::string_view family() const = 0; ///< "ChatML", "Llama 3", "Qwen 3", ...
    [[nodiscard]] virtual bool hasThinkingSwitch() const = 0;
    /// The prompt with the assistant's turn opened. ErrorCode::usage for an order of roles that the family refuses.
    [[nodiscard]] virtual Result<std::vector<PromptPart>> render(const std::vector<ChatMessage>& messages,
                                                                 const ChatOptions& options) const = 0;
};

} // namespace decodescope::engine
