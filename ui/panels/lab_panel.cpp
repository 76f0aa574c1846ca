#include "ui/panels/lab_panel.h"

#include "core/source/local_model.h"
#include "ui/panels/controls.h"
#include "ui/tables/panel_header.h"
#include "ui/tables/row_delegate.h"
#include "ui/tables/table_text.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_tip.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QTableView>

#include <array>

namespace decodescope {
namespace {

constexpr qint64 kRefreshMs = 250;
constexpr int kRowHeight = 22;
constexpr int kPadding = 8;

/// The value's lane is its chip.
class LabDelegate : public RowDelegate {
public:
    explicit LabDelegate(QObject* parent)
        : RowDelegate(kPadding, Qt::ElideMiddle, parent) {}

protected:
    [[nodiscard]] RowCell cellOf(const QModelIndex& index) const override {
        return {index.data(Qt::DisplayRole).toString(),
                index.column() == LabModel::valueColumn ? index.data(LabModel::lookRole).toInt() : -1, false};
    }
};

} // namespace

void LabModel::setRows(std::vector<LabRow> rows) {
    const bool same = rows.size() == m_rows.size();
    if (!same)
        beginResetModel();
    m_rows = std::move(rows);
    if (!same)
        endResetModel();
    else if (!m_rows.empty())
        emit dataChanged(index(0, 0), index(static_cast<int>(m_rows.size()) - 1, columns - 1));
}

int LabModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int LabModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : columns;
}

QVariant LabModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const LabRow& row = m_rows[static_cast<std::size_t>(index.row())];
    if (role == lookRole)
        return row.look;
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((index.column() == valueColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::ForegroundRole)
        return row.tps || index.column() == valueColumn ? Look::instance().colours().ink
                                                        : Look::instance().colours().ink3;
    if (role == Qt::ToolTipRole)
        return plainTip(data(index, Qt::DisplayRole).toString());
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case valueColumn:
        return row.value;
    case ttftColumn:
        return row.ttftS ? formatDuration(row.ttftS).joined() : row.state.isEmpty() ? enDash() : row.state;
    case rateColumn:
        return formatRate(row.tps);
    case aggregateColumn:
        return formatRate(row.aggregateTps);
    case bandwidthColumn:
        return row.gbPerS ? QString::number(*row.gbPerS, 'f', 1) : enDash();
    case ratioColumn:
        return row.ratio ? formatRatio(*row.ratio) : enDash();
    default:
        return {};
    }
}

