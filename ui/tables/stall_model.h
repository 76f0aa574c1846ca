#pragma once

#include "core/session/session.h"
#include "ui/view_state.h"

#include <QAbstractTableModel>

#include <vector>

namespace decodescope {

/// One stall of one lane as the table shows it.
struct StallRow {
    StallRef ref;
    int look = 0;
    QString laneName;
    Stall stall;
    QString word;                  ///< text of the token that ended it; empty while open
    std::optional<TokenRef> ender; ///< that token
    QString others;                ///< letters of lanes that stalled at the same instant
    bool precise = false;          ///< a clock that is worth a decimal of a millisecond

    friend bool operator==(const StallRow&, const StallRow&) = default;
};

/// The stalls of all lanes' shown runs, in the order of the lanes.
[[nodiscard]] std::vector<StallRow> collectStalls(const Session& session);

class StallModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column {
        laneColumn,
        startColumn,
        lengthColumn,
        kindColumn,
        tokenColumn,
        wordColumn,
        periodicColumn,
        othersColumn,
        evidenceColumn,
        columns
    };
    enum Role { sortRole = Qt::UserRole + 1, lookRole };

    using QAbstractTableModel::QAbstractTableModel;

    void setRows(std::vector<StallRow> rows);
    [[nodiscard]] const std::vector<StallRow>& rows() const { return m_rows; }
    /// Row of a stall, or -1.
    [[nodiscard]] int rowOf(const StallRef& ref) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<StallRow> m_rows;
};

} // namespace decodescope
