#pragma once

#include "core/metrics/run_summary.h"

#include <QFont>
#include <QRectF>
#include <QString>
#include <QTextLayout>

#include <cstdint>
#include <utility>
#include <vector>

namespace decodescope {

/// Words put into the shown text that are no part of it ("803 ms delivery"): skipped by copy, search and selection.
struct TextInsert {
    enum class Kind : std::uint8_t { stall, end };
    Kind kind = Kind::stall;
    std::uint32_t position = 0; ///< before this UTF-16 unit of the text
    std::uint32_t token = 0;
    QString label;
    StallKind stall = StallKind::unknown; ///< of Kind::stall
    friend bool operator==(const TextInsert&, const TextInsert&) = default;
};

/// A stretch of the text, shaped as a whole, with the inserts that stand in it, and the way between positions in
/// the text and in what is laid out.
class LineLayout {
public:
    /// Inserts must all lie within [start, start + text.size()], in order.
    LineLayout(QStringView text, std::uint32_t start, const TextInsert* inserts, std::size_t insertCount,
               const QFont& font, const QFont& labelFont, bool rightToLeft);

    /// Breaks at `width`, as many lines as there are; used for wrapping.
    void wrap(int width);
    /// One line whatever its length, its base line `baseline` under the top; used for painting.
    void place(int width, qreal baseline);

    [[nodiscard]] QTextLayout& layout() { return m_layout; }
    [[nodiscard]] const QTextLayout& layout() const { return m_layout; }
    [[nodiscard]] std::uint32_t start() const { return m_start; }
    [[nodiscard]] int toLayout(std::uint32_t position) const;
    [[nodiscard]] std::uint32_t toText(int index) const;
    /// Left and right edges of [from, to) on the placed line; several where the direction changes inside.
    [[nodiscard]] std::vector<std::pair<qreal, qreal>> extents(std::uint32_t from, std::uint32_t to) const;
    /// Left and right edges of an insert's words, by its place in the list given to the constructor.
    [[nodiscard]] std::pair<qreal, qreal> insertExtent(std::size_t index) const;
    [[nodiscard]] std::size_t insertCount() const { return m_inserts.size(); }
    /// Text position under x on the placed line.
    [[nodiscard]] std::uint32_t positionAt(qreal x, QTextLine::CursorPosition mode) const;
    /// Whether x lies within the text of the placed line.
    [[nodiscard]] bool covers(qreal x) const;

private:
    struct Placed {
        std::uint32_t position = 0;
        int at = 0; // in the layout's string
        int length = 0;
    };
    [[nodiscard]] std::vector<std::pair<qreal, qreal>> layoutExtents(int from, int to) const;

    QTextLayout m_layout;
    std::uint32_t m_start = 0;
    std::vector<Placed> m_inserts;
    bool m_bidi = false;
};

} // namespace decodescope
