#include "engine/chat/families.h"

#include <algorithm>
#include <optional>

namespace decodescope::engine {

namespace {

constexpr std::string_view kFamily = "Mistral";
using Kind = TemplateTerm::Kind;

enum class SystemPlace : std::uint8_t { refused, firstUser, lastUser, block };

/// The forms (v1, v3, v7, with and without the blanks of the older tokenizers) differ only in these.
struct MistralForm {
    std::string bos, eos;
    std::string userOpen, userClose;
    std::string answerOpen, answerClose; ///< the latter after EOS
    bool trimsAnswer = false;
    SystemPlace place = SystemPlace::refused;
    std::string systemOpen, systemClose; ///< of a block
    std::string systemGap;               ///< between the system's text and the user's
    TemplateTerms defaultSystem;         ///< literals and `today`
    bool checksTurns = true;
};

class Mistral final : public ChatTemplate {
public:
    explicit Mistral(MistralForm form)
        : m_form(std::move(form)) {}

    [[nodiscard]] std::string_view family() const override { return kFamily; }
    [[nodiscard]] bool hasThinkingSwitch() const override { return false; }
    [[nodiscard]] Result<std::vector<PromptPart>> render(const std::vector<ChatMessage>& messages,
                                                         const ChatOptions&) const override;

private:
    [[nodiscard]] Result<void> check(const std::vector<ChatMessage>& messages) const;
    void writeDefaultSystem(PromptWriter& prompt) const;

