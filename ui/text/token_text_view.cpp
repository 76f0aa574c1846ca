#include "ui/text/token_text_view.h"

#include "ui/text/thin_bar.h"
#include "ui/text/token_text_accessible.h"
#include "ui/text/token_tip.h"
#include "ui/theme/format.h"
#include "ui/theme/look.h"
#include "ui/theme/stall_marks.h"

#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

constexpr int kBoxReach = 4; // a box reaches this far out of its word
constexpr int kCaretWidth = 7;
constexpr std::uint32_t kLongText = 60'000;
constexpr int kWrapDelayMs = 60;
constexpr int kReaderAhead = 2; // lines kept below the reader

} // namespace

TokenTextView::TokenTextView(ViewState& view, QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_view(view) {
    installTokenTextAccessibility();
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    m_bar = new ThinBar(this);
    setVerticalScrollBar(m_bar);
    verticalScrollBar()->setSingleStep(1);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    viewport()->setAutoFillBackground(false);
    viewport()->setMouseTracking(true);
    viewport()->setCursor(Qt::IBeamCursor);
    setFocusPolicy(Qt::StrongFocus);
    m_wrapLater.setSingleShot(true);
    m_wrapLater.setInterval(kWrapDelayMs);
    connect(&m_wrapLater, &QTimer::timeout, this, &TokenTextView::wrapToWidth);
    m_dragScroll.setInterval(50);
    connect(&m_dragScroll, &QTimer::timeout, this, [this] { extendSelection(m_dragPoint); });
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, [this](int value) {
        if (!m_adjusting)
            m_follow = value >= verticalScrollBar()->maximum();
    });
    connect(&Look::instance(), &Look::changed, this, &TokenTextView::applyLook);
    connect(&m_view, &ViewState::hoveredChanged, this, [this] {
        updateToken(m_shownHovered);
        m_shownHovered = m_view.hovered();
        updateToken(m_shownHovered);
    });
    connect(&m_view, &ViewState::selectedChanged, this, [this] {
        updateToken(m_shownSelected);
        m_shownSelected = m_view.selected();
        updateToken(m_shownSelected);
        if (mine(m_shownSelected))
            reveal(m_shownSelected->event);
    });
    connect(&m_view, &ViewState::stallChanged, this, [this] {
        const auto stall = m_view.stall();
        if (!stall || stall->lane != m_lane || stall->stall >= m_stalls.size())
            return;
        const std::uint32_t token = m_stalls[stall->stall].eventIndex;
        if (token >= buffer().tokenCount())
            return;
        m_view.setSelected(TokenRef{m_lane, token});
        reveal(token); // also when it was selected before and scrolled away since
    });
    applyLook();
}

void TokenTextView::applyLook() {
    const Look& look = Look::instance();
    QFont label = look.font(Type::small);
    label.setWeight(QFont::DemiBold);
    m_lineHeight = look.lineHeight(Type::stream);
    m_text.setFonts(look.font(Type::stream), label, m_lineHeight);
    updateScrollRange();
    viewport()->update();
}

void TokenTextView::setLane(LaneId lane, int look) {
    if (lane == m_lane && look == m_look)
        return;
    m_lane = lane;
    m_look = look;
    viewport()->update();
}

void TokenTextView::advance(const std::shared_ptr<const RunRecord>& record, bool running) {
    if (record != m_record) {
        m_record = record;
        m_text.clear();
        m_marks.medianS = 0;
        m_marks.selection = {};
        m_marks.reading.reset();
        m_find.clearMatches();
        m_stallInserts.clear();
        m_stalls.clear();
        m_follow = true;
        m_endMark.clear();
        updateScrollRange();
        viewport()->update();
    }
    const bool caretChanged = running != m_running;
    m_running = running;
    int first = m_text.lineCount();
    if (m_record) {
        const std::uint32_t before = buffer().tokenCount();
        first = std::min(first, m_text.append(*m_record));
        if (buffer().tokenCount() != before) {
            if (!m_endMark.isEmpty())
                syncInserts();
            if (m_find.update(buffer().text()))
                m_marks.matches = m_find.matches();
        }
    }
    if (caretChanged)
        first = std::min(first, std::max(0, m_text.lineCount() - 1));
    if (first < m_text.lineCount() || (caretChanged && m_text.lineCount() == 0))
        linesChanged(first);
}

