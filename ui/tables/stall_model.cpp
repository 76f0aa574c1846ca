#include "ui/tables/stall_model.h"

#include "core/metrics/stalls_together.h"
#include "ui/theme/format.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_tip.h"
#include "ui/theme/stall_marks.h"

#include <algorithm>

namespace decodescope {
namespace {

constexpr qsizetype kLongestWord = 40;

/// "B, C: this side"; the letters alone where they point nowhere.
QString togetherWords(const StallRow& row) {
    if (!row.stall.together())
        return row.others;
    const StallSide side = row.stall.others->side;
    const QString where = side == StallSide::client   ? StallModel::tr("this side")
                          : side == StallSide::server ? StallModel::tr("its server")
                                                      : StallModel::tr("server or this side");
    return row.others + QStringLiteral(": ") + where;
}

/// A token's text on one line, cut to a size that fits a cell.
QString wordOf(const RunRecord& record, const TokenEvent& event) {
    const std::string_view text = record.textOf(event);
    QString word = QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())).simplified();
    if (word.size() > kLongestWord)
        word = word.left(kLongestWord) + QChar(0x2026);
    return word;
}

/// When a stall lasted, on the clock that all lanes share.
struct Lasted {
    LaneId lane = 0;
    QChar letter;
    double fromS = 0, toS = 0;
};

} // namespace

std::vector<StallRow> collectStalls(const Session& session) {
    struct Shown {
        const Lane* lane;
        const RunRecord* record;
        std::vector<Stall> stalls;
    };
    std::vector<Shown> lanes;
    for (const auto& lane : session.lanes())
        if (const LaneRun* run = lane->current())
            lanes.push_back(
                {lane.get(), run->record.get(),
                 run->summary ? run->summary->stalls : run->live.summary(*run->record, lane->now()).stalls});
    std::vector<RunWithStalls> runs;
    for (const Shown& shown : lanes)
        runs.push_back({shown.record, &shown.stalls});
    const auto others = stallsTogether(runs);
    std::vector<StallRow> rows;
    std::vector<Lasted> lasted;
    for (std::size_t l = 0; l < lanes.size(); ++l) {
        const LaneConfig& config = lanes[l].lane->config();
        const RunRecord& record = *lanes[l].record;
        markTogether(lanes[l].stalls, others[l]);
        for (std::size_t i = 0; i < lanes[l].stalls.size(); ++i) {
            StallRow row;
            row.ref = {config.id, static_cast<std::uint32_t>(i)};
            row.look = config.look;
            row.laneName = QString::fromStdString(config.spec.laneName);
            row.stall = std::move(lanes[l].stalls[i]);
            row.precise = record.clock != ClockSource::user;
            if (row.stall.eventIndex < record.events.size()) {
                row.ender = TokenRef{row.ref.lane, row.stall.eventIndex};
                row.word = wordOf(record, record.events[row.stall.eventIndex]);
            }
            const double from = toSeconds(record.started.value_or(Instant{}).time_since_epoch()) + row.stall.startS;
            lasted.push_back({row.ref.lane, Look::instance().lane(row.look).letter, from, from + row.stall.lengthS});
            rows.push_back(std::move(row));
        }
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        QStringList letters;
        for (const Lasted& other : lasted)
            if (other.lane != lasted[i].lane && other.fromS < lasted[i].toS && lasted[i].fromS < other.toS &&
                !letters.contains(QString(other.letter)))
                letters << other.letter;
        rows[i].others = letters.join(QStringLiteral(", "));
    }
    return rows;
}

void StallModel::setRows(std::vector<StallRow> rows) {
    if (rows == m_rows)
        return;
    const auto refs = [](const std::vector<StallRow>& all) {
        std::vector<StallRef> out;
        for (const StallRow& row : all)
            out.push_back(row.ref);
        return out;
    };
    const bool same = refs(rows) == refs(m_rows);
    if (!same)
        beginResetModel();
    m_rows = std::move(rows);
    if (same)
        emit dataChanged(index(0, 0), index(rowCount() - 1, columns - 1));
    else
        endResetModel();
}

