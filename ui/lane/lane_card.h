#pragma once

#include "core/metrics/metrics.h"
#include "ui/lane/badge_row.h"
#include "ui/lane/failure_panel.h"
#include "ui/lane/lane_shot.h"
#include "ui/lane/lane_words.h"
#include "ui/view_state.h"

#include <QElapsedTimer>
#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

class QMenu;
class QToolButton;

namespace decodescope {

class HeatStrip;
class LaneHead;
class ReadingRow;
class TokenTextView;

/// One lane of a race: who it is, how it does, its heat strip, its text, and what is to be known about its figures.
class LaneCard : public QWidget {
    Q_OBJECT

public:
    explicit LaneCard(ViewState& view, QWidget* parent = nullptr);
    ~LaneCard() override;

    void setLaneId(LaneId lane);
    /// To the text; of a lane that failed before its first word, to what can be done about that.
    void takeFocus(Qt::FocusReason reason);
    [[nodiscard]] LaneId laneId() const { return m_lane; }
    /// Once a frame while visible: text and strip each time, numbers ten times a second, percentiles five times.
    void advance(const Session& session);
    /// The same from a shot; a view without a session (and tests) use it.
    void advance(const LaneShot& shot);
    /// How many token events the strip's width stands for: the longest lane's tokenEvents().
    void setTokenScale(double longestLane);
    [[nodiscard]] double tokenEvents() const;
    /// Shown instead of the running state; nullopt: no replay.
    void setReplay(std::optional<ReplayPosition> replay);
    /// An opened recording's lane is looked at only: it offers neither running nor editing.
    void setEditable(bool editable);

    [[nodiscard]] TokenTextView& text() { return *m_text; }
    [[nodiscard]] bool readingOn() const;
    void setReadingOn(bool on);
    void setReadingWordsPerMinute(int wpm);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void editRequested(LaneId lane);
    void duplicateRequested(LaneId lane);
    void removeRequested(LaneId lane);
    void moveRequested(LaneId lane, int by); ///< -1 left, +1 right
    void runRequested(LaneId lane);
    void stopRequested(LaneId lane);
    void changeKeyRequested(LaneId lane);
    void trustRequested(LaneId lane, const QString& fingerprint);
    /// The raw reply of the shown run.
    void bytesRequested(LaneId lane);
    void readingToggled(bool on);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool event(QEvent* event) override;

private:
    void refreshFigures(const LaneShot& shot);
    void refreshWords(const LaneShot& shot);
    void refreshReading(const LaneShot& shot);
    void refreshFailure(const LaneShot& shot);
    void setBadges(std::vector<LaneBadge> badges);
    [[nodiscard]] FailurePanel::Form failureForm() const;
    void placeChildren();
    void fillMenu(QMenu& menu);
    void showMenu(QPoint globalPosition);
    [[nodiscard]] QToolButton* makeButton(const QString& icon, const QString& name);
    [[nodiscard]] QRect footerRect() const;
    [[nodiscard]] BadgeRow badgeRow() const;

    ViewState& m_view;
    LaneId m_lane = 0;
    LaneHead* m_head = nullptr;
    TokenTextView* m_text = nullptr;
    HeatStrip* m_strip = nullptr;
    FailurePanel* m_failure = nullptr;
    ReadingRow* m_readingRow = nullptr;
    QToolButton* m_readingButton = nullptr;
    QToolButton* m_moreButton = nullptr;

    std::optional<ReplayPosition> m_replay;
    std::vector<LaneBadge> m_badges;
    std::optional<RunSummary> m_liveSummary;
    const LaneRun* m_run = nullptr; // of the live summary; compared, never followed
    std::shared_ptr<const RunRecord> m_record;
    std::uint64_t m_revision = 0;
    LaneState m_state = LaneState::idle;
    bool m_shown = false; // anything yet
    bool m_inFlight = false;
    bool m_editable = true;
    RateUnit m_unit = RateUnit::tokens;
    QElapsedTimer m_clock;
    qint64 m_wordsAtMs = -1000, m_figuresAtMs = -1000;

    ReadingPace m_pace;
    std::shared_ptr<const RunRecord> m_paceRecord;
    QElapsedTimer m_afterEnd; // the reader reads on when the stream is over
};

} // namespace decodescope
