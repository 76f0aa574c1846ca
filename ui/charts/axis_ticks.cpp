#include "ui/charts/axis_ticks.h"

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

constexpr QChar kThinSpace(0x2009);
// Below this share of its end an axis is taken back: half the plot would be empty.
constexpr double kShrinkBelow = 0.45;

} // namespace

double niceStep(double span, int maxTicks) {
    if (!(span > 0) || !std::isfinite(span))
        return 1;
    const double least = span / std::max(1, maxTicks);
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        // A hair of tolerance: 0.1 + 0.2 must not push a fitting step up to the next one.
        if (factor * power >= least * (1 - 1e-9))
            return factor * power;
    }
    return 10 * power;
}

double niceCeiling(double value, int maxTicks) {
    if (!(value > 0) || !std::isfinite(value))
        return 1;
    const double step = niceStep(value, maxTicks);
    return std::ceil(value / step - 1e-9) * step;
}

int decimalsFor(double step) {
    if (!(step > 0))
        return 0;
    return std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 6);
}

QString tickNumber(double value, int decimals) {
    QString text = QString::number(value, 'f', decimals);
    const int point = static_cast<int>(text.indexOf(u'.'));
    const int whole = point < 0 ? static_cast<int>(text.size()) : point;
    const int sign = text.startsWith(u'-') ? 1 : 0;
    if (whole - sign >= 5) {
        for (int at = whole - 3; at > sign; at -= 3)
            text.insert(at, kThinSpace);
    }
    return text;
}

PlotAxis linearAxis(double min, double max, int maxTicks, const QString& unit) {
    PlotAxis axis;
    axis.min = min;
    axis.max = max > min ? max : min + 1;
    axis.step = niceStep(axis.max - axis.min, maxTicks);
    const int decimals = decimalsFor(axis.step);
    const double tolerance = axis.step * 1e-6;
    for (double k = std::ceil((axis.min - tolerance) / axis.step); k * axis.step <= axis.max + tolerance; k += 1) {
        const double at = k * axis.step;
        axis.ticks.push_back({at, tickNumber(at == 0 ? 0.0 : at, decimals)});
    }
    if (!axis.ticks.empty() && !unit.isEmpty())
        axis.ticks.back().label += kThinSpace + unit;
    return axis;
}

PlotAxis percentAxis(double maxShare, int maxTicks) {
    PlotAxis axis = linearAxis(0, maxShare * 100, maxTicks, {});
    axis.max = maxShare;
    axis.step /= 100;
    for (Tick& tick : axis.ticks) {
        tick.at /= 100;
        tick.label += u'%';
    }
    return axis;
}

PlotAxis logDurationAxis(double minMs, double maxMs) {
    PlotAxis axis;
    axis.min = std::log10(minMs);
    axis.max = std::log10(maxMs);
    axis.step = 1;
    const int first = static_cast<int>(std::floor(axis.min + 1e-9));
    const int last = static_cast<int>(std::ceil(axis.max - 1e-9));
    for (int decade = first; decade <= last; ++decade) {
        if (decade >= axis.min - 1e-9 && decade <= axis.max + 1e-9) {
            QString label;
            if (decade >= 3)
                label = tickNumber(std::pow(10.0, decade - 3), 0) + kThinSpace + u's';
            else
                label = tickNumber(std::pow(10.0, decade), decade < 0 ? -decade : 0);
            // The unit stands once, on the largest label that is still in milliseconds.
            if (decade == 2 || (decade < 2 && decade == static_cast<int>(std::floor(axis.max + 1e-9))))
                label += kThinSpace + QStringLiteral("ms");
            axis.ticks.push_back({static_cast<double>(decade), label});
        }
        for (const double factor : {2.0, 5.0}) {
            const double at = decade + std::log10(factor);
            if (at > axis.min && at < axis.max)
                axis.minor.push_back(at);
        }
    }
    return axis;
}

double SteppedMax::update(double needed, int maxTicks) {
    if (!m_value || needed > *m_value || needed < kShrinkBelow * *m_value)
        m_value = niceCeiling(needed, maxTicks);
    return *m_value;
}

} // namespace decodescope
