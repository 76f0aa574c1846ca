#include "ui/tables/scoreboard.h"

#include "ui/tables/panel_header.h"
#include "ui/tables/score_paint.h"
#include "ui/tables/table_text.h"
#include "ui/theme/look.h"

#include <QEvent>
#include <QHeaderView>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace decodescope {
namespace {

constexpr qint64 kRefreshMs = 100;
constexpr int kRows = 19;
constexpr int kLeastRows = 16; ///< what a line of text takes

} // namespace

Scoreboard::Scoreboard(ViewState& view, QWidget* parent)
    : QWidget(parent)
    , m_view(view)
    , m_header(new PanelHeader(tr("Scoreboard"), this))
    , m_table(new QTableView(this))
    , m_notes(new ScoreNotes(this)) {
    setAccessibleName(tr("Scoreboard"));
    m_table->setModel(&m_model);
    m_table->setItemDelegate(new ScoreDelegate(m_table));
    m_table->setHorizontalHeader(new ScoreHeader(m_table));
    m_table->setAccessibleName(tr("Metrics of all lanes"));
    m_table->setAccessibleDescription(tr("A row for each metric, a column for each lane."));
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(kRows);
    m_table->verticalHeader()->setMinimumSectionSize(kLeastRows);
    m_table->setShowGrid(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_table->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_table->setTabKeyNavigation(false);
    m_table->viewport()->installEventFilter(this); // a scroll bar that comes takes room from the columns

    addCopyActions(*m_table, *m_header, tr("Copy the scoreboard"));

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, 1, 1, 8); // leaves the panel's edge visible
    layout->setSpacing(0);
    layout->addWidget(m_header);
    layout->addWidget(m_table, 1);
    layout->addSpacing(6);
    layout->addWidget(m_notes);

    connect(m_table, &QTableView::clicked, this, &Scoreboard::clicked);
    connect(&m_model, &QAbstractItemModel::modelReset, this, &Scoreboard::fitColumns);
    connect(&Look::instance(), &Look::changed, this, [this] {
        fitColumns();
        update();
    });
}

void Scoreboard::advance(const Session& session) {
    std::vector<Seen> seen;
    bool structure = session.lanes().size() != m_seen.size();
    for (const auto& lane : session.lanes()) {
        seen.push_back({lane->config().id, lane->revision(), lane->state(), lane->config().look});
        const std::size_t i = seen.size() - 1;
        structure = structure || i >= m_seen.size() || m_seen[i].id != seen[i].id || m_seen[i].state != seen[i].state ||
                    m_seen[i].look != seen[i].look;
    }
    const bool due = !m_sinceTaken.isValid() || m_sinceTaken.elapsed() >= kRefreshMs;
    // An open stall grows while nothing arrives, so lanes in flight are taken anew though nothing came.
    const bool moving =
        std::any_of(session.lanes().begin(), session.lanes().end(), [](const auto& lane) { return lane->inFlight(); });
    if (!structure && (!due || (seen == m_seen && !moving)))
        return;
    m_seen = std::move(seen);
    m_sinceTaken.start();
    std::vector<ScoreLane> lanes;
    for (const auto& lane : session.lanes())
        lanes.push_back(scoreLane(*lane));
    m_model.setScores(makeScores(std::move(lanes)));
    m_header->setNote(m_model.scores().scope);
    m_notes->setNotes(m_model.scores().notes);
}

void Scoreboard::fitColumns() {
    const int columns = m_model.columnCount();
    if (columns < 2)
        return;
    int label = 0;
    for (int r = 0; r < m_model.rowCount(); ++r)
        label = std::max(label, m_table->sizeHintForIndex(m_model.index(r, 0)).width());
    const int space = m_table->viewport()->width() - label;
    // A value of five digits and its ratio; closer together where that saves a scroll bar.
    constexpr int kRoomy = 74;
    constexpr int kClose = 64;
    const int narrowest = space / (columns - 1) >= kClose ? kClose : kRoomy;
    const int each = std::max(narrowest, space / (columns - 1));
    m_table->setColumnWidth(0, std::max(label, m_table->viewport()->width() - each * (columns - 1)));
    for (int c = 1; c < columns; ++c)
        m_table->setColumnWidth(c, each);
}

/// Rows a little closer together rather than a last one cut in half by the notes below.
void Scoreboard::fitRows() {
    const int each = std::clamp(m_table->viewport()->height() / kScoreMetrics, kLeastRows, kRows);
    if (each != m_table->verticalHeader()->defaultSectionSize())
        m_table->verticalHeader()->setDefaultSectionSize(each);
}

void Scoreboard::clicked(const QModelIndex& index) {
    if (index.column() == 0) {
        const auto metric = static_cast<ScoreMetric>(index.row());
        m_model.setSortMetric(m_model.sortMetric() == metric ? std::nullopt : std::optional(metric));
        return;
    }
    m_view.setFront(m_model.headerData(index.column(), Qt::Horizontal, ScoreModel::laneRole).toUInt());
}

void Scoreboard::paintEvent(QPaintEvent*) {
    paintPanel(*this);
}

bool Scoreboard::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_table->viewport() && event->type() == QEvent::Resize) {
        fitRows();
        fitColumns();
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace decodescope
