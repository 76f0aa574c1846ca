#include "ui/panels/tool_strip.h"

#include "ui/panels/controls.h"
#include "ui/theme/plain_tip.h"

#include <QAction>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QSpinBox>

namespace decodescope {
namespace {

QSpinBox* countBox(int low, int high, const QString& name, const QString& tip, QWidget* parent) {
    auto* box = new QSpinBox(parent);
    box->setRange(low, high);
    box->setAccessibleName(name);
    setPlainTip(box, tip);
    box->setFixedWidth(62);
    return box;
}

} // namespace

ToolStrip::ToolStrip(QAction* run, QAction* stop, QWidget* parent)
    : QWidget(parent)
    , m_run(new ActionButton(run, QStringLiteral("run"), this))
    , m_plan(new QWidget(this))
    , m_hits(new RoleLabel({}, &Colours::ink3, Type::small, this)) {
    setFixedHeight(40);
    m_run->setPrimary(true);
    auto* stopButton = new ActionButton(stop, QStringLiteral("stop"), this);
    m_repeats = countBox(1, 1000, tr("Repeat"), tr("How many measured runs each lane makes"), m_plan);
    m_warmups =
        countBox(0, 100, tr("Warm-up"), tr("Runs before the measured ones; they are kept out of statistics"), m_plan);
    auto* planRow = new QHBoxLayout(m_plan);
    planRow->setContentsMargins(4, 0, 0, 0);
    planRow->setSpacing(7);
    planRow->addWidget(new RoleLabel(tr("Repeat"), &Colours::ink2, Type::body, m_plan));
    planRow->addWidget(m_repeats);
    planRow->addSpacing(4);
    planRow->addWidget(new RoleLabel(tr("Warm-up"), &Colours::ink2, Type::body, m_plan));
    planRow->addWidget(m_warmups);

    m_search = new QLineEdit(this);
    m_search->setPlaceholderText(tr("Search the lanes' text"));
    m_search->setAccessibleName(tr("Search the lanes' text"));
    setPlainTip(m_search, tr("Finds in the text of all lanes. Enter: next place, Shift+Enter: the one before"));
    m_search->addAction(Look::instance().icon(QStringLiteral("search"), &Colours::ink3), QLineEdit::LeadingPosition);
    m_search->setClearButtonEnabled(true);
    m_search->setFixedWidth(220);
    m_search->installEventFilter(this);

    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(10, 5, 6, 6);
    row->setSpacing(6);
    row->addWidget(m_run);
    row->addWidget(stopButton);
    row->addWidget(m_plan);
    row->addStretch(1);
    row->addWidget(m_hits);
    row->addWidget(m_search);

    connect(m_repeats, &QSpinBox::valueChanged, this, &ToolStrip::planEdited);
    connect(m_warmups, &QSpinBox::valueChanged, this, &ToolStrip::planEdited);
    connect(m_search, &QLineEdit::textChanged, this, &ToolStrip::searchChanged);
}

int ToolStrip::repeats() const {
    return m_repeats->value();
}
int ToolStrip::warmups() const {
    return m_warmups->value();
}

void ToolStrip::setPlan(int repeats, int warmups) {
    const QSignalBlocker quietRepeats(m_repeats);
    const QSignalBlocker quietWarmups(m_warmups);
    m_repeats->setValue(repeats);
    m_warmups->setValue(warmups);
}

void ToolStrip::focusSearch() {
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
}

void ToolStrip::setHits(int current, int count) {
    m_hits->setText(count < 0      ? QString()
                    : count == 0   ? tr("not found")
                    : current == 0 ? tr("%1 found").arg(count)
                                   : tr("%1 of %2").arg(current).arg(count));
}

void ToolStrip::setNarrow(bool narrow) {
    m_plan->setVisible(!narrow);
}

void ToolStrip::setPlanEnabled(bool enabled) {
    m_plan->setEnabled(enabled);
}

bool ToolStrip::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_search && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            emit searchNext(key->modifiers().testFlag(Qt::ShiftModifier));
            return true;
        }
        if (key->key() == Qt::Key_Escape && !m_search->text().isEmpty()) {
            m_search->clear();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void ToolStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(0, height() - 1, width(), 1, Look::instance().colours().border);
}

} // namespace decodescope
