#pragma once

#include "ui/text/token_text.h"

#include <QColor>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

class QPainter;

namespace decodescope {

/// A stretch of the text, in UTF-16 units, end excluded.
struct TextRange {
    std::uint32_t begin = 0, end = 0;
    [[nodiscard]] bool empty() const { return end <= begin; }
    friend bool operator==(const TextRange&, const TextRange&) = default;
};

/// Where the reader is (metrics.md section 7).
struct ReadingMarks {
    TextRange word;         ///< the current word
    std::uint32_t read = 0; ///< read up to here
    friend bool operator==(const ReadingMarks&, const ReadingMarks&) = default;
};

/// Everything drawn on the text beside the text itself.
struct TextMarks {
    double medianS = 0; ///< of the run's gaps; 0: no heat yet
    TextRange selection;
    std::vector<std::uint32_t> matches; ///< of the search, ascending
    std::uint32_t matchLength = 0;
    std::optional<std::uint32_t> currentMatch;
    std::optional<ReadingMarks> reading;
};

/// Draws one line of a lane's text on its surface, `x` and `y` its left top. Only what lies in the painter's clip
/// is touched.
void paintLine(QPainter& painter, TokenText& text, int line, const TextMarks& marks, qreal x, qreal y, int lineHeight);

/// Left and right edges and the line of a stretch, for boxes; one entry a line and direction. Relative to the text.
struct RangePiece {
    int line = 0;
    qreal left = 0, right = 0;
};
[[nodiscard]] std::vector<RangePiece> piecesOf(TokenText& text, TextRange range, int firstLine, int lastLine);

} // namespace decodescope
