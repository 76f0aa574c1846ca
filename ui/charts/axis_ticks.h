#pragma once

#include <QString>

#include <optional>
#include <vector>

/// Where the labels of an axis stand and what they say. Steps are 1, 2 or 5 times a power of ten.
namespace decodescope {

struct Tick {
    double at = 0; ///< in axis coordinates (log10 on a log axis)
    QString label; ///< empty: a tick without words
};

/// One axis of a plot, in its own coordinates.
struct PlotAxis {
    double min = 0, max = 1;
    double step = 0.2;         ///< distance of the major grid lines
    std::vector<Tick> ticks;   ///< labelled
    std::vector<double> minor; ///< minor grid (2 and 5 on a log axis)
    bool grid = false;         ///< major grid lines at the steps
};

/// Smallest nice step that gives at most `maxTicks` steps over `span`. Always > 0.
[[nodiscard]] double niceStep(double span, int maxTicks);
/// `value` rounded up to the nice step that suits it.
[[nodiscard]] double niceCeiling(double value, int maxTicks);
/// Digits after the point that tell neighbours a step apart.
[[nodiscard]] int decimalsFor(double step);
/// A tick's number: fixed decimals, C locale, thin space between thousands from 10 000 on.
[[nodiscard]] QString tickNumber(double value, int decimals);

/// Linear axis over [min, max]; `unit` follows the last label alone ("9 s").
[[nodiscard]] PlotAxis linearAxis(double min, double max, int maxTicks, const QString& unit);
/// Percent axis from 0 to `maxShare` (of 1).
[[nodiscard]] PlotAxis percentAxis(double maxShare, int maxTicks);
/// Durations on a log axis: coordinates are log10 of milliseconds; "1", "10", "100 ms", "1 s", "10 s".
[[nodiscard]] PlotAxis logDurationAxis(double minMs, double maxMs);

/// The far end of an axis that follows growing data in rare, nice steps, and comes back only when the data is far
/// below it (a new run).
class SteppedMax {
public:
    /// Returns the end to show for data that reaches to `needed`.
    double update(double needed, int maxTicks);
    [[nodiscard]] std::optional<double> value() const { return m_value; }
    void reset() { m_value.reset(); }

private:
    std::optional<double> m_value;
};

} // namespace decodescope
