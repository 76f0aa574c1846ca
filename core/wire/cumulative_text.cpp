#include "core/wire/cumulative_text.h"

#include "core/wire/surrogates.h"

#include <utility>

namespace decodescope {
namespace {

// A delta that happens to begin with all the text so far is possible only while that text is short.
constexpr std::size_t kGuardFromBytes = 24;
constexpr std::size_t kGuardFromPieces = 3;
constexpr std::size_t kGuardUpToBytes = 64U << 10;
constexpr std::size_t kHalfBytes = 3;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

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
        const bool repeats =
            m_pieces >= kGuardFromPieces && m_seen.size() >= kGuardFromBytes && text.substr(0, m_seen.size()) == m_seen;
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
