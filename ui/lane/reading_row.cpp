#include "ui/lane/reading_row.h"

#include "ui/theme/format.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_tip.h"

#include <QPainter>
#include <QSpinBox>

#include <cmath>

namespace decodescope {
namespace {

constexpr int kSide = 10;
constexpr int kSpin = 118;
constexpr double kStarvedFromS = 0.05;

} // namespace

ReadingRow::ReadingRow(QWidget* parent)
    : QWidget(parent)
    , m_speed(new QSpinBox(this)) {
    setFixedHeight(26);
    m_speed->setRange(80, 1000);
    m_speed->setSingleStep(10);
    m_speed->setValue(238);
    m_speed->setSuffix(tr("\u2009words/min"));
    m_speed->setProperty("small", true);
    m_speed->setAccessibleName(tr("Reading speed"));
    setPlainTip(m_speed, tr("How fast the reader reads: 238 words a minute is an adult's silent reading"));
    setFocusProxy(m_speed);
    connect(m_speed, &QSpinBox::valueChanged, this, &ReadingRow::wordsPerMinuteChanged);
    connect(&Look::instance(), &Look::changed, this, qOverload<>(&QWidget::update));
    show(std::nullopt);
}

int ReadingRow::wordsPerMinute() const {
    return m_speed->value();
}
void ReadingRow::setWordsPerMinute(int wpm) {
    m_speed->setValue(wpm);
}

void ReadingRow::show(const std::optional<ReadingState>& state) {
    const QString dash = enDash();
    m_lead = tr("lead %1").arg(state ? formatCount(std::floor(state->leadWords)) : dash);
    m_starved =
        tr("starved %1").arg(state ? QString::number(state->starvedS, 'f', 1) + QStringLiteral("\u2009s") : dash);
    m_perceived =
        tr("perceived %1")
            .arg(state && state->perceivedTps ? formatRate(*state->perceivedTps) + QStringLiteral("\u2009tok/s")
                                              : dash);
    m_isStarved = state && state->starvedS > kStarvedFromS;
    const QString words = m_lead + QStringLiteral(", ") + m_starved + QStringLiteral(", ") + m_perceived;
    if (words == m_words)
        return;
    m_words = words;
    setAccessibleDescription(words);
    setPlainTip(this, tr("Lead: words arrived but not read. Starved: time in which the reader had caught up.\n"
                         "Perceived: the slower of the stream and the reader.") +
                          QLatin1Char('\n') + words);
    update();
}

void ReadingRow::resizeEvent(QResizeEvent*) {
    m_speed->setGeometry(kSide, 2, kSpin, 22);
}

void ReadingRow::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Look& look = Look::instance();
    const Colours& colours = look.colours();
    painter.setFont(look.font(Type::small));
    const QFontMetrics metrics(look.font(Type::small));
    int x = kSide + kSpin + 8;
    const auto put = [&](const QString& text, const QColor& colour) {
        const int w = metrics.horizontalAdvance(text);
        // What does not fit is left out whole: half a number is a wrong one. The tooltip has it all.
        if (x + w > width() - kSide)
            return;
        painter.setPen(colour);
        painter.drawText(QRect(x, 0, w + 2, height()), Qt::AlignLeft | Qt::AlignVCenter, text);
        x += w + 9;
    };
    put(m_lead, colours.ink2);
    put(m_starved, m_isStarved ? colours.stall : colours.ink2);
    put(m_perceived, colours.ink2);
}

} // namespace decodescope
