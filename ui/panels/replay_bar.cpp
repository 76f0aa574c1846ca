#include "ui/panels/replay_bar.h"

#include "ui/panels/controls.h"
#include "ui/theme/plain_tip.h"
#include "ui/window/replay_controller.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QPainter>
#include <QSlider>
#include <QToolButton>

#include <array>

namespace decodescope {
namespace {

constexpr std::array kSpeeds = {0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0};
constexpr int kSliderSteps = 10'000;

QString seconds(double s) {
    return QString::number(s, 'f', s < 100 ? 1 : 0);
}

} // namespace

ReplayBar::ReplayBar(ReplayController& replay, QWidget* parent)
    : QWidget(parent)
    , m_replay(replay)
    , m_title(new RoleLabel({}, &Colours::ink, Type::title, this))
    , m_detail(new RoleLabel({}, &Colours::ink3, Type::small, this))
    , m_play(new ActionButton(QStringLiteral("replay"), tr("Replay"), tr("Space"), this))
    , m_step(new ActionButton(QStringLiteral("right"), tr("Step"), {}, this))
    , m_position(new QSlider(Qt::Horizontal, this))
    , m_time(new RoleLabel({}, &Colours::ink2, Type::body, this))
    , m_speed(new QComboBox(this))
    , m_all(new ActionButton({}, tr("Show all"), {}, this)) {
    setFixedHeight(40);
    m_title->setElided(Qt::ElideMiddle);
    m_detail->setElided(Qt::ElideRight);
    m_position->setRange(0, kSliderSteps);
    m_position->setAccessibleName(tr("Position in the recording"));
    setPlainTip(m_position, tr("Where the replay is"));
    m_time->setMinimumWidth(m_time->fontMetrics().horizontalAdvance(QStringLiteral("0000.0 / 0000.0 s")));
    for (const double speed : kSpeeds)
        m_speed->addItem(QChar(0x00D7) + QString::number(speed), speed);
    m_speed->setCurrentIndex(3);
    m_speed->setAccessibleName(tr("Replay speed"));
    setPlainTip(m_speed, tr("×1 is the true pace"));
    setPlainTip(m_step, tr("To the next read of any lane"));
    setPlainTip(m_all, tr("Shows all runs at once, as they ended"));
    auto* adopt = new ActionButton({}, tr("Use these lanes"), {}, this);
    setPlainTip(adopt, tr("Makes lanes of your own from the recording's endpoints and models, without their keys"));
    auto* close = new ActionButton(QStringLiteral("close"), tr("Close recording"), {}, this);

    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 5, 8, 6);
    row->setSpacing(8);
    row->addWidget(m_title);
    row->addWidget(m_detail, 1);
    row->addWidget(m_play);
    row->addWidget(m_step);
    row->addWidget(m_position, 2);
    row->addWidget(m_time);
    row->addWidget(m_speed);
    row->addWidget(m_all);
    row->addWidget(adopt);
    row->addWidget(close);

    connect(m_play, &QPushButton::clicked, &replay, &ReplayController::togglePause);
    connect(m_step, &QPushButton::clicked, &replay, &ReplayController::step);
    connect(m_speed, &QComboBox::activated, this,
            [this](int index) { m_replay.setSpeed(m_speed->itemData(index).toDouble()); });
    connect(m_position, &QSlider::sliderMoved, this,
            [this](int value) { m_replay.seek(m_replay.durationS() * value / kSliderSteps); });
    connect(m_position, &QSlider::actionTriggered, this, [this](int action) {
        if (action != QAbstractSlider::SliderMove)
            m_replay.seek(m_replay.durationS() * m_position->sliderPosition() / kSliderSteps);
    });
    connect(m_all, &QPushButton::clicked, this, &ReplayBar::showAllAsked);
    connect(adopt, &QPushButton::clicked, this, &ReplayBar::adoptAsked);
    connect(close, &QPushButton::clicked, this, &ReplayBar::closeAsked);
    connect(&replay, &ReplayController::changed, this, &ReplayBar::refresh);
    refresh();
}

void ReplayBar::setTitle(const QString& title, const QString& detail) {
    m_title->setText(title);
    m_detail->setText(detail);
}

void ReplayBar::refresh() {
    const bool begun = m_replay.begun() && !m_replay.atEnd();
    m_play->setWords(!begun ? tr("Replay") : m_replay.playing() ? tr("Pause") : tr("Go on"), tr("Space"));
    m_play->setEnabled(m_replay.available());
    m_step->setEnabled(m_replay.available());
    m_all->setEnabled(m_replay.begun());
    advance();
}

void ReplayBar::advance() {
    const double duration = m_replay.durationS();
    const double position = m_replay.begun() ? m_replay.positionS() : duration;
    if (!m_position->isSliderDown())
        m_position->setValue(duration > 0 ? static_cast<int>(position / duration * kSliderSteps) : 0);
    m_time->setText(QStringLiteral("%1 / %2").arg(seconds(position), seconds(duration)) + QChar(0x2009) +
                    QStringLiteral("s"));
    if (m_replay.begun() && m_replay.atEnd() && m_play->text() != tr("Replay"))
        refresh();
}

void ReplayBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(0, height() - 1, width(), 1, Look::instance().colours().border);
}

} // namespace decodescope