void TokenTextView::setSummary(const RunSummary& summary) {
    if (!m_record)
        return;
    const double median = summary.itl ? summary.itl->p50 : 0;
    // Less than one half octave in a hundred moves no token over a border that anyone would miss.
    if (std::fabs(median - m_marks.medianS) > 0.005 * std::max(median, m_marks.medianS)) {
        m_marks.medianS = median;
        viewport()->update();
    }
    const bool kernel = m_record->clock == ClockSource::kernel || m_record->clock == ClockSource::engine;
    std::vector<TextInsert> inserts;
    std::vector<std::uint32_t> hatched;
    m_stalls = summary.stalls;
    for (const Stall& stall : m_stalls) {
        if (stall.kind == StallKind::open || stall.eventIndex >= buffer().tokenCount())
            continue;
        if (stall.kind == StallKind::client)
            hatched.push_back(stall.eventIndex);
        TextInsert insert;
        insert.position = buffer().wordBegin(stall.eventIndex);
        insert.token = stall.eventIndex;
        insert.stall = stall.kind;
        insert.label = formatGap(stall.lengthS, kernel).joined() + QLatin1Char(' ') + stallWord(stall.kind);
        inserts.push_back(std::move(insert));
    }
    std::sort(hatched.begin(), hatched.end());
    std::stable_sort(inserts.begin(), inserts.end(),
                     [](const TextInsert& a, const TextInsert& b) { return a.position < b.position; });
    if (m_text.setHatched(hatched))
        viewport()->update();
    if (inserts != m_stallInserts) {
        m_stallInserts = std::move(inserts);
        syncInserts();
    }
    describe();
}

void TokenTextView::setEndMark(const QString& words) {
    if (words == m_endMark)
        return;
    m_endMark = words;
    syncInserts();
}

void TokenTextView::syncInserts() {
    std::vector<TextInsert> inserts = m_stallInserts;
    if (!m_endMark.isEmpty())
        inserts.push_back({TextInsert::Kind::end, buffer().textSize(), buffer().tokenCount(), m_endMark});
    const int first = m_text.setInserts(std::move(inserts));
    if (first < m_text.lineCount())
        linesChanged(first);
}

void TokenTextView::setReading(std::optional<ReadingMarks> reading) {
    if (reading == m_marks.reading)
        return;
    const auto before = m_marks.reading;
    m_marks.reading = reading;
    if (!before || !reading) {
        viewport()->update();
        followReader();
        updateScrollRange(); // back to the end when the reader is gone
        return;
    }
    updateRange({std::min(before->word.begin, reading->word.begin), std::max(before->word.end, reading->word.end)});
    updateRange({std::min(before->read, reading->read), std::max(before->read, reading->read)});
    followReader();
}

void TokenTextView::followReader() {
    if (!m_follow || !m_marks.reading)
        return;
    const int line = m_text.lineOf(m_marks.reading->word.begin);
    const int rows = visibleLines();
    const int first = std::clamp(line - std::max(0, rows - 1 - kReaderAhead), 0, verticalScrollBar()->maximum());
    m_adjusting = true;
    verticalScrollBar()->setValue(first);
    m_adjusting = false;
}

FindResult TokenTextView::find(const QString& words, FindStep step) {
    if (m_find.setWords(words))
        m_find.update(buffer().text());
    const std::uint32_t from = firstLine() < m_text.lineCount() ? m_text.line(firstLine()).start : 0;
    const FindResult result = m_find.step(step, from);
    m_marks.matches = m_find.matches();
    m_marks.matchLength = m_find.length();
    m_marks.currentMatch = m_find.current();
    if (m_marks.currentMatch)
        revealRange({*m_marks.currentMatch, *m_marks.currentMatch + m_marks.matchLength});
    viewport()->update();
    return result;
}

