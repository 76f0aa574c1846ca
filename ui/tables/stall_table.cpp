#include "ui/tables/stall_table.h"

#include "core/metrics/counted_stalls.h"
#include "ui/panels/controls.h"
#include "ui/tables/panel_header.h"
#include "ui/tables/row_delegate.h"
#include "ui/tables/table_text.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_tip.h"
#include "ui/theme/stall_marks.h"

#include <QHeaderView>
#include <QSortFilterProxyModel>
#include <QStyle>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace decodescope {
namespace {

constexpr qint64 kRefreshMs = 100;
constexpr int kRowHeight = 20;
constexpr int kPadding = 10;
constexpr int kNarrow = 620;
constexpr int kLeastRows = 2;
constexpr int kAccountPadding = 6; ///< above and below

/// A lane is its chip and name; lengths stand out.
class StallDelegate : public RowDelegate {
public:
    explicit StallDelegate(QObject* parent)
        : RowDelegate(kPadding, Qt::ElideRight, parent) {}

protected:
    [[nodiscard]] RowCell cellOf(const QModelIndex& index) const override {
        RowCell cell{index.data(Qt::DisplayRole).toString(), -1, index.column() == StallModel::lengthColumn};
        if (const QVariant lane = index.data(StallModel::lookRole); lane.isValid()) {
            cell.chip = lane.toInt();
            cell.text = cell.text.mid(2); // the letter is in the chip
        }
        return cell;
    }
};

} // namespace

StallTable::StallTable(ViewState& view, QWidget* parent)
    : QWidget(parent)
    , m_view(view)
    , m_sorted(new QSortFilterProxyModel(this))
    , m_header(new PanelHeader(tr("Stalls"), this))
    , m_table(new QTableView(this))
    , m_account(new RoleLabel({}, &Colours::ink2, Type::small, this)) {
    setAccessibleName(tr("Stalls"));
    m_sorted->setSourceModel(&m_model);
    m_sorted->setSortRole(StallModel::sortRole);
    m_table->setModel(m_sorted);
    m_table->setItemDelegate(new StallDelegate(m_table));
    m_table->setAccessibleName(tr("Stalls of all lanes"));
    m_table->setAccessibleDescription(tr("Choosing a row shows the stall in the text, the charts and the bytes."));
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(StallModel::startColumn, Qt::AscendingOrder);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(kRowHeight);
    m_table->verticalHeader()->setMinimumSectionSize(kRowHeight);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setStretchLastSection(true);
    // The arrow stands in the padding, where it covers neither a title nor a unit.
    m_table->horizontalHeader()->setStyleSheet(
        QStringLiteral("QHeaderView::up-arrow, QHeaderView::down-arrow { subcontrol-origin: border; "
                       "subcontrol-position: center right; width: 7px; height: 7px; right: 2px; }"));
    m_table->setShowGrid(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setMouseTracking(true);
    m_table->setTabKeyNavigation(false);

    addCopyActions(*m_table, *m_header, tr("Copy the stalls"));

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, 1, 1, 6);
    layout->setSpacing(0);
    layout->addWidget(m_header);
    layout->addWidget(m_table, 1);
    layout->addWidget(m_account);
    // Whatever the columns have no room for is read here.
    m_account->setWordWrap(true);
    m_account->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_account->setFocusPolicy(Qt::NoFocus);
    m_account->setContentsMargins(kPadding, kAccountPadding - 2, kPadding, 2);
    m_account->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_account->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Minimum);
    m_account->setAccessibleName(tr("Why it stalled"));
    m_account->hide();
    fitColumns();

    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& now) { choose(now); });
    connect(m_table, &QTableView::clicked, this, &StallTable::choose);
    connect(&m_view, &ViewState::stallChanged, this, &StallTable::followView);
    connect(&m_view, &ViewState::selectedChanged, this, &StallTable::followView);
    connect(&m_model, &QAbstractItemModel::modelReset, this, &StallTable::followView);
    connect(&Look::instance(), &Look::changed, this, [this] {
        fitColumns();
        update();
    });
}

void StallTable::advance(const Session& session) {
    if (m_sinceTaken.isValid() && m_sinceTaken.elapsed() < kRefreshMs)
        return;
    std::uint64_t revisions = session.lanes().size();
    bool moving = false;
    for (const auto& lane : session.lanes()) {
        revisions += lane->revision() * 1'000'003 + lane->config().id;
        moving = moving || lane->inFlight();
    }
    if (m_sinceTaken.isValid() && revisions == m_revisions && !moving)
        return;
    m_revisions = revisions;
    m_sinceTaken.start();
    m_model.setRows(collectStalls(session));
    tellWhy();
    const auto countOf = [&rows = m_model.rows()](const auto& which) {
        return std::count_if(rows.begin(), rows.end(), [&](const StallRow& row) { return which(row.stall); });
    };
    const auto count = countOf(isCounted);
    const auto own = countOf([](const Stall& stall) { return stall.kind == StallKind::client; });
    const auto together = countOf([](const Stall& stall) { return stall.together(); });
    QString note = m_model.rows().empty() ? tr("none so far") : count == 1 ? tr("1 stall") : tr("%1 stalls").arg(count);
    if (own > 0)
        note += tr(", %1 of our own machine").arg(own);
    if (together > 0)
        note += tr(", %1 together with other lanes").arg(together);
    m_header->setNote(note);
}

