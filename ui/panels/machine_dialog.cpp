#include "ui/panels/machine_dialog.h"

#include "ui/panels/controls.h"

#include <QClipboard>
#include <QFontMetrics>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QPointer>
#include <QVBoxLayout>

#include <utility>

namespace decodescope {
namespace {

constexpr int kColumns = 112; ///< the widest line of a usual result
constexpr int kLines = 28;
constexpr int kPadding = 6; ///< of the style sheet, with the border

} // namespace

MachineDialog::MachineDialog(MeasureMachine measure, QWidget* parent)
    : QDialog(parent)
    , m_measure(std::move(measure))
    , m_state(new RoleLabel({}, &Colours::ink2, Type::body, this))
    , m_text(new QPlainTextEdit(this)) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Measure this machine"));
    m_state->setWordWrap(true);
    m_text->setReadOnly(true);
    m_text->setAccessibleName(tr("What was measured"));
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setFont(Look::instance().font(Type::mono));
    const QFontMetrics metrics(m_text->font());
    // Frame, padding and the document's own margin beside the lines.
    const int edge = 2 * static_cast<int>(m_text->document()->documentMargin() + kPadding);
    m_text->setMinimumSize(metrics.averageCharWidth() * kColumns + edge, metrics.lineSpacing() * kLines + edge);
    m_again = new ActionButton(QStringLiteral("repeat"), tr("Measure again"), {}, this);
    m_copy = new ActionButton(QStringLiteral("copy"), tr("Copy"), {}, this);
    auto* close = new ActionButton({}, tr("Close"), tr("Esc"), this);
    close->setDefault(true);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_again);
    buttons->addWidget(m_copy);
    buttons->addStretch(1);
    buttons->addWidget(close);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(18, 16, 18, 16);
    column->setSpacing(10);
    column->addWidget(m_state);
    column->addWidget(m_text, 1);
    column->addLayout(buttons);
    connect(m_again, &QPushButton::clicked, this, &MachineDialog::measureNow);
    connect(m_copy, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(m_found); });
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    measureNow();
}

MachineDialog::~MachineDialog() {
    if (m_cancel)
        m_cancel();
}

QString MachineDialog::shownText() const {
    return m_text->toPlainText();
}

void MachineDialog::measureNow() {
    m_again->setEnabled(false);
    m_copy->setEnabled(false);
    m_text->setPlainText(tr("Measuring..."));
    m_state->setRole(&Colours::ink2);
    m_state->setText(
        tr("Measuring for about 12 seconds: streams of a server on this machine that writes the instant of "
           "each send into its tokens. Whatever else runs now is measured too."));
    const QPointer<MachineDialog> self(this);
    m_cancel = m_measure([self](const Result<std::string>& result) {
        if (self)
            self->told(result);
    });
}

void MachineDialog::told(const Result<std::string>& result) {
    m_cancel = nullptr;
    m_again->setEnabled(true);
    if (!result) {
        m_state->setRole(&Colours::fail);
        m_state->setText(QString::fromStdString(result.error().message));
        m_text->setPlainText(QString::fromStdString(result.error().detail));
        return;
    }
    m_found = QString::fromStdString(*result);
    m_state->setText(m_found.section(QLatin1Char('\n'), 0, 0)); // the verdict
    m_text->setPlainText(m_found.section(QLatin1Char('\n'), 1).trimmed());
    m_copy->setEnabled(true);
}

} // namespace decodescope