QString TokenTextView::tip(std::uint32_t token) const {
    return m_record ? tokenTip(*m_record, buffer(), token, m_marks.medianS, m_stalls) : QString();
}

int TokenTextView::visibleLines() const {
    return std::max(1, viewport()->height() / m_lineHeight);
}

QSize TokenTextView::minimumSizeHint() const {
    return {120, m_lineHeight};
}

int TokenTextView::firstLine() const {
    return verticalScrollBar()->value();
}

/// Whole lines stand on the bottom edge; what is left over is at the top.
QRect TokenTextView::rowsRect() const {
    const int height = visibleLines() * m_lineHeight;
    return {0, viewport()->height() - height, viewport()->width(), height};
}

qreal TokenTextView::lineTop(int line) const {
    return rowsRect().top() + (line - firstLine()) * static_cast<qreal>(m_lineHeight);
}

void TokenTextView::resizeEvent(QResizeEvent*) {
    if (buffer().textSize() > kLongText && m_text.width() > 0)
        m_wrapLater.start();
    else
        wrapToWidth();
    updateScrollRange();
}

void TokenTextView::wrapToWidth() {
    // The place that is looked at stays, whichever line it is in now.
    const int old = firstLine();
    const std::uint32_t seen = old < m_text.lineCount() ? m_text.line(old).start : 0;
    m_text.setWidth(viewport()->width() - kSide);
    updateScrollRange();
    if (!m_follow) {
        m_adjusting = true;
        verticalScrollBar()->setValue(m_text.lineOf(seen));
        m_adjusting = false;
    }
    viewport()->update();
}

void TokenTextView::updateScrollRange() {
    QScrollBar* bar = verticalScrollBar();
    m_adjusting = true;
    bar->setPageStep(visibleLines());
    bar->setRange(0, std::max(0, m_text.lineCount() - visibleLines()));
    if (m_follow && !m_marks.reading)
        bar->setValue(bar->maximum());
    m_adjusting = false;
}

void TokenTextView::linesChanged(int first) {
    updateScrollRange(); // scrolls what is painted already
    const QRect rows = rowsRect();
    const int top = std::max(rows.top(), static_cast<int>(lineTop(first)) - kBoxReach);
    if (top <= rows.bottom())
        viewport()->update(QRect(rows.left(), top, rows.width(), rows.bottom() + 1 - top));
}

void TokenTextView::scrollContentsBy(int, int dy) {
    const QRect rows = rowsRect();
    if (std::abs(dy) >= visibleLines())
        viewport()->update();
    else
        viewport()->scroll(0, dy * m_lineHeight, rows);
}

void TokenTextView::updateLines(int first, int last) {
    const int top = static_cast<int>(lineTop(first)) - kBoxReach;
    const int bottom = static_cast<int>(lineTop(last + 1)) + kBoxReach;
    viewport()->update(QRect(0, top, viewport()->width(), bottom - top));
}

void TokenTextView::updateRange(TextRange range) {
    if (m_text.lineCount() > 0)
        updateLines(m_text.lineOf(range.begin), m_text.lineOf(range.end));
}

bool TokenTextView::mine(const std::optional<TokenRef>& token) const {
    return token && token->lane == m_lane && token->event < buffer().tokenCount();
}

void TokenTextView::updateToken(std::optional<TokenRef> token) {
    if (mine(token))
        updateRange({buffer().begin(token->event), buffer().end(token->event)});
}

void TokenTextView::reveal(std::uint32_t token) {
    if (token < buffer().tokenCount())
        revealRange({buffer().begin(token), buffer().end(token)});
}

void TokenTextView::revealRange(TextRange range) {
    const int line = m_text.lineOf(range.begin), last = m_text.lineOf(range.end);
    const int rows = visibleLines();
    if (line >= firstLine() && last < firstLine() + rows)
        return;
    verticalScrollBar()->setValue(line - rows / 2);
}

