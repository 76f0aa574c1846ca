#include "ui/charts/cursor_overlay.h"

#include "ui/charts/chart_marks.h"
#include "ui/theme/look.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

QFont flagFont() {
    QFont font = Look::instance().font(Type::small);
    font.setWeight(QFont::DemiBold);
    return font;
}

} // namespace

CursorOverlay::CursorOverlay(QWidget* parent)
    : QWidget(parent) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAttribute(Qt::WA_NoSystemBackground);
    setFocusPolicy(Qt::NoFocus);
}

void CursorOverlay::setPlot(const QRectF& plot, std::vector<QRectF> labels) {
    m_plot = plot;
    m_labels = std::move(labels);
    if (m_cursor || m_measure)
        update();
}

void CursorOverlay::setCursor(std::optional<double> x, const QString& flag) {
    if (x && (*x < m_plot.left() - 0.5 || *x > m_plot.right() + 0.5))
        x.reset();
    if (x == m_cursor && flag == m_flag)
        return;
    const QRect before = cursorArea();
    m_cursor = x;
    m_flag = flag;
    update(before.united(cursorArea()));
}

void CursorOverlay::setSpot(std::optional<QPointF> spot) {
    if (spot && !m_plot.adjusted(-2, -2, 2, 2).contains(*spot))
        spot.reset();
    if (spot == m_spot)
        return;
    for (const std::optional<QPointF>& place : {m_spot, spot}) {
        if (place)
            update(QRectF(place->x() - 8, place->y() - 8, 16, 16).toAlignedRect());
    }
    m_spot = spot;
}

void CursorOverlay::setMeasure(std::optional<std::pair<double, double>> stretch, const QString& words) {
    if (stretch == m_measure && words == m_words)
        return;
    m_measure = stretch;
    m_words = words;
    update();
}

QRectF CursorOverlay::flagRect() const {
    const double width = std::ceil(QFontMetricsF(flagFont()).horizontalAdvance(m_flag)) + 14;
    const double left = std::clamp(std::round(*m_cursor - width / 2), 0.0, std::max(0.0, this->width() - width));
    return {left, m_plot.bottom() + 3, width, 16};
}

QRect CursorOverlay::cursorArea() const {
    if (!m_cursor)
        return {};
    QRectF area(*m_cursor - 2, m_plot.top(), 4, m_plot.height());
    area = area.united(flagRect());
    for (const QRectF& label : m_labels) {
        if (label.intersects(flagRect()))
            area = area.united(label);
    }
    return area.toAlignedRect().adjusted(-2, -2, 2, 2);
}

void CursorOverlay::paintEvent(QPaintEvent*) {
    const Colours& colours = Look::instance().colours();
    QPainter painter(this);
    if (m_measure) {
        QColor ground = colours.ink2;
        ground.setAlphaF(0.10F);
        const double left = std::min(m_measure->first, m_measure->second);
        const double right = std::max(m_measure->first, m_measure->second);
        painter.fillRect(QRectF(left, m_plot.top(), right - left, m_plot.height()), ground);
        drawVertical(painter, left, m_plot.top(), m_plot.bottom(), colours.ink2, {});
        drawVertical(painter, right, m_plot.top(), m_plot.bottom(), colours.ink2, {});
        painter.setFont(flagFont());
        const double width = QFontMetricsF(painter.font()).horizontalAdvance(m_words) + 12;
        const double x =
            std::clamp((left + right - width) / 2, m_plot.left(), std::max(m_plot.left(), m_plot.right() - width));
        const QRectF box(x, m_plot.top() + 4, width, 18);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(colours.border, 1));
        painter.setBrush(colours.raised);
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        painter.setPen(colours.ink);
        painter.drawText(box, Qt::AlignCenter, m_words);
    }
    if (m_spot) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(colours.ink, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawEllipse(*m_spot, 5, 5);
        painter.setRenderHint(QPainter::Antialiasing, false);
    }
    if (!m_cursor)
        return;
    drawVertical(painter, *m_cursor, m_plot.top(), m_plot.bottom(), colours.ink2, {1, 2});
    if (m_flag.isEmpty())
        return;
    const QRectF flag = flagRect();
    // Half a label beside the flag would read as another number.
    for (const QRectF& label : m_labels) {
        if (label.intersects(flag.adjusted(-3, 0, 3, 0)))
            painter.fillRect(label, colours.surface);
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colours.ink2);
    painter.drawRoundedRect(flag, 3, 3);
    painter.setFont(flagFont());
    painter.setPen(colours.surface);
    painter.drawText(flag, Qt::AlignCenter, m_flag);
}

} // namespace decodescope
