#include "ui/text/line_painter.h"

#include "ui/theme/look.h"
#include "ui/theme/stall_marks.h"

#include <QPainter>
#include <QRegion>

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

constexpr qreal kTintInset = 1; // 18 px in a line of 20
constexpr qreal kUnderline = 3; // under the base line
constexpr qreal kStallBar = 2;
constexpr qreal kLabelBefore = 2; // of the spaces round a label, left free of its ground: room for a box
constexpr qreal kLabelAfter = 5;

struct Run {
    TextRange range;
    QColor colour;
};

class Painter {
public:
    Painter(QPainter& painter, TokenText& text, int line, const TextMarks& marks, QRectF rect)
        : m_painter(painter)
        , m_text(text)
        , m_buffer(text.buffer())
        , m_line(text.line(line))
        , m_index(line)
        , m_layout(text.layout(line))
        , m_marks(marks)
        , m_rect(rect)
        , m_colours(Look::instance().colours()) {}

    void paint() {
        if (m_line.end > m_line.start)
            paintTokens();
        paintInserts();
    }

private:
    [[nodiscard]] TextRange inLine(TextRange range) const {
        return {std::max(range.begin, m_line.start), std::min(range.end, m_line.end)};
    }

    template <class Draw> void eachRect(TextRange range, Draw draw) {
        if (range.empty())
            return;
        for (const auto& [left, right] : m_layout.extents(range.begin, range.end)) {
            draw(QRectF(m_rect.left() + left, m_rect.top() + kTintInset, right - left,
                        m_rect.height() - 2 * kTintInset));
        }
    }

    [[nodiscard]] QColor channelInk(Channel channel) const {
        switch (channel) {
        case Channel::reasoning:
            return m_colours.ink3;
        case Channel::refusal:
        case Channel::tool:
            return m_colours.ink2;
        case Channel::answer:
            break;
        }
        return m_colours.ink;
    }

    void paintTokens() {
        const std::uint32_t last = m_buffer.tokenAt(m_line.end - 1);
        for (std::uint32_t token = m_buffer.tokenAt(m_line.start); token <= last; ++token)
            addToken(token);
        paintSelection();
        paintMatches();
        drawRuns();
        paintUnderlines(last);
    }

    void addToken(std::uint32_t token) {
        const TextRange whole = inLine({m_buffer.begin(token), m_buffer.end(token)});
        if (whole.empty())
            return;
        const TextRange word = inLine({m_buffer.wordBegin(token), m_buffer.end(token)});
        const QColor plain = channelInk(m_buffer.channel(token));
        if (m_buffer.channel(token) == Channel::tool)
            eachRect(whole, [this](const QRectF& r) { m_painter.fillRect(r, m_colours.raised); });
        const int stop = m_buffer.heatStop(token, m_marks.medianS);
        if (m_buffer.hatched(token))
            eachRect(word, [this](const QRectF& r) { Look::instance().drawHatch(m_painter, r); });
        if (stop >= 1) {
            const auto heat = static_cast<std::size_t>(stop);
            eachRect(word, [&](const QRectF& r) { m_painter.fillRect(r, m_colours.heat[heat]); });
            addRun({whole.begin, word.begin}, plain);
            addRun(word, m_colours.heatInk[heat]);
            return;
        }
        addReadingRun(whole, plain);
    }

    void addReadingRun(TextRange range, const QColor& plain) {
        if (!m_marks.reading) {
            addRun(range, plain);
            return;
        }
        const std::uint32_t edge =
            std::clamp(std::max(m_marks.reading->read, m_marks.reading->word.end), range.begin, range.end);
        addRun({range.begin, edge}, m_colours.ink);
        addRun({edge, range.end}, m_colours.ink3);
    }

    void addRun(TextRange range, const QColor& colour) {
        if (range.empty())
            return;
        const TextRange selected = inLine(m_marks.selection);
        // On the ground of a selection only ink is read well enough.
        const TextRange before{range.begin, std::clamp(selected.begin, range.begin, range.end)};
        const TextRange inside{before.end, std::clamp(selected.end, before.end, range.end)};
        appendRun(selected.empty() ? range : before, colour);
        if (!selected.empty()) {
            appendRun(inside, m_colours.ink);
            appendRun({inside.end, range.end}, colour);
        }
    }

    void appendRun(TextRange range, const QColor& colour) {
        if (range.empty())
            return;
        if (!m_runs.empty() && m_runs.back().colour == colour && m_runs.back().range.end == range.begin)
            m_runs.back().range.end = range.end;
        else
            m_runs.push_back({range, colour});
    }

    void paintSelection() {
        eachRect(inLine(m_marks.selection), [this](QRectF r) {
            r.setTop(m_rect.top());
            r.setBottom(m_rect.bottom());
            m_painter.fillRect(r, m_colours.selection);
        });
    }

    void paintMatches() {
        if (m_marks.matchLength == 0)
            return;
        const std::uint32_t from = m_line.start > m_marks.matchLength ? m_line.start - m_marks.matchLength + 1 : 0;
        for (auto it = std::lower_bound(m_marks.matches.begin(), m_marks.matches.end(), from);
             it != m_marks.matches.end() && *it < m_line.end; ++it) {
            const bool current = m_marks.currentMatch == *it;
            eachRect(inLine({*it, *it + m_marks.matchLength}), [&](const QRectF& r) {
                m_painter.fillRect(r, m_colours.selection);
                m_painter.setPen(QPen(current ? m_colours.ink : m_colours.control, current ? 2 : 1));
                m_painter.setBrush(Qt::NoBrush);
                m_painter.drawRect(current ? r.adjusted(0, 0, 0, 0) : r.adjusted(0.5, 0.5, -0.5, -0.5));
            });
        }
    }