    MistralForm m_form;
};

Result<void> Mistral::check(const std::vector<ChatMessage>& messages) const {
    if (auto roles = checkRoles(messages, kFamily); !roles) {
        return roles;
    }
    const bool hasSystem = messages.front().role == "system";
    if (hasSystem && m_form.place == SystemPlace::refused) {
        return fail(ErrorCode::usage,
                    "The template of this Mistral model knows no system message: put it into the user's.");
    }
    if (!m_form.checksTurns) {
        return {};
    }
    if (m_form.place != SystemPlace::block) {
        return checkTurns(messages, hasSystem ? 1 : 0, kFamily);
    }
    std::vector<ChatMessage> turns = messages; // a block of its own may stand where an answer may
    for (std::size_t at = hasSystem ? 1 : 0; at < turns.size(); ++at) {
        turns[at].role = turns[at].role == "system" ? "assistant" : turns[at].role;
    }
    return checkTurns(turns, hasSystem ? 1 : 0, kFamily);
}

Result<std::vector<PromptPart>> Mistral::render(const std::vector<ChatMessage>& messages, const ChatOptions&) const {
    if (auto checked = check(messages); !checked) {
        return tl::unexpected<Error>(std::move(checked.error()));
    }
    const bool hasSystem = messages.front().role == "system";
    PromptWriter prompt;
    prompt.mark(m_form.bos);
    if (!hasSystem) {
        writeDefaultSystem(prompt);
    }
    for (std::size_t at = 0; at < messages.size(); ++at) {
        const ChatMessage& message = messages[at];
        if (message.role == "system") {
            if (m_form.place == SystemPlace::block) {
                prompt.mark(m_form.systemOpen).said(message.content).mark(m_form.systemClose);
            }
            continue;
        }
        if (message.role == "assistant") {
            prompt.mark(m_form.answerOpen);
            prompt.said(m_form.trimsAnswer ? stripped(message.content) : std::string_view(message.content));
            prompt.mark(m_form.eos).mark(m_form.answerClose);
            continue;
        }
        prompt.mark(m_form.userOpen);
        const bool systemHere = (m_form.place == SystemPlace::firstUser && at == 1) ||
                                (m_form.place == SystemPlace::lastUser && at + 1 == messages.size());
        if (hasSystem && systemHere) {
            prompt.said(messages.front().content).mark(m_form.systemGap);
        }
        prompt.said(message.content).mark(m_form.userClose);
    }
    return prompt.take();
}

void Mistral::writeDefaultSystem(PromptWriter& prompt) const {
    if (m_form.defaultSystem.empty()) {
        return;
    }
    prompt.mark(m_form.systemOpen);
    for (const TemplateTerm& term : m_form.defaultSystem) {
        prompt.mark(term.kind == Kind::literal ? term.text : today("%Y-%m-%d"));
    }
    prompt.mark(m_form.systemClose);
}

/// Keeps one value, and notices a second one.
class Single {
public:
    void see(const std::string& value) {
        m_contradicted = m_contradicted || (m_value && *m_value != value);
        m_value = value;
    }
    [[nodiscard]] bool known() const { return m_value && !m_contradicted; }
    [[nodiscard]] bool contradicted() const { return m_contradicted; }
    [[nodiscard]] std::string value() const { return m_value.value_or(""); }

private:
    std::optional<std::string> m_value;
    bool m_contradicted = false;
};

bool holds(const TemplateTerm& term, std::string_view mark) {
    return term.kind == Kind::literal && term.text.find(mark) != std::string::npos;
}

/// The literals around a user's text: in one output with it, or outputs of their own.
bool readUser(const TemplateText& text, MistralForm& form) {
    Single open, close, gap;
    for (const TemplateTerms& output : text.outputs) {
        for (const TemplateTerm& term : output) {
            if (holds(term, "[INST]")) {
                open.see(term.text);
            }
            if (holds(term, "[/INST]")) {
                close.see(term.text);
            }
        }
        const auto system = std::ranges::find(output, Kind::system, &TemplateTerm::kind);
        if (holds(output.front(), "[INST]") && output.end() - system >= 2 && (system + 1)->kind == Kind::literal) {
            gap.see((system + 1)->text);
        }
    }
    form.userOpen = open.value();
    form.userClose = close.value();
    form.systemGap = gap.value();
    if (gap.known()) {
        form.place = text.mentions("loop.last and system") ? SystemPlace::lastUser : SystemPlace::firstUser;
    }
    return open.known() && close.known() && !gap.contradicted();
}

/// What stands before an answer and after its EOS.
bool readAnswer(const TemplateText& text, MistralForm& form) {
    Single open, close, trims;
    for (const TemplateTerms& output : text.outputs) {
        const auto content = std::ranges::find(output, Kind::content, &TemplateTerm::kind);
        const auto eos = std::find_if(content, output.end(), [](const auto& term) { return term.kind == Kind::eos; });
        if (eos == output.end()) {
            continue;
        }
        std::string before, after;
        for (auto term = output.begin(); term != output.end(); ++term) {
            if (term->kind == Kind::literal) {
                (term < content ? before : after) += term->text;
            }
        }
        open.see(before);
        close.see(after);
        trims.see(content->trimmed ? "yes" : "");
    }
    form.answerOpen = open.value();
    form.answerClose = close.value();
    form.trimsAnswer = !trims.value().empty();
    return !open.contradicted() && !close.contradicted() && !trims.contradicted();
}

/// The block of later forms, and what stands in it by default.
bool readSystemBlock(const TemplateText& text, MistralForm& form) {
    Single open, close;
    for (const TemplateTerms& output : text.outputs) {
        if (holds(output.front(), "[SYSTEM_PROMPT]") && holds(output.back(), "[/SYSTEM_PROMPT]") &&
            output.size() == 3) {
            open.see(output.front().text);
            close.see(output.back().text);
        }
    }
    if (!open.known() || !close.known()) {
        return false;
    }
    form.place = SystemPlace::block;
    form.systemOpen = open.value();
    form.systemClose = close.value();
    if (const TemplateTerms* fallback = text.assigned("default_system_message")) {
        const TemplateTerms* date = text.assigned("today");
        const bool knowsToday = date != nullptr && text.mentions("today = strftime_now(\"%Y-%m-%d\")");
        for (const TemplateTerm& term : *fallback) {
            if (term.kind != Kind::literal && !(term.text == "today" && knowsToday)) {
                return false;
            }
        }
        form.defaultSystem = *fallback;
    }
    return true;
}

} // namespace

MadeTemplate makeMistral(const TemplateText& text, const Tokenizer& tokenizer) {
    const Marks marks(tokenizer);
    MistralForm form;
    form.bos = text.mentions("bos_token") ? marks.bos : std::string{};
    form.eos = marks.eos;
    form.checksTurns = text.mentions("alternate");
    if (!readUser(text, form)) {
        return refuseTemplate(kFamily, "it marks the user's text in several ways");
    }
    if (!readAnswer(text, form)) {
        return refuseTemplate(kFamily, "it marks answers in several ways");
    }
    if (text.mentions("[SYSTEM_PROMPT]") && !readSystemBlock(text, form)) {
        return refuseTemplate(kFamily, "its system message is put together in a way of its own");
    }
    for (const TemplateLiteral& literal : text.literals) {
        const bool isDefault = std::ranges::any_of(form.defaultSystem,
                                                   [&](const TemplateTerm& term) { return term.text == literal.text; });
        TemplateText alone;
        alone.literals = {literal};
        if (const std::string sentence = unknownSentence(alone, {}); !isDefault && !sentence.empty()) {
            return refuseTemplate(kFamily, "it adds \"" + sentence + "\"");
        }
    }
    return std::make_unique<Mistral>(std::move(form));
}

} // namespace decodescope::engine
