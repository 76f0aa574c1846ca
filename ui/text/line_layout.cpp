#include "ui/text/line_layout.h"

#include <QGlyphRun>
#include <QRawFont>
#include <QTextOption>

#include <algorithm>

namespace decodescope {
namespace {

constexpr qreal kTabPx = 32;

/// What is laid out for a unit of the text. Controls would be drawn as boxes, or not at all and leave marks
/// without a width; the text itself keeps them.
QChar shown(QChar c) {
    const char16_t u = c.unicode();
    if (u >= 0x20 && u != 0x7F)
        return c;
    if (u == u'\t')
        return c;
    return u == u'\r' ? QChar(0x200B) : QChar(0x00B7);
}

/// Spaces that do not break, so that the label stays in one piece and with the word it stands before.
QString padded(const QString& label) {
    QString text = QStringLiteral("\u00A0\u00A0") + label + QStringLiteral("\u00A0\u00A0\u00A0");
    for (QChar& c : text) {
        if (c == QLatin1Char(' '))
            c = QChar(0x00A0);
        else if (c == QChar(0x2009))
            c = QChar(0x202F);
    }
    return text;
}

bool hasRightToLeft(QStringView text) {
    return std::any_of(text.begin(), text.end(), [](QChar c) {
        // Hebrew begins at U+0590; what lies below is never right to left.
        return c.unicode() >= 0x590 &&
               (c.direction() == QChar::DirR || c.direction() == QChar::DirAL || c.direction() == QChar::DirRLO ||
                c.direction() == QChar::DirRLE || c.direction() == QChar::DirRLI || c.isSurrogate());
    });
}

} // namespace

LineLayout::LineLayout(QStringView text, std::uint32_t start, const TextInsert* inserts, std::size_t insertCount,
                       const QFont& font, const QFont& labelFont, bool rightToLeft)
    : m_start(start)
    , m_bidi(rightToLeft || hasRightToLeft(text)) {
    QString string;
    string.reserve(text.size() + static_cast<qsizetype>(insertCount) * 24);
    QList<QTextLayout::FormatRange> formats;
    qsizetype done = 0;
    const auto copyUpTo = [&](qsizetype end) {
        for (; done < end; ++done)
            string.append(shown(text[done]));
    };
    for (std::size_t i = 0; i < insertCount; ++i) {
        copyUpTo(std::min<qsizetype>(inserts[i].position - start, text.size()));
        const QString label = padded(inserts[i].label);
        QTextLayout::FormatRange range;
        range.start = static_cast<int>(string.size());
        range.length = static_cast<int>(label.size());
        range.format.setFont(labelFont);
        range.format.setForeground(Qt::transparent); // the painter draws it on its own ground
        formats.append(range);
        m_inserts.push_back({inserts[i].position, range.start, range.length});
        string += label;
    }
    copyUpTo(text.size());
    m_layout.setText(string);
    m_layout.setFont(font);
    m_layout.setCacheEnabled(true);
    if (!formats.isEmpty())
        m_layout.setFormats(formats);
    QTextOption option;
    option.setTextDirection(rightToLeft ? Qt::RightToLeft : Qt::LeftToRight);
    option.setTabStopDistance(kTabPx);
    m_layout.setTextOption(option);
}

void LineLayout::wrap(int width) {
    QTextOption option = m_layout.textOption();
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    m_layout.setTextOption(option);
    m_layout.beginLayout();
    for (QTextLine line = m_layout.createLine(); line.isValid(); line = m_layout.createLine())
        line.setLineWidth(width);
    m_layout.endLayout();
}

void LineLayout::place(int width, qreal baseline) {
    QTextOption option = m_layout.textOption();
    option.setWrapMode(QTextOption::NoWrap);
    m_layout.setTextOption(option);
    m_layout.beginLayout();
    QTextLine line = m_layout.createLine();
    if (line.isValid()) {
        line.setLineWidth(width);
        // A fallback font for one character must not move the line: the base line is what stays.
        line.setPosition(QPointF(0, baseline - line.ascent()));
    }
    m_layout.endLayout();
}

int LineLayout::toLayout(std::uint32_t position) const {
    int index = static_cast<int>(position - m_start);
    for (const Placed& insert : m_inserts) {
        if (insert.position <= position)
            index += insert.length;
    }
    return index;
}

std::uint32_t LineLayout::toText(int index) const {
    int skipped = 0;
    for (const Placed& insert : m_inserts) {
        if (insert.at >= index)
            break;
        if (index < insert.at + insert.length)
            return insert.position;
        skipped += insert.length;
    }
    return m_start + static_cast<std::uint32_t>(std::max(0, index - skipped));
}

std::vector<std::pair<qreal, qreal>> LineLayout::layoutExtents(int from, int to) const {
    std::vector<std::pair<qreal, qreal>> found;
    if (m_layout.lineCount() == 0 || to <= from)
        return found;
    const QTextLine line = m_layout.lineAt(0);
    if (!m_bidi) {
        found.emplace_back(line.cursorToX(from), line.cursorToX(to));
        return found;
    }
    for (const QGlyphRun& run : line.glyphRuns(from, to - from)) {
        const QList<QPointF> positions = run.positions();
        const QList<QPointF> advances = run.rawFont().advancesForGlyphIndexes(run.glyphIndexes());
        if (positions.isEmpty() || advances.size() != positions.size())
            continue;
        qreal left = positions.first().x(), right = left;
        for (qsizetype i = 0; i < positions.size(); ++i) {
            left = std::min(left, positions[i].x());
            right = std::max(right, positions[i].x() + advances[i].x());
        }
        found.emplace_back(left, right);
    }
    return found;
}

std::vector<std::pair<qreal, qreal>> LineLayout::extents(std::uint32_t from, std::uint32_t to) const {
    std::vector<std::pair<qreal, qreal>> found;
    // An insert in the middle is not part of the stretch: one piece on each side of it.
    std::uint32_t begin = from;
    for (const Placed& insert : m_inserts) {
        if (insert.position <= begin || insert.position >= to)
            continue;
        const auto piece = layoutExtents(toLayout(begin), insert.at);
        found.insert(found.end(), piece.begin(), piece.end());
        begin = insert.position;
    }
    if (to > begin) {
        int end = toLayout(to);
        for (const Placed& insert : m_inserts) {
            if (insert.position == to)
                end = std::min(end, insert.at);
        }
        const auto piece = layoutExtents(toLayout(begin), end);
        found.insert(found.end(), piece.begin(), piece.end());
    }
    return found;
}

std::pair<qreal, qreal> LineLayout::insertExtent(std::size_t index) const {
    const Placed& insert = m_inserts[index];
    const auto pieces = layoutExtents(insert.at, insert.at + insert.length);
    if (pieces.empty())
        return {0, 0};
    std::pair<qreal, qreal> all = pieces.front();
    for (const auto& [left, right] : pieces) {
        all.first = std::min(all.first, left);
        all.second = std::max(all.second, right);
    }
    return all;
}

std::uint32_t LineLayout::positionAt(qreal x, QTextLine::CursorPosition mode) const {
    if (m_layout.lineCount() == 0)
        return m_start;
    return toText(m_layout.lineAt(0).xToCursor(x, mode));
}

bool LineLayout::covers(qreal x) const {
    if (m_layout.lineCount() == 0)
        return false;
    const QRectF rect = m_layout.lineAt(0).naturalTextRect();
    return x >= rect.left() && x < rect.right();
}

} // namespace decodescope
