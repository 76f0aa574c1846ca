#pragma once

#include "ui/tables/score_data.h"

#include <QAbstractTableModel>

#include <optional>

namespace decodescope {

/// The scoreboard as a table: a row a metric, the first column its name and unit, then a column a lane.
class ScoreModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Role {
        ratioRole = Qt::UserRole + 1,
        bestRole,
        dimRole,
        unitRole, ///< first column: the unit apart from the name
        nameRole,
        lookRole,  ///< horizontal header: the lane's look
        stateRole, ///< horizontal header: its LaneState
        laneRole   ///< horizontal header: its LaneId
    };

    using QAbstractTableModel::QAbstractTableModel;

    /// Takes new figures; the structure changes only when the lanes do.
    void setScores(Scores scores);
    [[nodiscard]] const Scores& scores() const { return m_scores; }
    /// Lanes by a metric, the best first; nullopt: as in the session.
    void setSortMetric(std::optional<ScoreMetric> metric);
    [[nodiscard]] std::optional<ScoreMetric> sortMetric() const { return m_sortMetric; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] std::vector<std::size_t> orderOf(const Scores& scores) const;
    [[nodiscard]] const ScoreLane* laneAt(int column) const;
    [[nodiscard]] const ScoreCell* cellAt(const QModelIndex& index) const;

    Scores m_scores;
    std::vector<std::size_t> m_order; ///< lane of each column
    std::optional<ScoreMetric> m_sortMetric;
};

} // namespace decodescope