void StallTable::choose(const QModelIndex& proxied) {
    const QModelIndex index = m_sorted->mapToSource(proxied);
    if (m_following || !index.isValid())
        return;
    // A copy: setting the view may bring new rows.
    const StallRow row = m_model.rows()[static_cast<std::size_t>(index.row())];
    m_following = true;
    m_view.setStall(row.ref);
    if (row.ender)
        m_view.setSelected(row.ender);
    m_following = false;
    tellWhy();
}

/// Another view chose a stall, or the token that ended one: its row becomes current.
void StallTable::followView() {
    if (m_following)
        return;
    int row = m_view.stall() ? m_model.rowOf(*m_view.stall()) : -1;
    if (row < 0 && m_view.selected()) {
        const auto& rows = m_model.rows();
        const auto found =
            std::find_if(rows.begin(), rows.end(), [&](const StallRow& r) { return r.ender == m_view.selected(); });
        row = found == rows.end() ? -1 : static_cast<int>(found - rows.begin());
    }
    m_following = true;
    if (row < 0) {
        m_table->clearSelection();
        m_table->selectionModel()->clearCurrentIndex();
    } else {
        const QModelIndex index = m_sorted->mapFromSource(m_model.index(row, 0));
        m_table->setCurrentIndex(index);
        m_table->selectRow(index.row());
        m_table->scrollTo(index);
    }
    m_following = false;
    tellWhy();
}

/// The chosen row in full sentences.
void StallTable::tellWhy() {
    const QModelIndex index = m_sorted->mapToSource(m_table->selectionModel()->currentIndex());
    QString words;
    if (!index.isValid()) {
        // A narrow panel has no column of evidence: it says where that is read.
        if (width() < kNarrow && m_model.rowCount() > 0)
            words = tr("Choose a stall to read the evidence for its kind.");
    } else {
        const StallRow& row = m_model.rows()[static_cast<std::size_t>(index.row())];
        words = QStringLiteral("%1: ").arg(Look::instance().lane(row.look).letter) +
                stallAccount(row.stall, row.precise).replace(QLatin1Char('\n'), QLatin1Char(' '));
    }
    if (words != m_account->text())
        m_account->setText(words);
    setPlainTip(m_account, words);
    if (m_account->isHidden() != words.isEmpty()) {
        m_account->setVisible(!words.isEmpty());
        layout()->activate(); // it takes its room from the rows: the chosen one stays in sight
        m_table->scrollTo(m_table->currentIndex());
    }
}

void StallTable::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitColumns();
    // In a low panel the rows come first; the rest of the sentences is a tooltip.
    const int line = m_account->fontMetrics().lineSpacing();
    const int room = height() - m_header->sizeHint().height() - m_table->horizontalHeader()->sizeHint().height() -
                     kLeastRows * kRowHeight - kAccountPadding;
    m_account->setMaximumHeight(std::max(1, room / line) * line + kAccountPadding);
}

void StallTable::fitColumns() {
    const QFontMetrics metrics(Look::instance().font(Type::body));
    const auto letters = [&](int n) { return metrics.averageCharWidth() * n + 24; };
    const bool narrow = width() < kNarrow;
    const int start = letters(narrow ? 5 : 7);
    const int length = letters(narrow ? 8 : 9);
    const int kind = letters(10);
    // Where the kind is the last column, the name has what the others leave, a scroll bar's room included.
    const int left = width() - 2 - style()->pixelMetric(QStyle::PM_ScrollBarExtent) - start - length - kind;
    m_table->setColumnWidth(StallModel::laneColumn, narrow ? std::max(letters(4), left) : letters(15));
    m_table->setColumnWidth(StallModel::startColumn, start);
    m_table->setColumnWidth(StallModel::lengthColumn, length);
    m_table->setColumnWidth(StallModel::kindColumn, kind);
    m_table->setColumnWidth(StallModel::tokenColumn, letters(6));
    m_table->setColumnWidth(StallModel::wordColumn, letters(12));
    m_table->setColumnWidth(StallModel::periodicColumn, letters(7));
    m_table->setColumnWidth(StallModel::othersColumn, letters(14));
    // In a narrow panel the columns that the line below tells as well give way to those that a stall is found by.
    for (const int column : {StallModel::tokenColumn, StallModel::wordColumn, StallModel::periodicColumn,
                             StallModel::othersColumn, StallModel::evidenceColumn})
        m_table->setColumnHidden(column, narrow);
}

void StallTable::paintEvent(QPaintEvent*) {
    paintPanel(*this);
}

} // namespace decodescope
