#pragma once

#include "ui/tables/stall_model.h"
#include "ui/view_state.h"

#include <QElapsedTimer>
#include <QWidget>

#include <cstdint>

class QSortFilterProxyModel;
class QTableView;

namespace decodescope {

class PanelHeader;
class RoleLabel;

/// All stalls of all lanes. A click selects the stall and the token that ended it, so that text, charts and bytes
/// show the same place; a selection made elsewhere is followed.
class StallTable : public QWidget {
    Q_OBJECT

public:
    explicit StallTable(ViewState& view, QWidget* parent = nullptr);

    /// Called by the window's tick; looks at most ten times a second.
    void advance(const Session& session);

    [[nodiscard]] const StallModel& model() const { return m_model; }
    [[nodiscard]] QTableView* table() const { return m_table; }
    /// The line under the table: why the chosen one stalled.
    [[nodiscard]] const RoleLabel* account() const { return m_account; }

protected:
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void choose(const QModelIndex& proxied);
    void followView();
    void fitColumns();
    void tellWhy();

    ViewState& m_view;
    StallModel m_model;
    QSortFilterProxyModel* m_sorted;
    PanelHeader* m_header;
    QTableView* m_table;
    RoleLabel* m_account;
    QElapsedTimer m_sinceTaken;
    std::uint64_t m_revisions = 0; ///< sum over the lanes when last taken
    bool m_following = false;      ///< the view moved us: do not answer
};

} // namespace decodescope