void TokenTextView::paintEvent(QPaintEvent* event) {
    QPainter painter(viewport());
    const Colours& colours = Look::instance().colours();
    const QRect dirty = event->region().boundingRect();
    painter.fillRect(dirty, colours.surface);
    const QRect rows = rowsRect();
    // Lines below what is dirty begin at its bottom edge exactly; hence the last pixel, not the one after.
    const int from = firstLine() + std::max(0, (dirty.top() - rows.top()) / m_lineHeight);
    const int to = std::min(m_text.lineCount() - 1, firstLine() + (dirty.bottom() - rows.top()) / m_lineHeight);
    painter.setClipRect(rows, Qt::IntersectClip);
    for (int line = from; line <= to; ++line) {
        const qreal y = lineTop(line);
        if (event->region().intersects(QRect(0, static_cast<int>(y), viewport()->width(), m_lineHeight)))
            paintLine(painter, m_text, line, m_marks, kSide, y, m_lineHeight);
    }
    painter.setClipping(false);
    if (m_running)
        paintCaret(painter);
    paintBoxes(painter);
}

void TokenTextView::paintCaret(QPainter& painter) {
    const int last = m_text.lineCount() - 1;
    qreal x = 0;
    bool rightToLeft = false;
    if (last >= 0) {
        const QTextLayout& layout = m_text.layout(last).layout();
        rightToLeft = m_text.line(last).rightToLeft;
        if (layout.lineCount() > 0)
            x = layout.lineAt(0).cursorToX(static_cast<int>(layout.text().size()));
    }
    const qreal caretHeight = m_lineHeight * 0.7;
    const qreal top = (last >= 0 ? lineTop(last) : rowsRect().top()) + (m_lineHeight - caretHeight) / 2.0;
    const qreal most = viewport()->width() - kCaretWidth;
    const qreal left = rightToLeft ? std::max(0.0, kSide + x - kCaretWidth - 1) : std::min(kSide + x + 1, most);
    painter.fillRect(QRectF(std::round(left), top, kCaretWidth, caretHeight), Look::instance().lane(m_look).colour);
}

void TokenTextView::paintBoxes(QPainter& painter) {
    const Colours& colours = Look::instance().colours();
    const int first = firstLine(), last = first + visibleLines() - 1;
    const auto box = [&](TextRange range, const QColor& colour, qreal width) {
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(colour, width));
        painter.setBrush(Qt::NoBrush);
        const qreal out = 1 + width / 2;
        for (const RangePiece& piece : piecesOf(m_text, range, first, last)) {
            const QRectF rect(kSide + piece.left, lineTop(piece.line) + 1, piece.right - piece.left, m_lineHeight - 2);
            painter.drawRoundedRect(rect.adjusted(-out, -out, out, out), 3, 3);
        }
        painter.restore();
    };
    const auto word = [this](std::uint32_t token) { return TextRange{buffer().wordBegin(token), buffer().end(token)}; };
    if (m_marks.reading)
        box(m_marks.reading->word, colours.ink, 2);
    if (mine(m_view.hovered()) && m_view.hovered() != m_view.selected())
        box(word(m_view.hovered()->event), colours.ink3, 1);
    if (mine(m_view.selected()))
        box(word(m_view.selected()->event), colours.ink, 2);
}

QRect TokenTextView::rectOf(TextRange range) {
    QRectF found;
    for (const RangePiece& piece : piecesOf(m_text, range, firstLine(), firstLine() + visibleLines() - 1))
        found |= QRectF(kSide + piece.left, lineTop(piece.line), piece.right - piece.left, m_lineHeight);
    return found.toAlignedRect();
}

void TokenTextView::describe() {
    const std::size_t stalls = m_stalls.size();
    setAccessibleDescription(tr("%n token events", nullptr, static_cast<int>(buffer().tokenCount())) +
                             QStringLiteral(", ") + tr("%n stalls", nullptr, static_cast<int>(stalls)));
}

} // namespace decodescope
