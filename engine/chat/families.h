#pragma once

#include "engine/chat/chat_template.h"
#include "engine/chat/template_text.h"

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// What the built-in families share, and how each is made from a template that bears its marks.
namespace decodescope::engine {

using MadeTemplate = Result<std::unique_ptr<ChatTemplate>>;

[[nodiscard]] MadeTemplate makeChatml(const TemplateText& text, const Tokenizer& tokenizer);
[[nodiscard]] MadeTemplate makeLlama3(const TemplateText& text, const Tokenizer& tokenizer);
[[nodiscard]] MadeTemplate makeGemma(const TemplateText& text, const Tokenizer& tokenizer);
[[nodiscard]] MadeTemplate makeLlama2(const TemplateText& text, const Tokenizer& tokenizer);
[[nodiscard]] MadeTemplate makeMistral(const TemplateText& text, const Tokenizer& tokenizer);

/// Builds a prompt out of template text and what people wrote.
class PromptWriter {
public:
    PromptWriter& mark(std::string_view text) { return add(text, SpecialText::parse); }
    PromptWriter& said(std::string_view text) { return add(text, SpecialText::asText); }
    [[nodiscard]] std::vector<PromptPart> take() { return std::move(m_parts); }

private:
    PromptWriter& add(std::string_view text, SpecialText special);

    std::vector<PromptPart> m_parts;
};

/// The spelling of BOS and EOS, which templates write as variables; empty where the vocabulary has none.
struct Marks {
    explicit Marks(const Tokenizer& tokenizer);
    std::string bos, eos;
};

/// Text in the template that a reader would see and that is in none of `known`: the sign of a form that we would get
/// wrong. Messages of exceptions and what is written only with tools are left aside. Empty: there is none.
[[nodiscard]] std::string unknownSentence(const TemplateText& text, std::initializer_list<std::string_view> known);

[[nodiscard]] tl::unexpected<Error> refuseTemplate(std::string_view family, std::string_view reason);

/// Only the three roles, and not no messages at all.
[[nodiscard]] Result<void> checkRoles(const std::vector<ChatMessage>& messages, std::string_view family);

/// User and assistant in turn from `first` on.
[[nodiscard]] Result<void> checkTurns(const std::vector<ChatMessage>& messages, std::size_t first,
                                      std::string_view family);

/// Today as `26 Jul 2024` (templates of Llama 3.2) or `2024-07-26`.
[[nodiscard]] std::string today(const char* format);

} // namespace decodescope::engine
