#include "engine/chat/families.h"

#include <algorithm>

namespace decodescope::engine {

namespace {

constexpr std::string_view kFamily = "Llama 3";
constexpr std::string_view kCutoff = "Cutting Knowledge Date: ";
constexpr std::string_view kToday = "Today Date: ";

struct Llama3Form {
    std::string bos;
    std::string preamble; ///< opens the system message of 3.1 and later up to the date; empty for 3.0
    std::string date;     ///< a fixed date, or empty: the day of the request
    bool trims = true;
};

class Llama3 final : public ChatTemplate {
public:
    explicit Llama3(Llama3Form form)
        : m_form(std::move(form)) {}

    [[nodiscard]] std::string_view family() const override { return kFamily; }
    [[nodiscard]] bool hasThinkingSwitch() const override { return false; }
    [[nodiscard]] Result<std::vector<PromptPart>> render(const std::vector<ChatMessage>& messages,
                                                         const ChatOptions&) const override {
        if (auto checked = checkRoles(messages, kFamily); !checked) {
            return tl::unexpected<Error>(std::move(checked.error()));
        }
        PromptWriter prompt;
        prompt.mark(m_form.bos);
        std::size_t first = 0;
        if (!m_form.preamble.empty()) {
            header(prompt, "system").mark(m_form.preamble);
            prompt.mark(m_form.date.empty() ? today("%d %b %Y") : m_form.date).mark("\n\n");
            if (messages.front().role == "system") {
                prompt.said(textOf(messages.front()));
                first = 1;
            }
            prompt.mark("<|eot_id|>");
        }
        for (std::size_t at = first; at < messages.size(); ++at) {
            header(prompt, messages[at].role).said(textOf(messages[at])).mark("<|eot_id|>");
        }
        header(prompt, "assistant");
        return prompt.take();
    }

private:
    static PromptWriter& header(PromptWriter& prompt, std::string_view role) {
        return prompt.mark("<|start_header_id|>").mark(role).mark("<|end_header_id|>\n\n");
    }
    [[nodiscard]] std::string_view textOf(const ChatMessage& message) const {
        return m_form.trims ? stripped(message.content) : std::string_view(message.content);
    }

    Llama3Form m_form;
};

/// The literal that starts so, or empty.
std::string literalOf(const TemplateText& text, std::string_view start) {
    const auto found = std::ranges::find_if(
        text.literals, [&](const TemplateLiteral& literal) { return literal.text.starts_with(start); });
    return found == text.literals.end() ? std::string{} : found->text;
}

} // namespace

MadeTemplate makeLlama3(const TemplateText& text, const Tokenizer& tokenizer) {
    Llama3Form form;
    form.trims = text.mentions("trim");
    if (text.mentions("bos_token")) {
        form.bos = Marks(tokenizer).bos;
    }
    if (text.mentions(kCutoff)) {
        const std::string cutoff = literalOf(text, kCutoff);
        if (cutoff.empty() || literalOf(text, kToday) != kToday) {
            return refuseTemplate(kFamily, "its system message tells the date in another way");
        }
        form.preamble = cutoff + std::string(kToday);
        if (!text.mentions("strftime_now")) {
            const TemplateTerms* date = text.assigned("date_string");
            if (date == nullptr || date->size() != 1 || date->front().kind != TemplateTerm::Kind::literal) {
                return refuseTemplate(kFamily, "its system message tells the date in another way");
            }
            form.date = date->front().text;
        }
    }
    const std::string sentence = unknownSentence(text, {kCutoff, kToday});
    if (!sentence.empty()) {
        return refuseTemplate(kFamily, "it adds \"" + sentence + "\"");
    }
    return std::make_unique<Llama3>(std::move(form));
}

} // namespace decodescope::engine
