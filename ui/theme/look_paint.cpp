#include "ui/theme/look_data.h"

#include <QPainter>
#include <QPainterPath>
#include <QPixmap>
#include <QSvgRenderer>

#include <algorithm>
#include <cmath>

/// The marks that every view shares: icons, chips, swatches, markers, focus, hatch.
namespace decodescope {
namespace {

constexpr qreal kChipSide = 14;
constexpr qreal kChipRadius = 3;
constexpr qreal kMarkerRadius = 3.7;
constexpr qreal kSwatchLine = 2;
constexpr qreal kHatchStep = 5;
constexpr qreal kHatchWidth = 1.5;
constexpr qreal kFocusWidth = 2;
constexpr qreal kFocusOffset = 1;

QPainterPath markerShape(Marker marker, QPointF centre, qreal r) {
    QPainterPath path;
    switch (marker) {
    case Marker::circle:
    case Marker::circleOpen:
        path.addEllipse(centre, r, r);
        break;
    case Marker::square:
    case Marker::squareOpen: {
        const qreal half = r * 0.89; // as much area as the circle has
        path.addRect(QRectF(centre.x() - half, centre.y() - half, 2 * half, 2 * half));
        break;
    }
    case Marker::triangle:
    case Marker::triangleOpen:
        path.moveTo(centre + QPointF(0, -r * 1.2));
        path.lineTo(centre + QPointF(r * 1.15, r * 0.85));
        path.lineTo(centre + QPointF(-r * 1.15, r * 0.85));
        path.closeSubpath();
        break;
    case Marker::diamond:
    case Marker::diamondOpen:
        path.moveTo(centre + QPointF(0, -r * 1.25));
        path.lineTo(centre + QPointF(r * 1.25, 0));
        path.lineTo(centre + QPointF(0, r * 1.25));
        path.lineTo(centre + QPointF(-r * 1.25, 0));
        path.closeSubpath();
        break;
    }
    return path;
}

bool isOpen(Marker marker) {
    return marker >= Marker::circleOpen;
}

} // namespace

QPixmap Look::iconPixmap(const QString& name, int size, const QColor& colour, qreal dpr) const {
    const QString key = name + QLatin1Char('|') + QString::number(size) + QLatin1Char('|') +
                        colour.name(QColor::HexArgb) + QLatin1Char('|') + QString::number(dpr);
    if (const auto cached = m_data->pixmaps.constFind(key); cached != m_data->pixmaps.constEnd())
        return *cached;
    const int side = std::max(1, static_cast<int>(std::ceil(size * dpr)));
    QPixmap pixmap(side, side);
    pixmap.setDevicePixelRatio(dpr);
    pixmap.fill(Qt::transparent);
    if (const auto path = m_data->icons.constFind(name); path != m_data->icons.constEnd()) {
        const QByteArray paint = colour.name().toLatin1();
        const QByteArray svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\"><path d=\"" + path->d +
                               "\" fill=\"" + (path->fill ? paint : QByteArray("none")) + "\" stroke=\"" + paint +
                               "\" stroke-width=\"" + QByteArray::number(path->fill ? 1.0 : m_data->iconStroke) +
                               "\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/></svg>";
        QSvgRenderer renderer(svg);
        QPainter painter(&pixmap);
        painter.setOpacity(colour.alphaF());
        renderer.render(&painter, QRectF(0, 0, size, size));
    }
    m_data->pixmaps.insert(key, pixmap);
    return pixmap;
}

void Look::drawIcon(QPainter& painter, const QRectF& rect, const QString& name, const QColor& colour) const {
    const int side = static_cast<int>(std::lround(std::min(rect.width(), rect.height())));
    const QPixmap pixmap = iconPixmap(name, side, colour, painter.device()->devicePixelRatioF());
    painter.drawPixmap(QPointF(std::round(rect.center().x() - side / 2.0), std::round(rect.center().y() - side / 2.0)),
                       pixmap);
}

QRectF Look::drawChip(QPainter& painter, QPointF topLeft, int laneIndex) const {
    const LaneLook look = lane(laneIndex);
    const QRectF rect(topLeft, QSizeF(kChipSide, kChipSide));
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(look.colour);
    painter.drawRoundedRect(rect, kChipRadius, kChipRadius);
    painter.setPen(look.ink);
    painter.setFont(font(Type::chip));
    painter.drawText(rect, Qt::AlignCenter, QString(look.letter));
    painter.restore();
    return rect;
}

void Look::drawSwatch(QPainter& painter, const QRectF& rect, int laneIndex, qreal opacity) const {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setOpacity(painter.opacity() * opacity);
    QPen pen = lanePen(laneIndex, kSwatchLine, true);
    pen.setCosmetic(false);
    painter.setPen(pen);
    const qreal y = std::floor(rect.center().y());
    painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y));
    drawMarker(painter, QPointF(rect.center().x(), y), kMarkerRadius, laneIndex);
    painter.restore();
}

void Look::drawMarker(QPainter& painter, QPointF centre, qreal radius, int laneIndex) const {
    const LaneLook look = lane(laneIndex);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    if (isOpen(look.marker)) {
        painter.setPen(QPen(look.colour, 1.5));
        painter.setBrush(colours().surface);
        painter.drawPath(markerShape(look.marker, centre, radius - 0.5));
    } else {
        painter.setPen(Qt::NoPen);
        painter.setBrush(look.colour);
        painter.drawPath(markerShape(look.marker, centre, radius));
    }
    painter.restore();
}

void Look::drawFocus(QPainter& painter, const QRectF& rect) const {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colours().focus, kFocusWidth));
    const qreal out = kFocusOffset + kFocusWidth / 2;
    painter.drawRoundedRect(rect.adjusted(-out, -out, out, out), 4, 4);
    painter.restore();
}

void Look::drawHatch(QPainter& painter, const QRectF& rect) const {
    painter.save();
    painter.setClipRect(rect, Qt::IntersectClip);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colours().hatch, kHatchWidth));
    // Counted from the origin of the widget, so that neighbouring cells make one pattern.
    const qreal step = kHatchStep * std::sqrt(2.0);
    const qreal first = std::floor((rect.left() + rect.top()) / step) * step;
    for (qreal sum = first; sum <= rect.right() + rect.bottom() + step; sum += step)
        painter.drawLine(QPointF(sum - rect.top(), rect.top()), QPointF(sum - rect.bottom(), rect.bottom()));
    painter.restore();
}

} // namespace decodescope
