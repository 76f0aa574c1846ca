#include "ui/text/thin_bar.h"
#include "ui/text/token_text_view.h"
#include "ui/theme/plain_tip.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QStyleHints>
#include <QTextBoundaryFinder>
#include <QToolTip>

#include <algorithm>

/// Mouse, keys, selection: the half of the view that listens.
namespace decodescope {
namespace {

bool isStallKey(const QKeyEvent& event) {
    // Shift with . and , arrives as > and < on many layouts, as : and ; on others.
    return event.modifiers().testFlag(Qt::ShiftModifier);
}

bool isNextKey(int key) {
    return key == Qt::Key_Period || key == Qt::Key_Greater || key == Qt::Key_Colon;
}
bool isPreviousKey(int key) {
    return key == Qt::Key_Comma || key == Qt::Key_Less || key == Qt::Key_Semicolon;
}

} // namespace

int TokenTextView::lineUnder(int y) const {
    const QRect rows = rowsRect();
    const int row = y < rows.top() ? -1 : (y - rows.top()) / m_lineHeight;
    return firstLine() + row;
}

std::optional<std::uint32_t> TokenTextView::tokenAt(QPoint point) {
    const int line = lineUnder(point.y());
    if (line < firstLine() || line >= m_text.lineCount() || point.y() >= viewport()->height())
        return std::nullopt;
    LineLayout& layout = m_text.layout(line);
    const qreal x = point.x() - kSide;
    if (!layout.covers(x))
        return std::nullopt;
    const auto [first, count] = m_text.insertsOf(line);
    for (std::size_t i = 0; i < count; ++i) {
        const auto [left, right] = layout.insertExtent(i);
        if (x >= left && x < right) {
            const std::uint32_t token = m_text.inserts()[first + i].token;
            return token < buffer().tokenCount() ? std::optional(token) : std::nullopt;
        }
    }
    return buffer().tokenAt(layout.positionAt(x, QTextLine::CursorOnCharacter));
}

std::uint32_t TokenTextView::positionUnder(QPoint point) {
    if (m_text.lineCount() == 0)
        return 0;
    const int line = std::clamp(lineUnder(point.y()), 0, m_text.lineCount() - 1);
    return m_text.layout(line).positionAt(point.x() - kSide, QTextLine::CursorBetweenCharacters);
}

TextRange TokenTextView::unitAt(std::uint32_t position, Unit unit) const {
    const QString& text = buffer().text();
    if (unit == Unit::character || text.isEmpty())
        return {position, position};
    const TokenText::Line& line = m_text.line(m_text.lineOf(position));
    if (unit == Unit::line)
        return {line.start, line.end};
    QTextBoundaryFinder finder(QTextBoundaryFinder::Word, text.constData() + line.start,
                               static_cast<qsizetype>(line.end - line.start));
    finder.setPosition(static_cast<qsizetype>(position - line.start));
    if (!finder.isAtBoundary() || position == line.end)
        finder.toPreviousBoundary();
    const qsizetype begin = std::max<qsizetype>(0, finder.position());
    const qsizetype end = finder.toNextBoundary();
    return {line.start + static_cast<std::uint32_t>(begin),
            end < 0 ? line.end : line.start + static_cast<std::uint32_t>(end)};
}

void TokenTextView::setSelection(TextRange range) {
    range.end = std::min(range.end, buffer().textSize());
    if (range == m_marks.selection)
        return;
    const TextRange before = m_marks.selection;
    m_marks.selection = range;
    if (!before.empty())
        updateRange(before);
    if (!range.empty())
        updateRange(range);
    emit selectionChanged();
}

QString TokenTextView::selectedText() const {
    const TextRange& range = m_marks.selection;
    return range.empty() ? QString() : buffer().text().mid(range.begin, range.end - range.begin);
}

void TokenTextView::copy() const {
    const QString text = selectedText();
    if (!text.isEmpty())
        QGuiApplication::clipboard()->setText(text);
}

void TokenTextView::selectAll() {
    setSelection({0, buffer().textSize()});
}

void TokenTextView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return;
    m_dragPoint = event->position().toPoint();
    m_dragging = true;
    m_dragMoved = false;
    // A press soon after a double click is the third of three.
    const bool third = m_lastDoubleClickMs >= 0 && static_cast<qint64>(event->timestamp()) - m_lastDoubleClickMs <
                                                       QGuiApplication::styleHints()->mouseDoubleClickInterval();
    m_dragUnit = third ? Unit::line : Unit::character;
    const std::uint32_t position = positionUnder(m_dragPoint);
    if (event->modifiers().testFlag(Qt::ShiftModifier) && !m_marks.selection.empty()) {
        m_dragAnchor = {m_marks.selection.begin, m_marks.selection.begin};
        m_dragMoved = true;
        extendSelection(m_dragPoint);
        return;
    }
    m_dragAnchor = unitAt(position, m_dragUnit);
    setSelection(m_dragAnchor);
    m_dragMoved = third;
}

