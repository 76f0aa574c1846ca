#include "ui/tables/stall_model.h"

#include "ui/tables/panel_header.h"
#include "ui/theme/format.h"
#include "ui/theme/look.h"

#include <algorithm>

namespace decodescope {
namespace {

constexpr qsizetype kLongestWord = 40;

QString kindWord(StallKind kind) {
    switch (kind) {
    case StallKind::delivery:
        return StallModel::tr("delivery");
    case StallKind::generation:
        return StallModel::tr("generation");
    case StallKind::phase:
        return StallModel::tr("phase");
    case StallKind::client:
        return StallModel::tr("own machine");
    case StallKind::open:
        return StallModel::tr("open");
    case StallKind::unknown:
        break;
    }
    return StallModel::tr("unknown");
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
    std::vector<StallRow> rows;
    std::vector<Lasted> lasted;
    for (const auto& lane : session.lanes()) {
        const LaneRun* run = lane->current();
        if (run == nullptr)
            continue;
        const RunRecord& record = *run->record;
        const std::vector<Stall> stalls =
            run->summary ? run->summary->stalls : run->live.summary(record, lane->now()).stalls;
        const double origin = record.started ? static_cast<double>(toNs(*record.started)) * 1e-9 : 0.0;
        for (std::size_t i = 0; i < stalls.size(); ++i) {
            StallRow row;
            row.ref = {lane->config().id, static_cast<std::uint32_t>(i)};
            row.look = lane->config().look;
            row.laneName = QString::fromStdString(lane->config().spec.laneName);
            row.stall = stalls[i];
            row.precise = record.clock != ClockSource::user;
            if (stalls[i].eventIndex < record.events.size()) {
                row.ender = TokenRef{row.ref.lane, stalls[i].eventIndex};
                row.word = wordOf(record, record.events[stalls[i].eventIndex]);
            }
            const double from = origin + stalls[i].startS;
            lasted.push_back({row.ref.lane, Look::instance().lane(row.look).letter, from, from + stalls[i].lengthS});
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
        const QString text = index.column() == wordColumn ? row.word : QString::fromStdString(stall.evidence);
        return plainToolTip(text);
    }
    if (role == Qt::TextAlignmentRole) {
        const bool number =
            index.column() == startColumn || index.column() == lengthColumn || index.column() == tokenColumn;
        return static_cast<int>((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    if (role == Qt::ForegroundRole) {
        if (index.column() == kindColumn || index.column() == lengthColumn)
            return Look::instance().colours().stall;
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
        return kindWord(stall.kind);
    case tokenColumn:
        return sorts ? QVariant(stall.tokenIndex) : QVariant(formatCount(stall.tokenIndex + 1));
    case wordColumn:
        return row.word;
    case periodicColumn:
        return stall.periodic ? tr("yes") : QString();
    case othersColumn:
        return row.others;
    case evidenceColumn:
        return QString::fromStdString(stall.evidence);
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
                      "channel. Open: still going on. Unknown: it cannot be told.");
        case tokenColumn:
            return tr("The token that came late.");
        case periodicColumn:
            return tr("Three or more stalls at even distances, in time or in tokens.");
        case othersColumn:
            return tr("Lanes that stalled at the same instant: several together point at this machine or its network.");
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
