#include "ui/charts/chart_marks.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace decodescope {
namespace {

constexpr double kChip = 14;
constexpr double kLabelStep = 15;
constexpr double kLabelOffset = 8;
constexpr int kRounds = 64;
constexpr double kLid = 3; ///< of a stall's box: its kind is told from afar
constexpr double kLidStep = 5;
constexpr double kLidLane = 9;
constexpr std::size_t kWordRows = 3;

QFont strongSmall() {
    QFont font = Look::instance().font(Type::small);
    font.setWeight(QFont::DemiBold);
    return font;
}

} // namespace

void placeEndLabels(std::vector<EndLabel>& labels, const QRectF& bounds) {
    const QFontMetricsF metrics(Look::instance().font(Type::small));
    std::vector<EndLabel*> order;
    for (EndLabel& label : labels) {
        const double width = kChip + 5 + metrics.horizontalAdvance(label.text) + 4;
        const double x =
            std::clamp(label.at.x() + kLabelOffset, bounds.left(), std::max(bounds.left(), bounds.right() - width));
        const double top =
            std::clamp(label.at.y() - kChip / 2, bounds.top(), std::max(bounds.top(), bounds.bottom() - kChip));
        label.patch = QRectF(x - 2, top, width, kChip);
        order.push_back(&label);
    }
    std::sort(order.begin(), order.end(),
              [](const EndLabel* a, const EndLabel* b) { return a->patch.top() < b->patch.top(); });
    // Both of two that would touch give way by half, again and again, until nobody touches: everyone stays as near
    // to his curve as the others allow.
    for (int round = 0; round < kRounds; ++round) {
        bool moved = false;
        for (std::size_t i = 0; i < order.size(); ++i) {
            for (std::size_t j = i + 1; j < order.size(); ++j) {
                QRectF& upper = order[i]->patch;
                QRectF& lower = order[j]->patch;
                const double missing = kLabelStep - (lower.top() - upper.top());
                if (upper.left() >= lower.right() || lower.left() >= upper.right() || missing < 0.01)
                    continue;
                moved = true;
                const double up = std::min(missing / 2, upper.top() - bounds.top());
                upper.translate(0, -std::max(0.0, up));
                lower.moveTop(std::min(upper.top() + kLabelStep, bounds.bottom() - kChip));
            }
        }
        if (!moved)
            break;
    }
    for (EndLabel& label : labels)
        label.chip = QRectF(std::round(label.patch.left() + 2), std::round(label.patch.top()), kChip, kChip);
}

void drawEndLabel(QPainter& painter, const EndLabel& label) {
    const Look& look = Look::instance();
    QColor ground = look.colours().surface;
    ground.setAlphaF(0.88F);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ground);
    painter.drawRoundedRect(label.patch.adjusted(0, -1, 0, 1), 3, 3);
    look.drawChip(painter, label.chip.topLeft(), label.look);
    painter.setFont(look.font(Type::small));
    painter.setPen(label.weak ? look.colours().ink3 : look.colours().ink);
    drawText(painter, label.chip.right() + 5, label.chip.bottom() - 3, label.text, Qt::AlignLeft);
}

void drawTopWords(QPainter& painter, std::vector<TopWord> words, double left, double right, double above,
                  double within) {
    const QFont strong = strongSmall();
    const QFont plain = Look::instance().font(Type::small);
    std::sort(words.begin(), words.end(), [](const TopWord& a, const TopWord& b) { return a.weight > b.weight; });
    std::array<std::vector<std::pair<double, double>>, kWordRows> taken;
    for (const TopWord& word : words) {
        const QFontMetricsF metrics(word.strong ? strong : plain);
        const double width = metrics.horizontalAdvance(word.text);
        if (width > right - left)
            continue;
        const auto free = [&](std::size_t row, double from) {
            return from >= left - 0.5 && from + width <= right + 0.5 &&
                   std::none_of(taken[row].begin(), taken[row].end(), [&](const auto& other) {
                       return from < other.second + 10 && other.first < from + width + 10;
                   });
        };
        const double wanted = std::clamp(word.centre - width / 2, left, right - width);
        std::optional<double> place;
        std::size_t row = 0;
        for (; row < kWordRows && !place; row += place ? 0 : 1) {
            // A little to the side is still "above it"; farther away the words would name something else.
            for (double shift = 0; shift <= width / 2 + 12 && !place; shift += 4) {
                if (free(row, wanted + shift))
                    place = std::round(wanted + shift);
                else if (free(row, wanted - shift))
                    place = std::round(wanted - shift);
            }
        }
        if (!place)
            continue;
        taken[row].emplace_back(*place, *place + width);
        double baseline = above;
        if (row > 0) {
            baseline = within + kLabelStep * static_cast<double>(row - 1);
            QColor ground = Look::instance().colours().surface;
            ground.setAlphaF(0.88F);
            painter.fillRect(QRectF(*place - 3, baseline - metrics.ascent(), width + 6, metrics.height()), ground);
        }
        painter.setFont(word.strong ? strong : plain);
        painter.setPen(word.colour);
        painter.drawText(QPointF(*place, baseline), word.text);
    }
}