    /// The line is shaped once as a whole; where colours change it is drawn once a colour, each in its own places,
    /// so that no border of a token breaks a ligature or a joined script.
    void drawRuns() {
        const QPointF origin(m_rect.left(), m_rect.top());
        std::vector<bool> drawn(m_runs.size(), false);
        for (std::size_t i = 0; i < m_runs.size(); ++i) {
            if (drawn[i])
                continue;
            QRegion places;
            bool alone = true;
            for (std::size_t j = i; j < m_runs.size(); ++j) {
                if (m_runs[j].colour != m_runs[i].colour) {
                    alone = false;
                    continue;
                }
                drawn[j] = true;
                for (const auto& [left, right] : m_layout.extents(m_runs[j].range.begin, m_runs[j].range.end)) {
                    const int x0 = static_cast<int>(std::lround(m_rect.left() + left));
                    const int x1 = static_cast<int>(std::lround(m_rect.left() + right));
                    places += QRect(x0, static_cast<int>(m_rect.top()), x1 - x0, static_cast<int>(m_rect.height()));
                }
            }
            m_painter.setPen(m_runs[i].colour);
            if (alone && i == 0) {
                m_layout.layout().draw(&m_painter, origin);
            } else {
                m_painter.save();
                m_painter.setClipRegion(places, Qt::IntersectClip);
                m_layout.layout().draw(&m_painter, origin);
                m_painter.restore();
            }
        }
    }

    void paintUnderlines(std::uint32_t last) {
        const QTextLine line = m_layout.layout().lineAt(0);
        const qreal y = m_rect.top() + std::round(line.y() + line.ascent()) + kUnderline;
        for (std::uint32_t token = m_buffer.tokenAt(m_line.start); token <= last; ++token) {
            if (!m_buffer.shared(token))
                continue;
            // Only the first of a read has a gap; the line runs on through the spaces between the others.
            const bool first = m_buffer.gapS(token) > 0 || token == 0;
            const std::uint32_t begin = first ? m_buffer.wordBegin(token) : m_buffer.begin(token);
            eachRect(inLine({begin, m_buffer.end(token)}),
                     [&](const QRectF& r) { m_painter.fillRect(QRectF(r.left(), y, r.width(), 1), m_colours.ink3); });
        }
    }

    void paintInserts() {
        const auto [first, count] = m_text.insertsOf(m_index);
        const Look& look = Look::instance();
        for (std::size_t i = 0; i < count; ++i) {
            const TextInsert& insert = m_text.inserts()[first + i];
            const bool stall = insert.kind == TextInsert::Kind::stall;
            auto [left, right] = m_layout.insertExtent(i);
            const QRectF box(m_rect.left() + std::round(left) + kLabelBefore, m_rect.top() + kTintInset,
                             std::round(right - left) - kLabelBefore - kLabelAfter, m_rect.height() - 2 * kTintInset);
            const bool ours = stall && insert.stall == StallKind::client;
            m_painter.fillRect(box, ours ? m_colours.raised : stall ? m_colours.stallFill : m_colours.failFill);
            const QRectF bar(box.left(), box.top(), kStallBar, box.height());
            if (stall)
                drawStallBar(m_painter, bar, insert.stall);
            else
                m_painter.fillRect(bar, m_colours.fail);
            QFont font = look.font(Type::small);
            font.setWeight(QFont::DemiBold);
            m_painter.setFont(font);
            m_painter.setPen(ours ? m_colours.ink2 : stall ? m_colours.stall : m_colours.fail);
            m_painter.drawText(box.adjusted(kStallBar, 0, 0, 0), Qt::AlignCenter, insert.label);
        }
    }

    QPainter& m_painter;
    TokenText& m_text;
    const TokenBuffer& m_buffer;
    const TokenText::Line& m_line;
    int m_index;
    LineLayout& m_layout;
    const TextMarks& m_marks;
    QRectF m_rect;
    const Colours& m_colours;
    std::vector<Run> m_runs;
};

} // namespace

void paintLine(QPainter& painter, TokenText& text, int line, const TextMarks& marks, qreal x, qreal y, int lineHeight) {
    Painter(painter, text, line, marks, QRectF(x, y, text.width(), lineHeight)).paint();
}

std::vector<RangePiece> piecesOf(TokenText& text, TextRange range, int firstLine, int lastLine) {
    std::vector<RangePiece> pieces;
    if (range.empty() || text.lineCount() == 0)
        return pieces;
    const int from = std::max(firstLine, text.lineOf(range.begin));
    const int to = std::min({lastLine, text.lineOf(range.end - 1), text.lineCount() - 1});
    for (int i = from; i <= to; ++i) {
        const TokenText::Line& line = text.line(i);
        const std::uint32_t begin = std::max(range.begin, line.start), end = std::min(range.end, line.end);
        if (begin >= end)
            continue;
        for (const auto& [left, right] : text.layout(i).extents(begin, end))
            pieces.push_back({i, left, right});
    }
    return pieces;
}

} // namespace decodescope
