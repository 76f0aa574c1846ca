#include "ui/text/thin_bar.h"

#include "ui/theme/look.h"

#include <QPainter>
#include <QStyle>
#include <QStyleOptionSlider>

namespace decodescope {

namespace {
constexpr int kBarWidth = 10;
}

ThinBar::ThinBar(QWidget* parent)
    : QScrollBar(Qt::Vertical, parent) {
    setFixedWidth(kBarWidth);
}

void ThinBar::setPointedAt(bool pointedAt) {
    m_pointedAt = pointedAt;
    update();
}

void ThinBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Colours& colours = Look::instance().colours();
    painter.fillRect(rect(), colours.surface);
    // While the text follows its end and nobody points at it there is nothing to tell.
    const bool atEnd = value() == maximum() && !m_pointedAt && !underMouse() && !isSliderDown();
    if (maximum() <= minimum() || atEnd)
        return;
    QStyleOptionSlider option;
    initStyleOption(&option);
    const QRect handle = style()->subControlRect(QStyle::CC_ScrollBar, &option, QStyle::SC_ScrollBarSlider, this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(underMouse() || isSliderDown() ? colours.control : colours.gridMajor);
    painter.drawRoundedRect(QRectF(handle).adjusted(3, 2, -3, -2), 2, 2);
}

void ThinBar::enterEvent(QEnterEvent*) {
    update();
}
void ThinBar::leaveEvent(QEvent*) {
    update();
}

} // namespace decodescope
