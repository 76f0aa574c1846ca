#include "ui/panels/prompt_strip.h"

#include "core/base/utf8.h"
#include "ui/panels/controls.h"
#include "ui/panels/prompt_field.h"
#include "ui/panels/request_options.h"
#include "ui/theme/plain_tip.h"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLocale>
#include <QPainter>
#include <QSpinBox>
#include <QToolButton>

namespace decodescope {
namespace {

constexpr double kNoTemperature = -0.1; // the spin box's "auto"

} // namespace

PromptStrip::PromptStrip(ViewState& view, QWidget* parent)
    : QWidget(parent)
    , m_prompt(new PromptField(this))
    , m_words(new RoleLabel({}, &Colours::ink3, Type::small, this))
    , m_grow(iconButton(QStringLiteral("down"), tr("Open the prompt to several lines"), this))
    , m_maxTokens(new QSpinBox(this))
    , m_temperature(new QDoubleSpinBox(this))
    , m_start(new SegmentBar(tr("Start"), {tr("Together"), tr("One by one")}, this))
    , m_unit(new SegmentBar(tr("Rate in"), {tr("tok/s"), tr("chars/s"), tr("words/s")}, this))
    , m_more(iconButton(QStringLiteral("more"), tr("More of the request: system text, seed, time-outs"), this))
    , m_options(new RequestOptions(this))
    , m_roomy(new QWidget(this)) {
    m_grow->setCheckable(true);
    m_maxTokens->setRange(0, 1'000'000);
    m_maxTokens->setSpecialValueText(tr("auto"));
    m_maxTokens->setAccessibleName(tr("Max tokens"));
    setPlainTip(m_maxTokens, tr("The longest answer in tokens; auto: the server decides"));
    m_maxTokens->setFixedWidth(76);
    m_temperature->setRange(kNoTemperature, 2.0);
    m_temperature->setSingleStep(0.1);
    m_temperature->setDecimals(1);
    m_temperature->setLocale(QLocale::c());
    m_temperature->setSpecialValueText(tr("auto"));
    m_temperature->setAccessibleName(tr("Temperature"));
    setPlainTip(m_temperature, tr("auto: not sent, the server decides"));
    m_temperature->setFixedWidth(66);

    const auto label = [](const QString& text, QWidget* buddy, QWidget* parentWidget) {
        auto* made = new RoleLabel(text, &Colours::ink2, Type::body, parentWidget);
        made->setBuddy(buddy);
        return made;
    };
    m_unique = new QCheckBox(tr("Unique prefix"), m_roomy);
    setPlainTip(m_unique, tr("Puts a random line before the prompt, so that no server can answer from its cache"));
    auto* roomy = new QHBoxLayout(m_roomy);
    roomy->setContentsMargins(6, 0, 0, 0);
    roomy->setSpacing(8);
    roomy->addWidget(m_unique);
    roomy->addSpacing(8);
    roomy->addWidget(label(tr("Start"), m_start, m_roomy));
    roomy->addWidget(m_start);
    roomy->addSpacing(4);
    roomy->addWidget(label(tr("Rate in"), m_unit, m_roomy));
    roomy->addWidget(m_unit);

    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 6, 8, 6);
    row->setSpacing(8);
    row->addWidget(label(tr("Prompt"), m_prompt, this), 0, Qt::AlignTop);
    row->addWidget(m_prompt, 1, Qt::AlignTop);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_words, m_grow})
        row->addWidget(widget, 0, Qt::AlignTop);
    row->addSpacing(4);
    row->addWidget(label(tr("Max tokens"), m_maxTokens, this), 0, Qt::AlignTop);
    row->addWidget(m_maxTokens, 0, Qt::AlignTop);
    row->addWidget(label(tr("Temperature"), m_temperature, this), 0, Qt::AlignTop);
    row->addWidget(m_temperature, 0, Qt::AlignTop);
    row->addWidget(m_roomy, 0, Qt::AlignTop);
    row->addWidget(m_more, 0, Qt::AlignTop);
    for (RoleLabel* each : findChildren<RoleLabel*>())
        each->setFixedHeight(28); // beside a control, however tall the prompt is

    const auto tell = [this] {
        if (!m_quiet)
            emit edited();
    };
    connect(m_prompt, &QPlainTextEdit::textChanged, this, [this, tell] {
        showWords();
        tell();
    });
    connect(m_prompt, &PromptField::runAsked, this, &PromptStrip::runAsked);
    connect(m_prompt, &PromptField::openChanged, m_grow, &QToolButton::setChecked);
    connect(m_grow, &QToolButton::clicked, m_prompt, &PromptField::setOpen);
    connect(m_maxTokens, &QSpinBox::valueChanged, this, tell);
    connect(m_temperature, &QDoubleSpinBox::valueChanged, this, tell);
    connect(m_unique, &QCheckBox::toggled, this, tell);
    connect(m_start, &SegmentBar::picked, this, tell);
    connect(m_options, &RequestOptions::edited, this, tell);
    connect(m_more, &QToolButton::clicked, this, &PromptStrip::openOptions);
    connect(m_unit, &SegmentBar::picked, &view, [&view](int index) { view.setUnit(static_cast<RateUnit>(index)); });
    connect(&view, &ViewState::unitChanged, this, [this, &view] { m_unit->setCurrent(static_cast<int>(view.unit())); });
}

void PromptStrip::show(const RaceSettings& race) {
    m_quiet = true;
    const QString prompt = QString::fromStdString(race.prompt);
    if (m_prompt->toPlainText() != prompt)
        m_prompt->setPlainText(prompt);
    m_maxTokens->setValue(race.sampling.maxTokens.value_or(0));
    m_temperature->setValue(race.sampling.temperature.value_or(kNoTemperature));
    m_unique->setChecked(race.uniquePrefix);
    m_start->setCurrent(race.plan.sequential ? 1 : 0);
    m_options->show(race);
    m_quiet = false;
    showWords();
}

void PromptStrip::read(RaceSettings& race) const {
    m_options->read(race);
    race.prompt = m_prompt->toPlainText().toStdString();
    race.sampling.maxTokens = m_maxTokens->value() > 0 ? std::optional(m_maxTokens->value()) : std::nullopt;
    const double temperature = m_temperature->value();
    race.sampling.temperature = temperature >= 0 ? std::optional(temperature) : std::nullopt;
    race.uniquePrefix = m_unique->isChecked();
    race.plan.sequential = m_start->current() == 1;
}

void PromptStrip::setNarrow(bool narrow) {
    m_roomy->setVisible(!narrow);
}

void PromptStrip::setEditable(bool editable) {
    m_prompt->setReadOnly(!editable);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_maxTokens, m_temperature, m_unique, m_start, m_more})
        widget->setEnabled(editable);
}

void PromptStrip::showWords() {
    const auto words = countWords(m_prompt->toPlainText().toStdString());
    m_words->setText(words == 1 ? tr("1 word") : tr("%1 words").arg(words));
}

void PromptStrip::openOptions() {
    m_options->adjustSize();
    const QPoint corner = m_more->mapToGlobal(QPoint(m_more->width(), m_more->height() + 4));
    m_options->move(corner - QPoint(m_options->width(), 0));
    m_options->QWidget::show();
}

void PromptStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(0, height() - 1, width(), 1, Look::instance().colours().border);
}

} // namespace decodescope
