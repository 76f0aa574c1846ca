#include "engine/chat/families.h"

#include <algorithm>

namespace decodescope::engine {

namespace {

constexpr std::string_view kFamily = "Llama 2";

class Llama2 final : public ChatTemplate {
public:
    explicit Llama2(Marks marks)
        : m_marks(std::move(marks)) {}

    [[nodiscard]] std::string_view family() const override { return kFamily; }
    [[nodiscard]] bool hasThinkingSwitch() const override { return false; }
    [[nodiscard]] Result<std::vector<PromptPart>> render(const std::vector<ChatMessage>& messages,
                                                         const ChatOptions&) const override {
        auto checked = checkRoles(messages, kFamily);
        const bool hasSystem = checked && messages.front().role == "system";
        checked = checked.and_then([&] { return checkTurns(messages, hasSystem ? 1 : 0, kFamily); });
        if (!checked) {
            return tl::unexpected<Error>(std::move(checked.error()));
        }
        PromptWriter prompt;
        for (std::size_t at = hasSystem ? 1 : 0; at < messages.size(); ++at) {
            const std::string_view text = messages[at].content;
            if (messages[at].role == "assistant") {
                prompt.mark(" ").said(stripped(text)).mark(" ").mark(m_marks.eos);
                continue;
            }
            prompt.mark(m_marks.bos).mark("[INST] ");
            if (hasSystem && at == 1) { // system and first text are stripped as one
                prompt.mark("<<SYS>>\n").said(messages.front().content).mark("\n<</SYS>>\n\n");
                prompt.said(strippedEnd(text));
            } else {
                prompt.said(stripped(text));
            }
            prompt.mark(" [/INST]");
        }
        return prompt.take();
    }

private:
    static std::string_view strippedEnd(std::string_view text) {
        const std::string_view inner = stripped(text);
        return inner.empty() ? inner
                             : text.substr(0, static_cast<std::size_t>(inner.data() - text.data()) + inner.size());
    }

    Marks m_marks;
};

} // namespace

MadeTemplate makeLlama2(const TemplateText& text, const Tokenizer& tokenizer) {
    for (const std::string_view wanted : {"<<SYS>>\n", "\n<</SYS>>\n\n", "[INST] ", " [/INST]"}) {
        const bool present = std::ranges::any_of(text.literals, [&](const TemplateLiteral& literal) {
            return literal.text.find(wanted) != std::string::npos;
        });
        if (!present) {
            return refuseTemplate(kFamily, "it sets the marks off in another way");
        }
    }
    if (!text.mentions("strip()") && !text.mentions("trim")) {
        return refuseTemplate(kFamily, "it keeps the blanks around messages");
    }
    if (const std::string sentence = unknownSentence(text, {}); !sentence.empty()) {
        return refuseTemplate(kFamily, "it adds \"" + sentence + "\"");
    }
    return std::make_unique<Llama2>(Marks(tokenizer));
}

} // namespace decodescope::engine
