#include "ui/tables/score_model.h"

#include "ui/theme/look.h"
#include "ui/theme/plain_tip.h"

#include <algorithm>
#include <numeric>

namespace decodescope {
namespace {

QString stateWord(LaneState state) {
    switch (state) {
    case LaneState::idle:
        return ScoreModel::tr("not run yet");
    case LaneState::connecting:
        return ScoreModel::tr("connecting");
    case LaneState::waiting:
        return ScoreModel::tr("waiting");
    case LaneState::running:
        return ScoreModel::tr("running");
    case LaneState::done:
        return ScoreModel::tr("done");
    case LaneState::failed:
        return ScoreModel::tr("failed");
    case LaneState::cut:
        return ScoreModel::tr("cut");
    case LaneState::cancelled:
        return ScoreModel::tr("stopped");
    case LaneState::notStreamed:
        return ScoreModel::tr("not streamed");
    }
    return {};
}

/// "Lane A, name: running".
QString headerWords(const ScoreLane& lane) {
    return ScoreModel::tr("Lane %1, %2: %3")
        .arg(Look::instance().lane(lane.look).letter)
        .arg(lane.name, stateWord(lane.state));
}

} // namespace

std::vector<std::size_t> ScoreModel::orderOf(const Scores& scores) const {
    std::vector<std::size_t> order(scores.lanes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (!m_sortMetric)
        return order;
    const ScoreRow& row = scores.rows[static_cast<std::size_t>(*m_sortMetric)];
    const bool up = higherIsBetter(*m_sortMetric);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const ScoreCell& x = row.cells[a];
        const ScoreCell& y = row.cells[b];
        const auto rank = [](const ScoreCell& c) { return !c.value ? 2 : c.dim ? 1 : 0; };
        if (rank(x) != rank(y))
            return rank(x) < rank(y);
        return x.value && y.value && (up ? *x.value > *y.value : *x.value < *y.value);
    });
    return order;
}

void ScoreModel::setScores(Scores scores) {
    std::vector<std::size_t> order = orderOf(scores);
    const auto ids = [](const Scores& s, const std::vector<std::size_t>& by) {
        std::vector<LaneId> out;
        for (const std::size_t i : by)
            out.push_back(s.lanes[i].id);
        return out;
    };
    const bool sameLanes = ids(scores, order) == ids(m_scores, m_order);
    if (!sameLanes)
        beginResetModel();
    m_scores = std::move(scores);
    m_order = std::move(order);
    if (!sameLanes) {
        endResetModel();
        return;
    }
    emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    if (columnCount() > 1)
        emit headerDataChanged(Qt::Horizontal, 1, columnCount() - 1);
}

void ScoreModel::setSortMetric(std::optional<ScoreMetric> metric) {
    if (m_sortMetric == metric)
        return;
    m_sortMetric = metric;
    setScores(m_scores);
}

int ScoreModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kScoreMetrics;
}

int ScoreModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_order.size()) + 1;
}

const ScoreLane* ScoreModel::laneAt(int column) const {
    if (column < 1 || column > static_cast<int>(m_order.size()))
        return nullptr;
    return &m_scores.lanes[m_order[static_cast<std::size_t>(column - 1)]];
}

const ScoreCell* ScoreModel::cellAt(const QModelIndex& index) const {
    if (!index.isValid() || laneAt(index.column()) == nullptr)
        return nullptr;
    const ScoreRow& row = m_scores.rows[static_cast<std::size_t>(index.row())];
    return &row.cells[m_order[static_cast<std::size_t>(index.column() - 1)]];
}

QVariant ScoreModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const ScoreRow& row = m_scores.rows[static_cast<std::size_t>(index.row())];
    if (index.column() == 0) {
        switch (role) {
        case Qt::DisplayRole:
        case Qt::AccessibleTextRole:
            return row.unit.isEmpty() ? row.name : row.name + QStringLiteral(", ") + row.unit;
        case Qt::ToolTipRole:
            return tr("Click to order the lanes by this metric, best first; again for their own order.");
        case nameRole:
            return row.name;
        case unitRole:
            return row.unit;
        default:
            return {};
        }
    }
    const ScoreCell* cell = cellAt(index);
    if (cell == nullptr)
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return cell->text;
    case Qt::AccessibleTextRole: {
        QString spoken = row.name + QStringLiteral(", ") + laneAt(index.column())->name + QStringLiteral(": ") +
                         (cell->value ? cell->text + QLatin1Char(' ') + row.unit : tr("not defined"));
        if (cell->best)
            spoken += tr(", best");
        else if (!cell->ratio.isEmpty())
            spoken += tr(", %1 the best").arg(cell->ratio);
        return spoken;
    }
    case Qt::ToolTipRole:
        return plainTip(cell->toolTip);
    case Qt::TextAlignmentRole:
        return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    case ratioRole:
        return cell->ratio;
    case bestRole:
        return cell->best;
    case dimRole:
        return cell->dim || !cell->value;
    default:
        return {};
    }
}

QVariant ScoreModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    const ScoreLane* lane = laneAt(section);
    if (lane == nullptr)
        return role == Qt::DisplayRole ? tr("× ratio to the best lane") : QVariant();
    switch (role) {
    case Qt::DisplayRole:
        return QStringLiteral("%1 %2").arg(Look::instance().lane(lane->look).letter).arg(lane->name);
    case Qt::ToolTipRole:
        return plainTip(headerWords(*lane));
    case Qt::AccessibleTextRole:
        return headerWords(*lane);
    case lookRole:
        return lane->look;
    case stateRole:
        return static_cast<int>(lane->state);
    case laneRole:
        return lane->id;
    default:
        return {};
    }
}

} // namespace decodescope