void TokenTextView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return;
    m_lastDoubleClickMs = static_cast<qint64>(event->timestamp());
    m_dragPoint = event->position().toPoint();
    m_dragging = true;
    m_dragMoved = true;
    m_dragUnit = Unit::word;
    m_dragAnchor = unitAt(positionUnder(m_dragPoint), Unit::word);
    setSelection(m_dragAnchor);
}

void TokenTextView::mouseMoveEvent(QMouseEvent* event) {
    const QPoint point = event->position().toPoint();
    if (m_dragging && event->buttons().testFlag(Qt::LeftButton)) {
        if ((point - m_dragPoint).manhattanLength() >= 3 || m_dragMoved) {
            m_dragMoved = true;
            m_dragPoint = point;
            extendSelection(point);
        }
        return;
    }
    const auto token = tokenAt(point);
    m_view.setHovered(token ? std::optional(TokenRef{m_lane, *token}) : std::nullopt);
}

void TokenTextView::extendSelection(QPoint point) {
    if (!m_dragging) {
        m_dragScroll.stop();
        return;
    }
    const QRect rows = rowsRect();
    const int beyond = point.y() < rows.top() ? -1 : point.y() > rows.bottom() ? 1 : 0;
    if (beyond != 0) {
        verticalScrollBar()->setValue(verticalScrollBar()->value() + beyond);
        if (!m_dragScroll.isActive())
            m_dragScroll.start();
    } else {
        m_dragScroll.stop();
    }
    const TextRange unit = unitAt(positionUnder(point), m_dragUnit);
    setSelection({std::min(m_dragAnchor.begin, unit.begin), std::max(m_dragAnchor.end, unit.end)});
}

void TokenTextView::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !m_dragging)
        return;
    m_dragging = false;
    m_dragScroll.stop();
    if (m_dragMoved) {
        QClipboard* clipboard = QGuiApplication::clipboard();
        if (clipboard->supportsSelection() && !m_marks.selection.empty())
            clipboard->setText(selectedText(), QClipboard::Selection);
        return;
    }
    const auto token = tokenAt(event->position().toPoint());
    m_view.setSelected(token ? std::optional(TokenRef{m_lane, *token}) : std::nullopt);
}

void TokenTextView::contextMenuEvent(QContextMenuEvent* event) {
    emit contextMenuRequested(event->globalPos());
    event->accept();
}

bool TokenTextView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::Enter || event->type() == QEvent::Leave)
        m_bar->setPointedAt(event->type() == QEvent::Enter);
    if (event->type() == QEvent::Leave && m_view.hovered() && m_view.hovered()->lane == m_lane)
        m_view.setHovered(std::nullopt);
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const auto token = tokenAt(help->pos());
        if (token)
            showPlainTip(help->globalPos(), tip(*token), viewport());
        else
            QToolTip::hideText();
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