void drawStallBox(QPainter& painter, const QRectF& plot, const StallBox& stall) {
    const Look& look = Look::instance();
    const double room = std::max((stall.x1 - stall.x0) / 2 - 4, 0.0);
    const double x0 = stall.x0 + std::min(stall.insetLeft, room);
    const double x1 = stall.x1 - std::min(stall.insetRight, room);
    const double left = std::max(x0, plot.left());
    const double right = std::min(x1, plot.right());
    if (right < plot.left() || left > plot.right())
        return;
    const double top = plot.top() + stall.level * kLidStep;
    const QRectF box(left, top, std::max(right - left, 1.0), plot.bottom() - top);
    const QRectF lid(box.left(), top, box.width(), kLid);
    if (stall.kind == StallKind::client) {
        look.drawHatch(painter, box);
        for (const double x : {x0, x1})
            if (x >= plot.left() && x <= plot.right())
                drawVertical(painter, x, top, plot.bottom(), look.colours().hatch, {});
    } else {
        QColor fill = look.colours().stall;
        fill.setAlphaF(stall.selected ? 0.16F : 0.07F);
        painter.fillRect(box, fill);
        drawStallBand(painter, lid, stall.kind, stall.selected ? 1 : stall.edge);
        const QList<qreal> dash = stallEdgeDash(stall.kind);
        const double width = stall.selected ? 2 : 1;
        QColor line = look.colours().stall;
        line.setAlphaF(static_cast<float>(stall.selected ? 1 : stall.edge));
        if (x0 >= plot.left())
            drawVertical(painter, x0, top, plot.bottom(), line, dash, width);
        if (x1 <= plot.right() && stall.kind != StallKind::open)
            drawVertical(painter, x1, top, plot.bottom(), line, dash, width);
    }
    // Whose it is, where the lid is long enough to keep its dash beside that.
    if (lid.width() >= 3 * kLidLane)
        painter.fillRect(QRectF(lid.left(), lid.top(), kLidLane, kLid), look.lane(stall.look).colour);
}

void drawMarkerShape(QPainter& painter, Marker marker, QPointF c, double r, const QColor& colour) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, true);
    QPainterPath path;
    bool open = false;
    switch (marker) {
    case Marker::circleOpen:
        open = true;
        [[fallthrough]];
    case Marker::circle:
        path.addEllipse(c, r, r);
        break;
    case Marker::squareOpen:
        open = true;
        [[fallthrough]];
    case Marker::square:
        path.addRect(QRectF(c.x() - r * 0.9, c.y() - r * 0.9, r * 1.8, r * 1.8));
        break;
    case Marker::triangleOpen:
        open = true;
        [[fallthrough]];
    case Marker::triangle:
        path.moveTo(c + QPointF(0, -r * 1.15));
        path.lineTo(c + QPointF(r * 1.1, r * 0.85));
        path.lineTo(c + QPointF(-r * 1.1, r * 0.85));
        path.closeSubpath();
        break;
    case Marker::diamondOpen:
        open = true;
        [[fallthrough]];
    case Marker::diamond:
        path.moveTo(c + QPointF(0, -r * 1.2));
        path.lineTo(c + QPointF(r * 1.2, 0));
        path.lineTo(c + QPointF(0, r * 1.2));
        path.lineTo(c + QPointF(-r * 1.2, 0));
        path.closeSubpath();
        break;
    }
    painter.setPen(open ? QPen(colour, 1.5) : QPen(Qt::NoPen));
    painter.setBrush(open ? QBrush(Look::instance().colours().surface) : QBrush(colour));
    painter.drawPath(path);
    painter.restore();
}

void drawCross(QPainter& painter, QPointF centre, const QColor& colour) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, true);
    QPen pen(colour, 1.5);
    pen.setCapStyle(Qt::RoundCap);
    painter.setPen(pen);
    painter.drawLine(centre + QPointF(-4, -4), centre + QPointF(4, 4));
    painter.drawLine(centre + QPointF(-4, 4), centre + QPointF(4, -4));
    painter.restore();
}

void drawVertical(QPainter& painter, double x, double top, double bottom, const QColor& colour,
                  const QList<qreal>& dash, double width) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    const double left = std::floor(x - (width - 1) / 2);
    if (dash.isEmpty()) {
        painter.fillRect(QRectF(left, top, width, bottom - top), colour);
    } else {
        qsizetype part = 0;
        for (double y = top; y < bottom; y += dash[part], part = (part + 1) % dash.size()) {
            if (part % 2 == 0)
                painter.fillRect(QRectF(left, y, width, std::min(dash[part], bottom - y)), colour);
        }
    }
    painter.restore();
}

void drawText(QPainter& painter, double x, double baseline, const QString& text, Qt::AlignmentFlag alignment) {
    const double width = QFontMetricsF(painter.font()).horizontalAdvance(text);
    if (alignment == Qt::AlignHCenter)
        x -= width / 2;
    else if (alignment == Qt::AlignRight)
        x -= width;
    painter.drawText(QPointF(x, baseline), text);
}

} // namespace decodescope
