#include "core/wire/cumulative_text.h"

#include "core/wire/surrogates.h"

namespace decodescope {
namespace {

// A delta that happens to begin with all the text so far is possible only while that text is short.
constexpr std::size_t kGuardFromBytes = 24;
constexpr std::size_t kGuardFromPieces = 3;
constexpr std::size_t kGuardUpToBytes = 64U << 10;
constexpr std::size_t kHalfBytes = 3;

} // namespace

CumulativeText::News CumulativeText::take(std::string_view text) {
    if (m_mode == Mode::guard) {
        if (m_seen.size() > kGuardUpToBytes)
            return {text, false};
        const bool repeats =
            m_pieces >= kGuardFromPieces && m_seen.size() >= kGuardFromBytes && text.substr(0, m_seen.size()) == m_seen;
        const std::string_view news = repeats ? text.substr(m_seen.size()) : text;
        m_seen.append(news);
        ++m_pieces;
        return {news, repeats};
    }
    // Half a pair at the end will be a whole character next time.
    if (endsWithHighHalf(text))
        text.remove_suffix(kHalfBytes);
    if (text.substr(0, m_seen.size()) == m_seen) {
        const std::string_view news = text.substr(m_seen.size());
        m_seen.append(news);
        return {news, true};
    }
    if (std::string_view(m_seen).substr(0, text.size()) == text)
        return {{}, true};
    m_seen.append(text);
    return {text, false};
}

} // namespace decodescope
