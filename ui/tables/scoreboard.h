#pragma once

#include "ui/tables/score_model.h"
#include "ui/view_state.h"

#include <QElapsedTimer>
#include <QWidget>

#include <cstdint>
#include <vector>

class QTableView;

namespace decodescope {

class PanelHeader;
class ScoreNotes;

/// All metrics of all lanes side by side, with ratios to the best complete lane and break-even lengths.
class Scoreboard : public QWidget {
    Q_OBJECT

public:
    explicit Scoreboard(ViewState& view, QWidget* parent = nullptr);

    /// Called by the window's tick; values are taken at most ten times a second, and at once when a lane changed
    /// its state.
    void advance(const Session& session);

    [[nodiscard]] const ScoreModel& model() const { return m_model; }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fitColumns();
    void fitRows();
    void clicked(const QModelIndex& index);

    ViewState& m_view;
    ScoreModel m_model;
    PanelHeader* m_header;
    QTableView* m_table;
    ScoreNotes* m_notes;
    QElapsedTimer m_sinceTaken;
    struct Seen {
        LaneId id = 0;
        std::uint64_t revision = 0;
        LaneState state = LaneState::idle;
        int look = 0;
        friend bool operator==(const Seen&, const Seen&) = default;
    };
    std::vector<Seen> m_seen;
};

} // namespace decodescope
