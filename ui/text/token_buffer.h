#pragma once

#include "core/record/run_record.h"

#include <QString>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace decodescope {

/// A lane's text as the views need it: one UTF-16 buffer and, for each token event, where it begins and how long
/// it was waited for. Token i is RunRecord::events[i]; events without text of choice 0 are empty tokens. Grows with
/// its record, in time proportional to what is new. Nine bytes a token beside the text.
class TokenBuffer {
public:
    void clear();
    /// Takes in the events that are new since the last call. Returns the first token that is new or whose marks
    /// changed (the first token of a read learns with the second that it did not come alone).
    std::uint32_t append(const RunRecord& record);
    /// The gaps before these tokens were our own machine's doing: hatched, never tinted. Returns whether
    /// anything changed.
    bool setHatched(const std::vector<std::uint32_t>& tokens);

    [[nodiscard]] const QString& text() const { return m_text; }
    [[nodiscard]] std::uint32_t textSize() const { return static_cast<std::uint32_t>(m_text.size()); }
    [[nodiscard]] std::uint32_t tokenCount() const { return static_cast<std::uint32_t>(m_begin.size()); }
    [[nodiscard]] std::uint32_t begin(std::uint32_t token) const { return m_begin[token]; }
    [[nodiscard]] std::uint32_t end(std::uint32_t token) const {
        return token + 1 < m_begin.size() ? m_begin[token + 1] : textSize();
    }
    /// Begin of the word itself: the space before it belongs to no mark.
    [[nodiscard]] std::uint32_t wordBegin(std::uint32_t token) const;
    /// Gap before the read that brought the token, if it is the first of its read; else 0. Seconds.
    [[nodiscard]] float gapS(std::uint32_t token) const { return m_gapS[token]; }
    [[nodiscard]] bool hatched(std::uint32_t token) const { return m_marks[token] & kHatched; }
    /// Whether the read that brought it held more than one token.
    [[nodiscard]] bool shared(std::uint32_t token) const { return m_marks[token] & kShared; }
    [[nodiscard]] Channel channel(std::uint32_t token) const {
        return static_cast<Channel>(m_marks[token] & kChannelMask);
    }
    /// Heat stop 0..8 (look.md 11); 0 for what is hatched.
    [[nodiscard]] int heatStop(std::uint32_t token, double medianS) const;
    /// The token whose text holds this position; the last one for the end of the text. Not on an empty buffer.
    [[nodiscard]] std::uint32_t tokenAt(std::uint32_t position) const;
    /// UTF-16 position of a byte of the record's transcript, as far as it was taken in.
    [[nodiscard]] std::uint32_t positionOfByte(const RunRecord& record, std::uint32_t byte) const;
    /// Bytes held, for the benchmark.
    [[nodiscard]] std::size_t memory() const;

private:
    static constexpr std::uint8_t kChannelMask = 3, kHatched = 4, kShared = 8;

    QString m_text;
    std::vector<std::uint32_t> m_begin;
    std::vector<float> m_gapS;
    std::vector<std::uint8_t> m_marks;
    std::uint32_t m_bytes = 0;     // of the transcript, taken in
    std::size_t m_span = 0;        // channel span of m_bytes
    std::uint32_t m_readStart = 0; // first token of the latest read
};

} // namespace decodescope
