#pragma once

#include "ui/charts/lane_curves.h"

#include <QLineF>
#include <QList>
#include <QPointF>

#include <functional>
#include <vector>

/// From curves to the few points that a picture can hold: what is dense is cut to smallest and largest of a pixel
/// column, what is sparse is drawn as it is.
namespace decodescope {

/// A straight map from axis coordinates to pixels.
struct AxisMap {
    double min = 0, max = 1;
    double px0 = 0, px1 = 1; ///< pixels of min and max
    [[nodiscard]] double operator()(double value) const { return px0 + (value - min) / (max - min) * (px1 - px0); }
    [[nodiscard]] double inverse(double px) const { return min + (px - px0) / (px1 - px0) * (max - min); }
    [[nodiscard]] double low() const { return px0 < px1 ? px0 : px1; }
    [[nodiscard]] double high() const { return px0 < px1 ? px1 : px0; }
};

/// The gap line as vertices: every gap over its own duration at its own height. x maps seconds after `shiftS` from
/// t0; y turns a gap in seconds into pixels, rising or falling all through. At most four points a column of
/// `columnPx` pixels.
[[nodiscard]] std::vector<QPointF> gapVertices(const LaneCurves& curves, double shiftS, const AxisMap& x,
                                               const std::function<double(float)>& y, double columnPx);

/// The amount that had arrived over time: a step where a wait is wide enough to be seen, else straight on.
[[nodiscard]] std::vector<QPointF> arrivedVertices(const LaneCurves& curves, double shiftS, const AxisMap& x,
                                                   const AxisMap& y, double columnPx);

/// A stretch of rates [begin, end) over positions, cut where it is undefined: one list of vertices a piece.
[[nodiscard]] std::vector<std::vector<QPointF>> rateVertices(const MinMaxPyramid& rates, std::size_t begin,
                                                             std::size_t end, const AxisMap& x, const AxisMap& y,
                                                             double columnPx);

/// Joins vertices by lines: single segments are many times faster to stroke than one jagged polyline.
void appendSegments(const std::vector<QPointF>& vertices, QList<QLineF>& out);
/// The same, on the pixel grid of `dpr` device pixels a pixel, for thin lines without anti-aliasing.
void appendCrispSegments(const std::vector<QPointF>& vertices, double dpr, QList<QLineF>& out);
/// The same, cut into dashes of `pattern` (on, off, on, off ... in pixels); the rhythm runs on across vertices.
void appendDashes(const std::vector<QPointF>& vertices, const QList<qreal>& pattern, QList<QLineF>& out);

} // namespace decodescope
