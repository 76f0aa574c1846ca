#include "core/wire/cumulative_text.h"

#include "core/wire/surrogates.h"

#include <utility>

namespace decodescope {
namespace {

// A delta that happens to begin with all the text so far is possible only while that text is short, or repeats itself
// (models that loop, blank lines, rules of "====").
constexpr std::size_t kGuardFromBytes = 8;
constexpr std::size_t kGuardFromPieces = 2;
constexpr std::size_t kLoopBytes = 24; ///< from here on a text that repeats itself counts as well
constexpr std::size_t kLoopPieces = 3;
constexpr std::size_t kLoopLooked = 1U << 10; ///< so much of a text is enough to see that it loops
constexpr std::size_t kGuardUpToBytes = 64U << 10;
constexpr std::size_t kHalfBytes = 3;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Whether the text is some beginning of it twice or more often, the last time perhaps cut.
bool loops(std::string_view text) noexcept {
    for (std::size_t period = 1; period <= text.size() / 2; ++period) {
        if (text.substr(period) == text.substr(0, text.size() - period))
            return true;
    }
    return false;
}

/// Whether a text that comes again whole, in front of what is new, was meant as all that was said.
bool tellsApart(std::string_view text, std::size_t pieces) noexcept {
    if (text.size() >= kLoopBytes && pieces >= kLoopPieces)
        return true;
    return text.size() >= kGuardFromBytes && pieces >= kGuardFromPieces && !loops(text.substr(0, kLoopLooked));
}

} // namespace

std::string_view settledPart(std::string_view wtf8) noexcept {
    if (endsWithHighHalf(wtf8))
        wtf8.remove_suffix(kHalfBytes);
    while (wtf8.ends_with(kReplacement))
        wtf8.remove_suffix(kReplacement.size());
    return wtf8;
}

CumulativeText::News CumulativeText::take(std::string_view text) {
    if (m_mode == Mode::guard) {
        if (m_seen.size() > kGuardUpToBytes)
            return {text, false};
        const bool repeats = text.substr(0, m_seen.size()) == m_seen && tellsApart(m_seen, m_pieces);
        const std::string_view news = repeats ? text.substr(m_seen.size()) : text;
        m_seen.append(news);
        ++m_pieces;
        return {news, repeats};
    }
    const std::string_view settled = settledPart(text);
    const std::string_view rest = text.substr(settled.size());
    if (settled.starts_with(m_seen)) {
        const std::string_view news = settled.substr(m_seen.size());
        m_seen.append(news);
        m_rest = rest;
        return {news, true};
    }
    if (std::string_view(m_seen).starts_with(settled)) {
        m_rest.clear();
        return {{}, true};
    }
    m_seen.append(settled);
    m_rest = rest;
    return {settled, false};
}

std::string CumulativeText::takeRest() {
    return std::exchange(m_rest, {});
}

} // namespace decodescope