int StallModel::rowOf(const StallRef& ref) const {
    const auto row = std::find_if(m_rows.begin(), m_rows.end(), [&](const StallRow& r) { return r.ref == ref; });
    return row == m_rows.end() ? -1 : static_cast<int>(row - m_rows.begin());
}

int StallModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int StallModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : columns;
}

QVariant StallModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const StallRow& row = m_rows[static_cast<std::size_t>(index.row())];
    const Stall& stall = row.stall;
    if (role == lookRole)
        return index.column() == laneColumn ? QVariant(row.look) : QVariant();
    if (role == Qt::ToolTipRole) {
        const QString text = index.column() == wordColumn ? row.word
                             : index.column() == othersColumn && stall.others
                                 ? QString::fromStdString(stall.others->evidence)
                                 : QString::fromStdString(stall.evidence);
        return plainTip(text);
    }
    if (role == Qt::TextAlignmentRole) {
        const bool number =
            index.column() == startColumn || index.column() == lengthColumn || index.column() == tokenColumn;
        return static_cast<int>((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    if (role == Qt::ForegroundRole) {
        if (index.column() == kindColumn || index.column() == lengthColumn)
            return stall.kind == StallKind::client ? Look::instance().colours().ink3 : Look::instance().colours().stall;
        return index.column() == evidenceColumn ? Look::instance().colours().ink2 : Look::instance().colours().ink;
    }
    if (role != Qt::DisplayRole && role != sortRole && role != Qt::AccessibleTextRole)
        return {};
    const bool sorts = role == sortRole;
    switch (index.column()) {
    case laneColumn:
        if (sorts)
            return row.look;
        return QStringLiteral("%1 %2").arg(Look::instance().lane(row.look).letter).arg(row.laneName);
    case startColumn:
        return sorts ? QVariant(stall.startS) : QVariant(QString::number(stall.startS, 'f', 2));
    case lengthColumn:
        return sorts ? QVariant(stall.lengthS) : QVariant(formatCount(stall.lengthS * 1e3));
    case kindColumn:
        return stallKindName(stall.kind);
    case tokenColumn:
        return sorts ? QVariant(stall.tokenIndex) : QVariant(formatCount(stall.tokenIndex + 1));
    case wordColumn:
        return row.word;
    case periodicColumn:
        return stall.periodic ? tr("yes") : QString();
    case othersColumn:
        return togetherWords(row);
    case evidenceColumn:
        return QString::fromStdString(stall.together() ? stall.evidence + ' ' + stall.others->evidence
                                                       : stall.evidence);
    default:
        return {};
    }
}

QVariant StallModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole) {
        const bool number = section == startColumn || section == lengthColumn || section == tokenColumn;
        return static_cast<int>((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    if (role == Qt::ToolTipRole) {
        switch (section) {
        case startColumn:
            return tr("When the arrival before the stall came, in seconds after the start of the request.");
        case kindColumn:
            return tr("Delivery: held on the way, caught up afterwards. Generation: no catch-up. Phase: a change of "
                      "channel. Own machine: a hiccup of ours, in no percentile. Open: still going on. Unknown: it "
                      "cannot be told.");
        case tokenColumn:
            return tr("The token that came late.");
        case periodicColumn:
            return tr("Three or more stalls at even distances, in time or in tokens.");
        case othersColumn:
            return tr("Lanes that stalled at the same instant, and where that points: this machine or its network when "
                      "they have several servers, the server when lanes of others went on.");
        default:
            return {};
        }
    }
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case laneColumn:
        return tr("Lane");
    case startColumn:
        return tr("Start s");
    case lengthColumn:
        return tr("Length ms");
    case kindColumn:
        return tr("Kind");
    case tokenColumn:
        return tr("Token");
    case wordColumn:
        return tr("Word");
    case periodicColumn:
        return tr("Periodic");
    case othersColumn:
        return tr("Also");
    case evidenceColumn:
        return tr("Evidence");
    default:
        return {};
    }
}

} // namespace decodescope