QVariant LabModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((section == valueColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    static const std::array<const char*, columns> kNames{QT_TR_NOOP("Value"), QT_TR_NOOP("TTFT"),
                                                         QT_TR_NOOP("tok/s"), QT_TR_NOOP("tok/s, all"),
                                                         QT_TR_NOOP("GB/s"),  QT_TR_NOOP("to first")};
    static const std::array<const char*, columns> kTips{
        QT_TR_NOOP("What was set for this lane"),
        QT_TR_NOOP("Time to the first token, median of the runs that count"),
        QT_TR_NOOP("Decode rate of one request: (n − k1) / (tn − t1)"),
        QT_TR_NOOP("Aggregate: the request's rate times the sequences that shared its steps, on average"),
        QT_TR_NOOP("Weights, keys and values that a decode step read, by its time"),
        QT_TR_NOOP("Rate of one request against that of the first value")};
    if (section < 0 || section >= columns)
        return {};
    if (role == Qt::DisplayRole)
        return tr(kNames[static_cast<std::size_t>(section)]);
    return role == Qt::ToolTipRole ? plainTip(tr(kTips[static_cast<std::size_t>(section)])) : QVariant();
}

LabPanel::LabPanel(QWidget* parent)
    : QWidget(parent)
    , m_header(new PanelHeader(tr("Lab"), this))
    , m_baseName(new RoleLabel({}, &Colours::ink2, Type::body, this))
    , m_lever(new QComboBox(this))
    , m_values(new QLineEdit(this))
    , m_run(new ActionButton(QStringLiteral("run"), tr("Run"), {}, this))
    , m_help(new RoleLabel({}, &Colours::ink3, Type::small, this))
    , m_table(new QTableView(this)) {
    setAccessibleName(tr("Lab"));
    m_baseName->setElided(Qt::ElideMiddle);
    m_lever->setAccessibleName(tr("Lever"));
    for (int i = 0; i < kLevers; ++i)
        m_lever->addItem(leverName(static_cast<Lever>(i)));
    m_values->setAccessibleName(tr("Values"));
    m_help->setWordWrap(true);
    m_table->setModel(&m_model);
    m_table->setItemDelegate(new LabDelegate(m_table));
    m_table->setAccessibleName(tr("Values compared"));
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(kRowHeight);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    constexpr int kWidest = 120;
    m_table->horizontalHeader()->setMaximumSectionSize(kWidest); // which value a row is of comes before its last figure
    m_table->setShowGrid(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setTabKeyNavigation(false);
    addCopyActions(*m_table, *m_header, tr("Copy the table"));

    auto* form = new QHBoxLayout;
    form->setContentsMargins(10, 6, 10, 0);
    form->setSpacing(6);
    form->addWidget(m_lever);
    form->addWidget(m_values, 1);
    form->addWidget(m_run);
    auto* words = new QVBoxLayout;
    words->setContentsMargins(10, 0, 10, 0);
    words->setSpacing(4);
    words->addWidget(m_baseName);
    auto* below = new QVBoxLayout;
    below->setContentsMargins(10, 4, 10, 6);
    below->addWidget(m_help);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(1, 1, 1, 6);
    column->setSpacing(0);
    column->addWidget(m_header);
    column->addLayout(words);
    column->addLayout(form);
    column->addLayout(below);
    column->addWidget(m_table, 1);

    connect(m_lever, &QComboBox::currentIndexChanged, this, &LabPanel::leverPicked);
    connect(m_run, &QPushButton::clicked, this, &LabPanel::run);
    connect(m_values, &QLineEdit::returnPressed, this, &LabPanel::run);
    connect(&Look::instance(), &Look::changed, this, qOverload<>(&QWidget::update));
    pick(Lever::threads);
    setBase(std::nullopt);
}

Lever LabPanel::lever() const {
    return static_cast<Lever>(m_lever->currentIndex());
}

void LabPanel::pick(Lever lever) {
    m_lever->setCurrentIndex(static_cast<int>(lever));
    leverPicked();
}

void LabPanel::leverPicked() {
    m_values->setPlaceholderText(leverExample(lever()));
    m_values->setText(lever() == Lever::file ? QString() : leverExample(lever()));
    say(leverHelp(lever()), true);
}

void LabPanel::setBase(const std::optional<RunSpec>& base) {
    m_base = base;
    refresh();
}

void LabPanel::setRunning(bool running) {
    m_running = running;
    refresh();
}

void LabPanel::refresh() {
    m_run->setEnabled(!m_running);
    if (m_base) {
        m_baseName->setText(tr("Varies %1").arg(QString::fromStdString(modelFileName(*m_base->local))));
        m_run->setWords(tr("Run"), {});
    } else {
        m_baseName->setText(tr("There is no local lane to vary yet"));
        m_run->setWords(tr("Add a local lane"), {});
    }
}

void LabPanel::run() {
    if (m_running)
        return;
    if (!m_base) {
        emit localLaneAsked();
        return;
    }
    const Result<QStringList> values = leverValues(lever(), m_values->text());
    if (!values) {
        say(QString::fromStdString(values.error().message), false);
        return;
    }
    say(leverHelp(lever()), true);
    emit runAsked(lever(), labLanes(*m_base, lever(), *values));
}

void LabPanel::say(const QString& sentence, bool good) {
    m_help->setRole(good ? &Colours::ink3 : &Colours::fail);
    m_help->setText(sentence);
}

void LabPanel::advance(const Session& session) {
    if (!isVisible() || (m_sinceTaken.isValid() && m_sinceTaken.elapsed() < kRefreshMs))
        return;
    m_sinceTaken.start();
    std::vector<LabRow> rows = labRows(session);
    m_header->setNote(rows.empty() ? QString() : tr("medians of the runs that count"));
    m_model.setRows(std::move(rows));
}

void LabPanel::paintEvent(QPaintEvent*) {
    paintPanel(*this);
}

} // namespace decodescope
