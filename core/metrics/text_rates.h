#pragma once

#include "core/record/run_record.h"

#include <cstdint>
#include <optional>

/// Characters and words of the answer (metrics.md section 3). Inside core/metrics only.
namespace decodescope {

/// Counts the words of a text that comes in pieces: a word cut by a border is one word.
class WordCounter {
public:
    /// Returns how many words began in this piece.
    std::uint64_t add(std::string_view piece);

private:
    bool m_inWord = false;
};

class AnswerText {
public:
    void add(const RunRecord& record, const TokenEvent& event);
    /// First and last arrival of a fragment that is not reasoning.
    [[nodiscard]] std::optional<Instant> first() const { return m_first; }
    [[nodiscard]] std::optional<Instant> last() const { return m_last; }
    /// Per second after the first answer arrival; absent with one arrival.
    [[nodiscard]] std::optional<double> charsPerS() const { return rate(m_chars); }
    [[nodiscard]] std::optional<double> wordsPerS() const { return rate(m_words); }

private:
    [[nodiscard]] std::optional<double> rate(std::uint64_t count) const;
    std::optional<Instant> m_first, m_last;
    std::uint32_t m_firstRead = 0;
    std::uint64_t m_chars = 0; // after the first arrival
    std::uint64_t m_words = 0;
    WordCounter m_counter;
};

/// The bytes of an event that are not reasoning.
[[nodiscard]] std::string answerTextOf(const RunRecord& record, const TokenEvent& event);

} // namespace decodescope