bool TokenTextView::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        // The lane that has the focus answers to these, not the window.
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Copy) || key->matches(QKeySequence::SelectAll) || isNextKey(key->key()) ||
            isPreviousKey(key->key())) {
            event->accept();
            return true;
        }
    }
    return QAbstractScrollArea::event(event);
}

void TokenTextView::keyPressEvent(QKeyEvent* event) {
    QScrollBar* bar = verticalScrollBar();
    const int key = event->key();
    if (event->matches(QKeySequence::Copy))
        copy();
    else if (event->matches(QKeySequence::SelectAll))
        selectAll();
    else if (isNextKey(key))
        isStallKey(*event) ? stepStall(1) : stepToken(1);
    else if (isPreviousKey(key))
        isStallKey(*event) ? stepStall(-1) : stepToken(-1);
    else if (key == Qt::Key_Right)
        stepToken(1);
    else if (key == Qt::Key_Left)
        stepToken(-1);
    else if (key == Qt::Key_Home)
        bar->setValue(bar->minimum());
    else if (key == Qt::Key_End)
        bar->setValue(bar->maximum());
    else if (key == Qt::Key_Up)
        bar->setValue(bar->value() - 1);
    else if (key == Qt::Key_Down)
        bar->setValue(bar->value() + 1);
    else if (key == Qt::Key_PageUp)
        bar->setValue(bar->value() - bar->pageStep());
    else if (key == Qt::Key_PageDown)
        bar->setValue(bar->value() + bar->pageStep());
    else
        QAbstractScrollArea::keyPressEvent(event);
}

void TokenTextView::stepToken(int direction) {
    const auto count = static_cast<std::int64_t>(buffer().tokenCount());
    if (count == 0)
        return;
    std::int64_t token;
    if (mine(m_view.selected())) {
        token = static_cast<std::int64_t>(m_view.selected()->event) + direction;
    } else {
        const int line = std::min(firstLine(), m_text.lineCount() - 1);
        token = buffer().tokenAt(line >= 0 ? m_text.line(line).start : 0);
    }
    // Events of other choices have no word to stand on.
    while (token >= 0 && token < count &&
           buffer().begin(static_cast<std::uint32_t>(token)) == buffer().end(static_cast<std::uint32_t>(token)))
        token += direction;
    if (token >= 0 && token < count)
        m_view.setSelected(TokenRef{m_lane, static_cast<std::uint32_t>(token)});
}

void TokenTextView::stepStall(int direction) {
    if (m_stalls.empty())
        return;
    const auto stalls = static_cast<std::int64_t>(m_stalls.size());
    std::int64_t next = direction > 0 ? 0 : stalls - 1;
    if (mine(m_view.selected())) {
        // The nearest one on that side of the selected token.
        const std::uint32_t here = m_view.selected()->event;
        while (next >= 0 && next < stalls) {
            const std::uint32_t there = m_stalls[static_cast<std::size_t>(next)].eventIndex;
            if (direction > 0 ? there > here : there < here)
                break;
            next += direction;
        }
    }
    if (next < 0 || next >= stalls)
        return;
    // Set anew even when it is the same: the view may have been scrolled away.
    m_view.setStall(std::nullopt);
    m_view.setStall(StallRef{m_lane, static_cast<std::uint32_t>(next)});
}

void TokenTextView::focusInEvent(QFocusEvent* event) {
    const Qt::FocusReason why = event->reason();
    emit focusChanged(true, why == Qt::TabFocusReason || why == Qt::BacktabFocusReason ||
                                why == Qt::ShortcutFocusReason || why == Qt::OtherFocusReason);
    QAbstractScrollArea::focusInEvent(event);
}

void TokenTextView::focusOutEvent(QFocusEvent* event) {
    emit focusChanged(false, false);
    QAbstractScrollArea::focusOutEvent(event);
}

} // namespace decodescope
