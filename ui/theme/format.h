#pragma once

#include <QString>

#include <optional>

/// The only place where a number becomes text (look.md section 9). Thin spaces before units; an en dash for what
/// is undefined.
namespace decodescope {

/// A value and its unit apart, for painters that set them in different sizes.
struct Quantity {
    QString value;                        ///< "412", "1.24", "–"
    QString unit;                         ///< "ms", "s", "tok/s"; empty with an en dash
    [[nodiscard]] QString joined() const; ///< with a thin space
};

[[nodiscard]] QString enDash();
/// Under 0.9995 s whole milliseconds, under one of them tenths, then "1.24 s", "12.4 s", "2:05".
[[nodiscard]] Quantity formatDuration(std::optional<double> seconds);
/// Gap: under 100 ms one decimal with a kernel clock, whole ms with a user-space clock.
[[nodiscard]] Quantity formatGap(std::optional<double> seconds, bool kernelClock);
/// What a stamp may be wrong by, rounded up: to tenths of a millisecond with a precise clock, else to whole ones.
[[nodiscard]] Quantity formatErrorBound(std::optional<double> seconds, bool precise);
/// Under 10 two decimals, under 1,000 one, then whole.
[[nodiscard]] QString formatRate(std::optional<double> perSecond);
/// "×2.6", from 10 on "×14".
[[nodiscard]] QString formatRatio(double ratio);
/// Whole, thin space between thousands from 10 000 on.
[[nodiscard]] QString formatCount(double count);
[[nodiscard]] QString formatPercent(double share); ///< share of 1, one decimal
[[nodiscard]] QString formatBytes(double bytes);

} // namespace decodescope
