#pragma once

#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace decodescope {

enum class FindStep { stay, next, previous };

struct FindResult {
    int current = 0; ///< from 1; 0: none
    int count = 0;
};

/// Every place of a word in a growing text, without regard to case; what was searched is not searched again.
class TextFind {
public:
    /// Returns whether the words changed.
    bool setWords(const QString& words);
    /// Searches what is new in the text. Returns whether something was found.
    bool update(const QString& text);
    void clearMatches();
    /// Moves the current match: `from` is where to begin when there is none yet.
    FindResult step(FindStep step, std::uint32_t from);
    [[nodiscard]] FindResult result() const;

    [[nodiscard]] const std::vector<std::uint32_t>& matches() const { return m_matches; }
    [[nodiscard]] std::uint32_t length() const { return static_cast<std::uint32_t>(m_words.size()); }
    [[nodiscard]] std::optional<std::uint32_t> current() const;

private:
    QString m_words;
    std::vector<std::uint32_t> m_matches;
    std::optional<std::size_t> m_current;
    std::uint32_t m_searched = 0; // matches beginning before this are known
};

} // namespace decodescope
