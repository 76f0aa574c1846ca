#include "engine/chat/families.h"

namespace decodescope::engine {

namespace {

constexpr std::string_view kFamily = "Gemma";

/// Gemma 2 refuses a system message, Gemma 3 writes it before the first user's text.
enum class SystemMessage : std::uint8_t { refused, beforeFirstUser };

class Gemma final : public ChatTemplate {
public:
    Gemma(std::string bos, SystemMessage system)
        : m_bos(std::move(bos))
        , m_system(system) {}

    [[nodiscard]] std::string_view family() const override { return kFamily; }
    [[nodiscard]] bool hasThinkingSwitch() const override { return false; }
    [[nodiscard]] Result<std::vector<PromptPart>> render(const std::vector<ChatMessage>& messages,
                                                         const ChatOptions&) const override {
        auto checked = checkRoles(messages, kFamily);
        const bool hasSystem = checked && messages.front().role == "system";
        if (hasSystem && m_system == SystemMessage::refused) {
            return fail(ErrorCode::usage, "The template of Gemma 2 knows no system message: put it into the user's.");
        }
        checked = checked.and_then([&] { return checkTurns(messages, hasSystem ? 1 : 0, kFamily); });
        if (!checked) {
            return tl::unexpected<Error>(std::move(checked.error()));
        }
        PromptWriter prompt;
        prompt.mark(m_bos);
        for (std::size_t at = hasSystem ? 1 : 0; at < messages.size(); ++at) {
            const bool isUser = messages[at].role == "user";
            prompt.mark(isUser ? "<start_of_turn>user\n" : "<start_of_turn>model\n");
            if (hasSystem && at == 1) {
                prompt.said(messages.front().content).mark("\n\n");
            }
            prompt.said(stripped(messages[at].content)).mark("<end_of_turn>\n");
        }
        prompt.mark("<start_of_turn>model\n");
        return prompt.take();
    }

private:
    std::string m_bos;
    SystemMessage m_system;
};

} // namespace

MadeTemplate makeGemma(const TemplateText& text, const Tokenizer& tokenizer) {
    if (!text.mentions("'model'") && !text.mentions("\"model\"")) {
        return refuseTemplate(kFamily, "it does not name the role \"model\"");
    }
    if (const std::string sentence = unknownSentence(text, {}); !sentence.empty()) {
        return refuseTemplate(kFamily, "it adds \"" + sentence + "\"");
    }
    const bool takesSystem = text.mentions("first_user_prefix");
    return std::make_unique<Gemma>(text.mentions("bos_token") ? Marks(tokenizer).bos : std::string{},
                                   takesSystem ? SystemMessage::beforeFirstUser : SystemMessage::refused);
}

} // namespace decodescope::engine
