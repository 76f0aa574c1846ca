#pragma once

#include "core/metrics/run_summary.h"
#include "ui/text/line_painter.h"
#include "ui/text/text_find.h"
#include "ui/text/token_text.h"
#include "ui/view_state.h"

#include <QAbstractScrollArea>
#include <QTimer>

#include <memory>
#include <optional>
#include <vector>

namespace decodescope {

class ThinBar;

/// A lane's token stream: every word tinted by how long it was waited for. It follows the end unless it was scrolled
/// up, and repaints what changed only. Plain text, whatever it holds; copying gives exactly what the server sent.
class TokenTextView : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit TokenTextView(ViewState& view, QWidget* parent = nullptr);

    /// Whose text this is: tells its tokens from others' in the ViewState; `look` gives the caret's colour.
    void setLane(LaneId lane, int look);
    /// Takes in what is new in the record; another record (or null) begins anew. Cheap when nothing changed.
    void advance(const std::shared_ptr<const RunRecord>& record, bool running);
    /// Median for the heat, stall marks, hatches. As often as percentiles change.
    void setSummary(const RunSummary& summary);
    /// A mark at the end of the text ("stream ends here"); empty: none.
    void setEndMark(const QString& words);
    /// The reader's cursor; nullopt: reading pace is off. The view then follows the reader.
    void setReading(std::optional<ReadingMarks> reading);

    [[nodiscard]] const TokenText& text() const { return m_text; }
    [[nodiscard]] const TokenBuffer& buffer() const { return m_text.buffer(); }
    [[nodiscard]] double medianS() const { return m_marks.medianS; }
    /// The tooltip of a token, for other views of the same lane.
    [[nodiscard]] QString tip(std::uint32_t token) const;

    /// Searches and highlights; `stay` keeps the current match. Empty words end the search.
    FindResult find(const QString& words, FindStep step);
    [[nodiscard]] FindResult findResult() const { return m_find.result(); }

    [[nodiscard]] QString selectedText() const;
    void setSelection(TextRange range);
    [[nodiscard]] TextRange selection() const { return m_marks.selection; }
    /// Where a stretch of one line stands in the viewport; empty when it is scrolled away.
    [[nodiscard]] QRect rectOf(TextRange range);
    [[nodiscard]] bool following() const { return m_follow; }
    /// Scrolls so that the token is seen.
    void reveal(std::uint32_t token);
    /// The token under a point of the viewport, if there is text there.
    [[nodiscard]] std::optional<std::uint32_t> tokenAt(QPoint point);
    [[nodiscard]] int visibleLines() const;
    QSize minimumSizeHint() const override;

public slots:
    void copy() const;
    void selectAll();
    void selectNextToken() { stepToken(1); }
    void selectPreviousToken() { stepToken(-1); }
    void selectNextStall() { stepStall(1); }
    void selectPreviousStall() { stepStall(-1); }

signals:
    void selectionChanged();
    /// Focus came (by the keyboard or not) or went.
    void focusChanged(bool focused, bool byKeyboard);
    void contextMenuRequested(QPoint globalPosition);

protected:
    bool event(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    enum class Unit { character, word, line };
    static constexpr int kSide = 9; // left of the text; the scroll bar is the padding on the right

    void applyLook();
    [[nodiscard]] int firstLine() const;
    [[nodiscard]] qreal lineTop(int line) const;
    [[nodiscard]] QRect rowsRect() const;
    void wrapToWidth();
    void linesChanged(int first);
    void updateScrollRange();
    void updateLines(int first, int last);
    void updateToken(std::optional<TokenRef> token);
    void updateRange(TextRange range);
    [[nodiscard]] int lineUnder(int y) const;
    [[nodiscard]] std::uint32_t positionUnder(QPoint point);
    [[nodiscard]] TextRange unitAt(std::uint32_t position, Unit unit) const;
    void extendSelection(QPoint point);
    void stepToken(int direction);
    void stepStall(int direction);
    void revealRange(TextRange range);
    void followReader();
    void paintCaret(QPainter& painter);
    void paintBoxes(QPainter& painter);
    [[nodiscard]] bool mine(const std::optional<TokenRef>& token) const;
    void syncInserts();
    void describe();

    ViewState& m_view;
    ThinBar* m_bar = nullptr;
    LaneId m_lane = 0;
    int m_look = 0;
    std::shared_ptr<const RunRecord> m_record;
    TokenText m_text;
    TextMarks m_marks;
    TextFind m_find;
    std::vector<TextInsert> m_stallInserts;
    std::vector<Stall> m_stalls; // as in RunSummary::stalls
    QString m_endMark;
    std::optional<TokenRef> m_shownHovered, m_shownSelected; // as painted
    bool m_running = false;
    bool m_follow = true;
    bool m_adjusting = false; // the scroll bar is moved by us, not by the user
    int m_lineHeight = 20;

    QTimer m_wrapLater; // a long text is wrapped once the size has come to rest
    QTimer m_dragScroll;
    QPoint m_dragPoint;
    Unit m_dragUnit = Unit::character;
    TextRange m_dragAnchor;
    bool m_dragging = false;
    bool m_dragMoved = false;
    qint64 m_lastDoubleClickMs = -1000;
};

} // namespace decodescope
