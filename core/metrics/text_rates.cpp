#include "core/metrics/text_rates.h"

#include "core/base/utf8.h"

namespace decodescope {
namespace {

bool isWordCharacter(std::string_view codePoint) {
    return countWords(codePoint) == 1;
}

std::string_view firstCodePoint(std::string_view text) {
    std::size_t n = 1;
    while (n < text.size() && (static_cast<unsigned char>(text[n]) & 0xC0) == 0x80)
        ++n;
    return text.substr(0, n);
}

std::string_view lastCodePoint(std::string_view text) {
    std::size_t begin = text.size() - 1;
    while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80)
        --begin;
    return text.substr(begin);
}

} // namespace

std::uint64_t WordCounter::add(std::string_view piece) {
    if (piece.empty())
        return 0;
    const bool goesOn = m_inWord && isWordCharacter(firstCodePoint(piece));
    m_inWord = isWordCharacter(lastCodePoint(piece));
    return countWords(piece) - (goesOn ? 1 : 0);
}

std::string answerTextOf(const RunRecord& record, const TokenEvent& event) {
    if (!event.answers())
        return {};
    const std::string_view all = record.textOf(event);
    if (!event.has(Channel::reasoning))
        return std::string(all);
    std::string text;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (record.channelAt(event.textBegin + static_cast<std::uint32_t>(i)) != Channel::reasoning)
            text += all[i];
    return text;
}

void AnswerText::add(const RunRecord& record, const TokenEvent& event) {
    if (!event.answers())
        return;
    const std::string text = answerTextOf(record, event);
    const std::uint64_t words = m_counter.add(text);
    m_last = event.at;
    if (!m_first) {
        m_first = event.at;
        m_firstRead = event.read;
    }
    if (event.read == m_firstRead)
        return;
    m_chars += countCodePoints(text);
    m_words += words;
}

std::optional<double> AnswerText::rate(std::uint64_t count) const {
    if (!m_first || *m_last <= *m_first || count == 0)
        return std::nullopt;
    return static_cast<double>(count) / toSeconds(*m_last - *m_first);
}

} // namespace decodescope
