#include "engine/chat/families.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>

namespace decodescope::engine {

namespace {

/// At least three words.
bool isSentence(std::string_view text) {
    const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    int gaps = 0;
    for (std::size_t at = 1; at + 1 < text.size(); ++at) {
        gaps += text[at] == ' ' && isLetter(text[at - 1]) && isLetter(text[at + 1]) ? 1 : 0;
    }
    return gaps >= 2;
}

} // namespace

PromptWriter& PromptWriter::add(std::string_view text, SpecialText special) {
    if (text.empty()) {
        return *this;
    }
    if (m_parts.empty() || m_parts.back().special != special) {
        m_parts.push_back({{}, special});
    }
    m_parts.back().text += text;
    return *this;
}

Marks::Marks(const Tokenizer& tokenizer) {
    const auto spelling = [&](std::optional<TokenId> id) {
        return std::string(id ? tokenizer.bytesOf(*id, true) : std::string_view{});
    };
    bos = spelling(tokenizer.bos());
    eos = spelling(tokenizer.eos());
}

std::string unknownSentence(const TemplateText& text, std::initializer_list<std::string_view> known) {
    for (const TemplateLiteral& literal : text.literals) {
        const bool isKnown = std::ranges::any_of(known, [&](std::string_view part) {
            return !part.empty() && literal.text.find(part) != std::string::npos;
        });
        if (!literal.raised && !isKnown && isSentence(literal.text) && !literal.forTools) {
            return visible(stripped(literal.text), 60);
        }
    }
    return {};
}

tl::unexpected<Error> refuseTemplate(std::string_view family, std::string_view reason) {
    return fail(ErrorCode::unsupported, fmt::format("The chat template is a form of {} that is not built in: {}. "
                                                    "/v1/completions takes prompts as they are.",
                                                    family, reason));
}

Result<void> checkRoles(const std::vector<ChatMessage>& messages, std::string_view family) {
    if (messages.empty()) {
        return fail(ErrorCode::usage, "There are no messages.");
    }
    for (const ChatMessage& message : messages) {
        if (message.role != "system" && message.role != "user" && message.role != "assistant") {
            return fail(ErrorCode::usage, fmt::format("The role \"{}\" is not one of system, user and assistant, which "
                                                      "are those of {}.",
                                                      visible(message.role, 40), family));
        }
    }
    return {};
}

Result<void> checkTurns(const std::vector<ChatMessage>& messages, std::size_t first, std::string_view family) {
    for (std::size_t at = first; at < messages.size(); ++at) {
        const bool userIsNext = (at - first) % 2 == 0;
        if ((messages[at].role == "user") != userIsNext || messages[at].role == "system") {
            return fail(ErrorCode::usage, fmt::format("The template of {} wants user and assistant in turn, the user "
                                                      "first; message {} is of the role {}.",
                                                      family, at + 1, messages[at].role));
        }
    }
    return {};
}

std::string today(const char* format) {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    std::array<char, 40> text{};
    localtime_r(&now, &local);
    return {text.data(), std::strftime(text.data(), text.size(), format, &local)};
}

} // namespace decodescope::engine
