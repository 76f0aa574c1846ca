#pragma once

#include "ui/lane/lane_card.h"
#include "ui/text/text_find.h"
#include "ui/view_state.h"

#include <QScrollArea>

#include <vector>

class QGridLayout;

namespace decodescope {

class ReplayController;

/// The lanes' cards side by side, of equal width; from five on in two rows. Knows which lane is the current one: the
/// one that had the focus last.
class LanesRow : public QScrollArea {
    Q_OBJECT

public:
    explicit LanesRow(ViewState& view, QWidget* parent = nullptr);

    /// One card a lane of the session; cards of lanes that stay are kept.
    void setLanes(const Session& session);
    /// `replay` gives the place that running lanes show while one is played; null: live.
    void advance(const Session& session, const ReplayController* replay);
    /// Whether lanes can be added here; an opened recording's cannot.
    void setEditable(bool editable);

    [[nodiscard]] LaneId current() const { return m_current; }
    [[nodiscard]] const std::vector<LaneCard*>& cards() const { return m_cards; }
    void focusLane(int index, Qt::FocusReason reason = Qt::ShortcutFocusReason);
    void copy() const;

public slots:
    void find(const QString& words);
    void findNext(bool backwards);

signals:
    void currentChanged();
    void addAsked();
    void editAsked(decodescope::LaneId lane);
    void keyAsked(decodescope::LaneId lane);
    void trustAsked(decodescope::LaneId lane, const QString& fingerprint);
    void duplicateAsked(decodescope::LaneId lane);
    void removeAsked(decodescope::LaneId lane);
    void moveAsked(decodescope::LaneId lane, int by);
    void runAsked(decodescope::LaneId lane);
    void stopAsked(decodescope::LaneId lane);
    void bytesAsked(decodescope::LaneId lane);
    /// Which of all places of the searched words is shown; -1, -1: nothing is searched.
    void hitsChanged(int current, int count);

protected:
    void resizeEvent(QResizeEvent* event) override;
    [[nodiscard]] QSize sizeHint() const override { return {980, 332}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {330, 216}; }

private:
    LaneCard* makeCard(LaneId lane);
    void layOut();
    void focusMoved(QWidget* now);
    [[nodiscard]] LaneCard* card(LaneId lane) const;
    void tellHits(std::size_t shown);

    ViewState& m_view;
    QWidget* m_content;
    QGridLayout* m_grid;
    QWidget* m_empty;
    std::vector<LaneCard*> m_cards;
    LaneId m_current = 0;
    bool m_editable = true;
    QString m_words;
};

} // namespace decodescope
