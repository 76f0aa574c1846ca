#include "ui/panels/request_options.h"

#include "ui/panels/controls.h"
#include "ui/theme/plain_tip.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleValidator>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QLocale>
#include <QPlainTextEdit>
#include <QRegularExpressionValidator>

namespace decodescope {
namespace {

QLineEdit* secondsField(const QString& name, const QString& tip, QWidget* parent) {
    auto* field = new QLineEdit(parent);
    field->setAccessibleName(name);
    setPlainTip(field, tip);
    field->setPlaceholderText(RequestOptions::tr("never"));
    field->setFixedWidth(84);
    auto* validator = new QDoubleValidator(0.001, 86400, 3, field);
    validator->setLocale(QLocale::c());
    validator->setNotation(QDoubleValidator::StandardNotation);
    field->setValidator(validator);
    return field;
}

QString secondsText(const std::optional<Duration>& d) {
    return d ? QLocale::c().toString(toSeconds(*d), 'g', 6) : QString();
}

std::optional<Duration> secondsOf(const QLineEdit& field) {
    bool isNumber = false;
    const double value = QLocale::c().toDouble(field.text(), &isNumber);
    return isNumber && value > 0 && value <= 86400 ? std::optional(fromSeconds(value)) : std::nullopt;
}

} // namespace

RequestOptions::RequestOptions(QWidget* parent)
    : QFrame(parent, Qt::Popup) {
    setFrameShape(QFrame::StyledPanel);
    setAccessibleName(tr("More of the request"));
    m_system = new QPlainTextEdit(this);
    m_system->setAccessibleName(tr("System text"));
    m_system->setPlaceholderText(tr("none"));
    m_system->setTabChangesFocus(true);
    m_system->setFixedSize(380, 76);
    m_seed = new QLineEdit(this);
    m_seed->setAccessibleName(tr("Seed"));
    m_seed->setPlaceholderText(tr("not sent"));
    m_seed->setValidator(new QRegularExpressionValidator(QRegularExpression(QStringLiteral("-?[0-9]{1,18}")), m_seed));
    m_effort = new QComboBox(this);
    m_effort->setAccessibleName(tr("Reasoning effort"));
    m_effort->addItems({tr("not sent"), QStringLiteral("minimal"), QStringLiteral("low"), QStringLiteral("medium"),
                        QStringLiteral("high")});
    m_ignoreEos = new QCheckBox(tr("Go on after the end token (ignore_eos)"), this);
    setPlainTip(m_ignoreEos, tr("Not all servers know it. With it every lane makes as many tokens as allowed"));
    m_whole = new QCheckBox(tr("Ask for the whole answer at once, not streamed"), this);
    setPlainTip(m_whole, tr("Then only the total time and the end-to-end rate exist"));
    m_connect = secondsField(tr("Connect time-out in seconds"), tr("Until the connection is up"), this);
    m_firstToken = secondsField(tr("First-token time-out in seconds"), tr("From the start to the first token"), this);
    m_idle = secondsField(tr("Idle time-out in seconds"), tr("Between two reads"), this);
    m_total = secondsField(tr("Total time-out in seconds"), tr("For the whole answer"), this);

    auto* form = new QFormLayout(this);
    form->setContentsMargins(14, 12, 14, 12);
    form->setSpacing(8);
    const auto label = [this](const QString& text, QWidget* buddy) {
        auto* made = new RoleLabel(text, &Colours::ink2, Type::body, this);
        made->setBuddy(buddy);
        return made;
    };
    form->addRow(label(tr("System text"), m_system), m_system);
    form->addRow(label(tr("Seed"), m_seed), m_seed);
    form->addRow(label(tr("Reasoning effort"), m_effort), m_effort);
    form->addRow(QString(), m_ignoreEos);
    form->addRow(QString(), m_whole);
    const auto pair = [&](const QString& first, QLineEdit* a, const QString& second, QLineEdit* b) {
        auto* row = new QHBoxLayout;
        row->setSpacing(8);
        row->addWidget(a);
        row->addWidget(label(QStringLiteral("s"), a));
        row->addSpacing(12);
        row->addWidget(label(second, b));
        row->addWidget(b);
        row->addWidget(label(QStringLiteral("s"), b));
        row->addStretch(1);
        form->addRow(label(first, a), row);
    };
    pair(tr("Time-outs: connect"), m_connect, tr("first token"), m_firstToken);
    pair(tr("between reads"), m_idle, tr("total"), m_total);

    const auto tell = [this] {
        if (!m_quiet)
            emit edited();
    };
    connect(m_system, &QPlainTextEdit::textChanged, this, tell);
    for (QLineEdit* field : {m_seed, m_connect, m_firstToken, m_idle, m_total})
        connect(field, &QLineEdit::textChanged, this, tell);
    connect(m_effort, &QComboBox::currentIndexChanged, this, tell);
    connect(m_ignoreEos, &QCheckBox::toggled, this, tell);
    connect(m_whole, &QCheckBox::toggled, this, tell);
}

void RequestOptions::show(const RaceSettings& race) {
    m_quiet = true;
    m_system->setPlainText(QString::fromStdString(race.system));
    m_seed->setText(race.sampling.seed ? QString::number(*race.sampling.seed) : QString());
    const QString effort = QString::fromStdString(race.sampling.reasoningEffort.value_or(std::string()));
    if (!effort.isEmpty() && m_effort->findText(effort) < 0)
        m_effort->addItem(effort);
    m_effort->setCurrentIndex(effort.isEmpty() ? 0 : m_effort->findText(effort));
    m_ignoreEos->setChecked(race.sampling.ignoreEos);
    m_whole->setChecked(!race.sampling.stream);
    m_connect->setText(secondsText(race.timeouts.connect));
    m_firstToken->setText(secondsText(race.timeouts.firstToken));
    m_idle->setText(secondsText(race.timeouts.idle));
    m_total->setText(secondsText(race.timeouts.total));
    m_quiet = false;
}

void RequestOptions::read(RaceSettings& race) const {
    race.system = m_system->toPlainText().toStdString();
    bool isNumber = false;
    const qlonglong seed = m_seed->text().toLongLong(&isNumber);
    race.sampling.seed = isNumber ? std::optional<std::int64_t>(seed) : std::nullopt;
    race.sampling.reasoningEffort.reset();
    if (m_effort->currentIndex() > 0)
        race.sampling.reasoningEffort = m_effort->currentText().toStdString();
    race.sampling.ignoreEos = m_ignoreEos->isChecked();
    race.sampling.stream = !m_whole->isChecked();
    race.timeouts.connect = secondsOf(*m_connect);
    race.timeouts.firstToken = secondsOf(*m_firstToken);
    race.timeouts.idle = secondsOf(*m_idle);
    race.timeouts.total = secondsOf(*m_total);
}

} // namespace decodescope
