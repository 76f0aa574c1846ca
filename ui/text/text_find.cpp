#include "ui/text/text_find.h"

#include <algorithm>

namespace decodescope {

bool TextFind::setWords(const QString& words) {
    if (words == m_words)
        return false;
    m_words = words;
    clearMatches();
    return true;
}

void TextFind::clearMatches() {
    m_matches.clear();
    m_current.reset();
    m_searched = 0;
}

bool TextFind::update(const QString& text) {
    if (m_words.isEmpty() || text.size() < m_words.size())
        return false;
    const std::size_t before = m_matches.size();
    qsizetype at = m_searched;
    while ((at = text.indexOf(m_words, at, Qt::CaseInsensitive)) >= 0) {
        m_matches.push_back(static_cast<std::uint32_t>(at));
        at += m_words.size();
        m_searched = static_cast<std::uint32_t>(at);
    }
    m_searched = std::max(m_searched, static_cast<std::uint32_t>(text.size() - m_words.size() + 1));
    return m_matches.size() != before;
}

FindResult TextFind::step(FindStep step, std::uint32_t from) {
    if (m_matches.empty()) {
        m_current.reset();
        return result();
    }
    const std::size_t last = m_matches.size() - 1;
    if (!m_current) {
        const auto found = std::lower_bound(m_matches.begin(), m_matches.end(), from);
        m_current = found == m_matches.end() ? 0 : static_cast<std::size_t>(found - m_matches.begin());
    } else if (step == FindStep::next) {
        m_current = *m_current == last ? 0 : *m_current + 1;
    } else if (step == FindStep::previous) {
        m_current = *m_current == 0 ? last : *m_current - 1;
    }
    return result();
}

FindResult TextFind::result() const {
    return {m_current ? static_cast<int>(*m_current) + 1 : 0, static_cast<int>(m_matches.size())};
}

std::optional<std::uint32_t> TextFind::current() const {
    if (!m_current)
        return std::nullopt;
    return m_matches[*m_current];
}

} // namespace decodescope
