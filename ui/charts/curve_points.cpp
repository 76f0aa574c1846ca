#include "ui/charts/curve_points.h"

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

// A wait wider than this on the screen is drawn as the plateau it is.
constexpr double kStepPx = 4;

/// Puts both ends of an extent down in the order that continues the line with the smaller jump.
void pushExtent(std::vector<QPointF>& out, double px, double one, double other) {
    if (!out.empty() && std::abs(out.back().y() - other) < std::abs(out.back().y() - one))
        std::swap(one, other);
    out.emplace_back(px, one);
    out.emplace_back(px, other);
}

} // namespace

std::vector<QPointF> gapVertices(const LaneCurves& curves, double shiftS, const AxisMap& x,
                                 const std::function<double(float)>& y, double columnPx) {
    std::vector<QPointF> out;
    const MinMaxPyramid& gaps = curves.gaps();
    const ChunkedArray<float>& times = curves.times();
    if (gaps.size() == 0)
        return out;
    // The first gap that ends inside the picture.
    std::size_t i = times.lowerBound(x.inverse(x.low()) + shiftS);
    i = i == 0 ? 0 : i - 1;
    const double stopS = x.inverse(x.high()) + shiftS;
    while (i < gaps.size() && static_cast<double>(times[i]) < stopS) {
        const double endPx = x(static_cast<double>(times[i + 1]) - shiftS);
        const double column = std::floor(endPx / columnPx);
        const std::size_t after = times.lowerBound(x.inverse((column + 1) * columnPx) + shiftS, i);
        const std::size_t next = std::max(i + 1, after == 0 ? 0 : after - 1);
        // A long wait that a burst ends within one column is a plateau all the same.
        const bool wide = endPx - x(static_cast<double>(times[i]) - shiftS) > kStepPx;
        if (next - i <= 2 || wide) {
            for (const std::size_t end = wide ? i + 1 : next; i < end; ++i) {
                const double height = y(gaps.at(i));
                out.emplace_back(x(static_cast<double>(times[i]) - shiftS), height);
                out.emplace_back(x(static_cast<double>(times[i + 1]) - shiftS), height);
            }
        } else {
            const MinMaxPyramid::Extent extent = gaps.extent(i, next);
            pushExtent(out, (column + 0.5) * columnPx, y(extent.min), y(extent.max));
            i = next;
        }
    }
    return out;
}

std::vector<QPointF> arrivedVertices(const LaneCurves& curves, double shiftS, const AxisMap& x, const AxisMap& y,
                                     double columnPx) {
    std::vector<QPointF> out;
    const ChunkedArray<float>& times = curves.times();
    const ChunkedArray<float>& amounts = curves.amounts();
    if (times.empty())
        return out;
    std::size_t i = times.lowerBound(x.inverse(x.low()) + shiftS);
    i = i == 0 ? 0 : i - 1;
    const double stopS = x.inverse(x.high()) + shiftS;
    double before = 0;
    while (i < times.size()) {
        const double at = static_cast<double>(times[i]);
        const double px = x(at - shiftS);
        const double height = y(static_cast<double>(amounts[i]));
        if (!out.empty() && px - out.back().x() > kStepPx)
            out.emplace_back(px, before);
        out.emplace_back(px, height);
        before = height;
        if (at > stopS)
            break;
        // The last arrival of this pixel column stands for all: the curve never falls.
        const double column = std::floor(px / columnPx);
        const std::size_t after = times.lowerBound(x.inverse((column + 1) * columnPx) + shiftS, i);
        i = after > i + 1 && after - 1 > i ? after - 1 : i + 1;
    }
    return out;
}

std::vector<std::vector<QPointF>> rateVertices(const MinMaxPyramid& rates, std::size_t begin, std::size_t end,
                                               const AxisMap& x, const AxisMap& y, double columnPx) {
    std::vector<std::vector<QPointF>> pieces;
    const double firstVisible = std::floor(x.inverse(x.low())) - 2;
    const double lastVisible = std::ceil(x.inverse(x.high())) + 1;
    begin = std::max(begin, firstVisible > 0 ? static_cast<std::size_t>(firstVisible) : 0);
    end = std::min({end, rates.size(), lastVisible > 0 ? static_cast<std::size_t>(lastVisible) : 0});
    if (begin >= end)
        return pieces;
    const double px0 = x(static_cast<double>(begin) + 1);
    const double px1 = x(static_cast<double>(end));
    const auto columns = static_cast<std::size_t>(std::max(1.0, std::ceil((px1 - px0) / columnPx)));
    bool open = false;
    for (const MinMaxPyramid::Column& column : rates.query(begin, end, columns)) {
        if (column.extent.empty()) {
            open = false;
            continue;
        }
        if (!open)
            pieces.emplace_back();
        open = true;
        const double middle = (static_cast<double>(column.begin) + static_cast<double>(column.end) - 1) / 2 + 1;
        std::vector<QPointF>& piece = pieces.back();
        if (column.end - column.begin == 1)
            piece.emplace_back(x(middle), y(static_cast<double>(column.extent.min)));
        else
            pushExtent(piece, x(middle), y(static_cast<double>(column.extent.min)),
                       y(static_cast<double>(column.extent.max)));
    }
    return pieces;
}

void appendSegments(const std::vector<QPointF>& vertices, QList<QLineF>& out) {
    for (std::size_t i = 1; i < vertices.size(); ++i) {
        if (vertices[i] != vertices[i - 1])
            out.append(QLineF(vertices[i - 1], vertices[i]));
    }
}

void appendCrispSegments(const std::vector<QPointF>& vertices, double dpr, QList<QLineF>& out) {
    const auto snap = [dpr](const QPointF& p) {
        return QPointF((std::floor(p.x() * dpr) + 0.5) / dpr, (std::floor(p.y() * dpr) + 0.5) / dpr);
    };
    for (std::size_t i = 1; i < vertices.size(); ++i) {
        const QPointF from = snap(vertices[i - 1]);
        const QPointF to = snap(vertices[i]);
        if (from != to)
            out.append(QLineF(from, to));
    }
}

void appendDashes(const std::vector<QPointF>& vertices, const QList<qreal>& pattern, QList<QLineF>& out) {
    double length = 0;
    for (const qreal part : pattern)
        length += part;
    if (pattern.size() < 2 || !(length > 0)) {
        appendSegments(vertices, out);
        return;
    }
    qsizetype part = 0;
    double left = pattern[0];
    for (std::size_t i = 1; i < vertices.size(); ++i) {
        const QLineF line(vertices[i - 1], vertices[i]);
        const double total = line.length();
        double done = 0;
        while (done < total) {
            const double stretch = std::min(left, total - done);
            if (part % 2 == 0)
                out.append(QLineF(line.pointAt(done / total), line.pointAt((done + stretch) / total)));
            done += stretch;
            left -= stretch;
            if (left <= 1e-9) {
                part = (part + 1) % (pattern.size() - pattern.size() % 2);
                left = pattern[part];
            }
        }
    }
}

} // namespace decodescope
