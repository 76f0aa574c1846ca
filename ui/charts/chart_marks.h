#pragma once

#include "core/metrics/run_summary.h"
#include "ui/theme/look.h"
#include "ui/theme/stall_marks.h"

#include <QColor>
#include <QPointF>
#include <QRectF>
#include <QString>

#include <vector>

class QPainter;

/// Small things that several charts draw the same way.
namespace decodescope {

/// A lane's chip with its number at the end of its curve.
struct EndLabel {
    int lane = 0; ///< index in the chart's lanes
    int look = 0;
    QPointF at; ///< where the curve ends
    QString text;
    bool weak = false; ///< abnormal lanes: ink3
    QRectF chip;       ///< set by placing: where the chip is drawn
    QRectF patch;      ///< set by placing: chip, text and their patch
};

/// Sets chip and patch of every label right of its point, inside `bounds`, pushed apart to 15 px where patches
/// would touch.
void placeEndLabels(std::vector<EndLabel>& labels, const QRectF& bounds);
void drawEndLabel(QPainter& painter, const EndLabel& label);

/// Words above a plot, centred over what they name.
struct TopWord {
    double centre = 0; ///< px
    double weight = 0; ///< what is dropped last when there is no room
    QString text;
    QColor colour;
    bool strong = true;
};
/// Draws them side by side above a plot, between left and right, the weightiest first; what finds no room there stands
/// within the plot on a patch of the ground, from `within` on. What finds none there either is left out. Both are
/// baselines.
void drawTopWords(QPainter& painter, std::vector<TopWord> words, double left, double right, double above,
                  double within);

/// A stall over the full height of a plot.
struct StallBox {
    double x0 = 0, x1 = 0; ///< px
    StallKind kind = StallKind::unknown;
    int look = 0;  ///< of its lane, whose colour begins the lid
    int level = 0; ///< how many boxes of other lanes it lies within: lids are stacked
    /// px that an edge gives way where it would stand on another box's edge.
    double insetLeft = 0, insetRight = 0;
    bool selected = false;
    double edge = 1; ///< strength of the edges, less where there are many
};
/// Ground, lid, edges and hatch.
void drawStallBox(QPainter& painter, const QRectF& plot, const StallBox& box);

/// A lane's marker in any colour.
void drawMarkerShape(QPainter& painter, Marker marker, QPointF centre, double radius, const QColor& colour);
/// A cross, for a stream that was cut.
void drawCross(QPainter& painter, QPointF centre, const QColor& colour);
/// A vertical 1 px line with a dash pattern in pixels, on the pixel grid.
void drawVertical(QPainter& painter, double x, double top, double bottom, const QColor& colour,
                  const QList<qreal>& dash, double width = 1);
/// Text at a baseline; alignment: left edge, centre or right edge at `x`.
void drawText(QPainter& painter, double x, double baseline, const QString& text, Qt::AlignmentFlag alignment);

} // namespace decodescope
