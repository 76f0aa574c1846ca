#include "ui/theme/stall_marks.h"

#include "ui/theme/format.h"
#include "ui/theme/look.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPolygonF>

#include <algorithm>

namespace decodescope {
namespace {

constexpr double kBandFactor = 2; ///< a band is read from farther away than an edge

QString tr(const char* text) {
    return QCoreApplication::translate("StallMarks", text);
}

/// "Delivery stall, 924 ms", and what that means.
QString headline(const Stall& stall, const QString& length) {
    switch (stall.kind) {
    case StallKind::delivery:
        return tr("Delivery stall, %1: the tokens were made in time and held on the way.").arg(length);
    case StallKind::generation:
        return tr("Generation stall, %1: no tokens were made meanwhile.").arg(length);
    case StallKind::phase:
        return tr("Stall at a change of channel, %1.").arg(length);
    case StallKind::client:
        return tr("Our own machine, %1: not the stream's doing, and in no percentile.").arg(length);
    case StallKind::open:
        return tr("Stalled for %1 so far.").arg(length);
    case StallKind::unknown:
        break;
    }
    return tr("Stall, %1, of a kind that cannot be told.").arg(length);
}

} // namespace

QString stallKindName(StallKind kind) {
    return kind == StallKind::open ? tr("open") : kind == StallKind::unknown ? tr("unknown") : stallWord(kind);
}

QString stallAccount(const Stall& stall, bool precise) {
    QString account = headline(stall, formatGap(stall.lengthS, precise).joined());
    if (stall.periodic)
        account += QLatin1Char(' ') + tr("It comes back at even distances.");
    if (!stall.evidence.empty())
        account += QLatin1Char('\n') + QString::fromStdString(stall.evidence);
    if (stall.others && !stall.others->evidence.empty())
        account += QLatin1Char('\n') + QString::fromStdString(stall.others->evidence);
    return account;
}

QString stallWord(StallKind kind) {
    switch (kind) {
    case StallKind::delivery:
        return tr("delivery");
    case StallKind::generation:
        return tr("generation");
    case StallKind::phase:
        return tr("phase change");
    case StallKind::client:
        return tr("own machine");
    case StallKind::open:
        return tr("stalled");
    case StallKind::unknown:
        break;
    }
    return tr("stall");
}

QList<qreal> stallEdgeDash(StallKind kind) {
    switch (kind) {
    case StallKind::delivery:
        return {3, 3};
    case StallKind::phase:
    case StallKind::unknown:
        return {1, 2};
    case StallKind::generation:
    case StallKind::client:
    case StallKind::open:
        break;
    }
    return {};
}

void drawStallBand(QPainter& painter, const QRectF& band, StallKind kind, double opacity) {
    const Look& look = Look::instance();
    if (kind == StallKind::client) {
        look.drawHatch(painter, band);
        return;
    }
    QColor colour = look.colours().stall;
    colour.setAlphaF(static_cast<float>(opacity));
    const QList<qreal> dash = stallEdgeDash(kind);
    if (dash.isEmpty()) {
        painter.fillRect(band, colour);
        return;
    }
    const double on = dash[0] * kBandFactor;
    for (double x = band.left(); x < band.right(); x += on + dash[1] * kBandFactor)
        painter.fillRect(QRectF(x, band.top(), std::min(on, band.right() - x), band.height()), colour);
}

void drawStallBar(QPainter& painter, const QRectF& bar, StallKind kind) {
    const Colours& colours = Look::instance().colours();
    const QColor colour = kind == StallKind::client ? colours.hatch : colours.stall;
    const QList<qreal> dash = stallEdgeDash(kind);
    if (dash.isEmpty()) {
        painter.fillRect(bar, colour);
        return;
    }
    for (double y = bar.top(); y < bar.bottom(); y += dash[0] + dash[1])
        painter.fillRect(QRectF(bar.left(), y, bar.width(), std::min(dash[0], bar.bottom() - y)), colour);
}

void drawStallFlag(QPainter& painter, double x, double y, StallKind kind) {
    const QColor colour = Look::instance().colours().stall;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    if (kind == StallKind::client) {
        Look::instance().drawHatch(painter, QRectF(x - 4, y - 6, 8, 6));
    } else if (kind == StallKind::phase) {
        painter.fillRect(QRectF(x - 1, y - 6, 2, 6), colour);
    } else if (kind == StallKind::delivery) {
        painter.setPen(QPen(colour, 1.25));
        painter.setBrush(Qt::NoBrush);
        painter.drawPolygon(QPolygonF{QPointF(x - 3.4, y - 5.4), QPointF(x + 3.4, y - 5.4), QPointF(x, y - 0.9)});
    } else {
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        painter.drawPolygon(QPolygonF{QPointF(x - 4, y - 6), QPointF(x + 4, y - 6), QPointF(x, y)});
    }
    painter.restore();
}

} // namespace decodescope
