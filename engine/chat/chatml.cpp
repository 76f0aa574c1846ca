#include "engine/chat/families.h"

#include <algorithm>

namespace decodescope::engine {

namespace {

constexpr std::string_view kStart = "<|im_start|>";
constexpr std::string_view kEnd = "<|im_end|>\n";
constexpr std::string_view kNoThoughts = "<think>\n\n</think>\n\n";

/// What Qwen 3's templates do with thoughts.
enum class Thinking : std::uint8_t {
    none,      ///< plain ChatML
    tolerated, ///< thoughts are cut out of earlier answers, none are asked for
    optional,  ///< as above, and a switch closes the thoughts before they begin
    always     ///< the answer begins within thoughts
};

struct ChatmlForm {
    std::string bos;           ///< written before all, or empty
    std::string defaultSystem; ///< used when the first message is no system message
    bool trims = false;
    Thinking thinking = Thinking::none;
};

/// An assistant message as Qwen 3 writes it: what it thought, and what it said.
struct Thought {
    std::string_view thinking, said;
};

Thought splitThought(std::string_view content) {
    constexpr std::string_view kOpen = "<think>";
    constexpr std::string_view kClose = "</think>";
    const std::size_t first = content.find(kClose);
    if (first == std::string_view::npos) {
        return {{}, content};
    }
    std::string_view thinking = strippedRight(content.substr(0, first), '\n');
    if (const std::size_t open = thinking.rfind(kOpen); open != std::string_view::npos) {
        thinking.remove_prefix(open + kOpen.size());
    }
    return {strippedLeft(thinking, '\n'), strippedLeft(content.substr(content.rfind(kClose) + kClose.size()), '\n')};
}

bool isToolResponse(std::string_view content) {
    return content.starts_with("<tool_response>") && content.ends_with("</tool_response>");
}

class Chatml final : public ChatTemplate {
public:
    explicit Chatml(ChatmlForm form)
        : m_form(std::move(form)) {}

    [[nodiscard]] std::string_view family() const override {
        return m_form.thinking == Thinking::none ? "ChatML" : "Qwen 3";
    }
    [[nodiscard]] bool hasThinkingSwitch() const override { return m_form.thinking == Thinking::optional; }
    [[nodiscard]] Result<std::vector<PromptPart>> render(const std::vector<ChatMessage>& messages,
                                                         const ChatOptions& options) const override;

private:
    void writeAnswer(PromptWriter& prompt, const ChatMessage& message, bool afterLastQuestion, bool last) const;

    ChatmlForm m_form;
};

Result<std::vector<PromptPart>> Chatml::render(const std::vector<ChatMessage>& messages,
                                               const ChatOptions& options) const {
    if (auto checked = checkRoles(messages, family()); !checked) {
        return tl::unexpected<Error>(std::move(checked.error()));
    }
    PromptWriter prompt;
    prompt.mark(m_form.bos);
    if (messages.front().role != "system" && !m_form.defaultSystem.empty()) {
        prompt.mark(kStart).mark("system\n").mark(m_form.defaultSystem).mark(kEnd);
    }
    std::size_t lastQuestion = messages.size() - 1;
    for (std::size_t at = messages.size(); at-- > 0;) {
        if (messages[at].role == "user" && !isToolResponse(messages[at].content)) {
            lastQuestion = at;
            break;
        }
    }
    for (std::size_t at = 0; at < messages.size(); ++at) {
        const ChatMessage& message = messages[at];
        if (message.role == "assistant" && m_form.thinking != Thinking::none) {
            writeAnswer(prompt, message, at > lastQuestion, at + 1 == messages.size());
            continue;
        }
        prompt.mark(kStart).mark(message.role).mark("\n");
        prompt.said(m_form.trims ? stripped(message.content) : std::string_view(message.content)).mark(kEnd);
    }
    prompt.mark(kStart).mark("assistant\n");
    if (m_form.thinking == Thinking::always) {
        prompt.mark("<think>\n");
    } else if (m_form.thinking == Thinking::optional && options.thinking == false) {
        prompt.mark(kNoThoughts);
    }
    return prompt.take();
}

/// Thoughts are kept only in answers to the last question.
void Chatml::writeAnswer(PromptWriter& prompt, const ChatMessage& message, bool afterLastQuestion, bool last) const {
    const Thought thought = splitThought(message.content);
    prompt.mark(kStart).mark("assistant\n");
    if (afterLastQuestion && (last || !thought.thinking.empty())) {
        const auto thinking = strippedLeft(strippedRight(thought.thinking, '\n'), '\n');
        prompt.mark("<think>\n").said(thinking).mark("\n</think>\n\n").said(strippedLeft(thought.said, '\n'));
    } else {
        prompt.said(thought.said);
    }
    prompt.mark(kEnd);
}

/// The system message that the template writes when there is none: all of it within one literal.
std::string defaultSystemOf(const TemplateText& text) {
    constexpr std::string_view kOpening = "<|im_start|>system\n";
    for (const TemplateLiteral& literal : text.literals) {
        const std::size_t open = literal.text.find(kOpening);
        if (open == std::string::npos) {
            continue;
        }
        const std::string_view rest = std::string_view(literal.text).substr(open + kOpening.size());
        if (const std::size_t end = rest.find("<|im_end|>"); end != std::string_view::npos) {
            return std::string(rest.substr(0, end));
        }
    }
    return {};
}

Result<Thinking> thinkingOf(const TemplateText& text) {
    if (!text.mentions("think")) {
        return Thinking::none;
    }
    if (!text.mentions("last_query_index")) {
        return refuseTemplate("ChatML", "it treats thoughts in a way of its own");
    }
    // What is written by itself stands at the end of the prompt: the same texts lead earlier thoughts too.
    std::vector<std::string_view> alone;
    for (const TemplateTerms& output : text.outputs) {
        const TemplateTerm& only = output.front();
        if (output.size() == 1 && only.kind == TemplateTerm::Kind::literal &&
            only.text.find("think") != std::string::npos) {
            alone.push_back(only.text);
        }
    }
    if (text.mentions("trim") || text.mentions(".strip()")) {
        return refuseTemplate("Qwen 3", "it removes blanks from messages");
    }
    if (alone.empty()) {
        return Thinking::tolerated;
    }
    if (alone.size() == 1 && alone[0] == kNoThoughts && text.mentions("enable_thinking")) {
        return Thinking::optional;
    }
    if (alone.size() == 1 && alone[0] == "<|im_start|>assistant\n<think>\n" && !text.mentions("enable_thinking")) {
        return Thinking::always;
    }
    return refuseTemplate("Qwen 3", "its thinking switch is another one");
}

} // namespace

MadeTemplate makeChatml(const TemplateText& text, const Tokenizer& tokenizer) {
    const auto thinking = thinkingOf(text);
    if (!thinking) {
        return tl::unexpected<Error>(thinking.error());
    }
    ChatmlForm form;
    form.thinking = *thinking;
    form.defaultSystem = defaultSystemOf(text);
    if (text.trimming() == TemplateText::Trimming::sometimes) {
        return refuseTemplate("ChatML", "it removes blanks from some messages only");
    }
    form.trims = text.trimming() == TemplateText::Trimming::always;
    if (text.writes(TemplateTerm::Kind::bos)) {
        form.bos = Marks(tokenizer).bos;
    }
    if (const std::string sentence = unknownSentence(text, {form.defaultSystem}); !sentence.empty()) {
        return refuseTemplate("ChatML", "it adds \"" + sentence + "\"");
    }
    return std::make_unique<Chatml>(std::move(form));
}

} // namespace decodescope::engine
