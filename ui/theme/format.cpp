#include "ui/theme/format.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

constexpr QChar kThinSpace(0x2009);
constexpr QChar kTimes(0x00D7);
constexpr double kFinestMs = 0.1; ///< nothing finer is printed

// Digits by the C locale: a reader compares these numbers with exports and other tools.
QString fixed(double value, int decimals) {
    return QString::number(value, 'f', decimals);
}

QString grouped(double whole) {
    QString digits = fixed(std::fabs(whole), 0);
    if (std::fabs(whole) >= 9999.5) {
        for (qsizetype i = digits.size() - 3; i > 0; i -= 3)
            digits.insert(i, kThinSpace);
    }
    return whole <= -0.5 ? QChar(0x2212) + digits : digits;
}

Quantity clockTime(double seconds) {
    const auto whole = static_cast<qint64>(std::llround(seconds));
    const auto two = [](qint64 n) { return QString::number(n).rightJustified(2, QLatin1Char('0')); };
    if (whole < 3600)
        return {QString::number(whole / 60) + QLatin1Char(':') + two(whole % 60), {}};
    return {QString::number(whole / 3600) + QLatin1Char(':') + two(whole / 60 % 60) + QLatin1Char(':') +
                two(whole % 60),
            {}};
}

Quantity longDuration(double seconds) {
    // The limits are where the shorter form would round up to another digit.
    if (seconds < 9.995)
        return {fixed(seconds, 2), QStringLiteral("s")};
    if (seconds < 99.95)
        return {fixed(seconds, 1), QStringLiteral("s")};
    return clockTime(seconds);
}

bool usable(const std::optional<double>& value) {
    return value && std::isfinite(*value);
}

} // namespace

QString Quantity::joined() const {
    return unit.isEmpty() ? value : value + kThinSpace + unit;
}

QString enDash() {
    return QString(QChar(0x2013));
}

Quantity formatDuration(std::optional<double> seconds) {
    if (!usable(seconds))
        return {enDash(), {}};
    // A short one is not none.
    if (*seconds > 0 && *seconds < 0.95e-3)
        return {fixed(std::max(*seconds * 1000, kFinestMs), 1), QStringLiteral("ms")};
    if (*seconds < 0.9995)
        return {grouped(*seconds * 1000), QStringLiteral("ms")};
    return longDuration(*seconds);
}

Quantity formatGap(std::optional<double> seconds, bool kernelClock) {
    if (!usable(seconds))
        return {enDash(), {}};
    if (kernelClock && *seconds < 0.09995)
        return {fixed(*seconds * 1000, 1), QStringLiteral("ms")};
    if (*seconds < 0.9995)
        return {grouped(*seconds * 1000), QStringLiteral("ms")};
    return formatDuration(seconds);
}

Quantity formatErrorBound(std::optional<double> seconds, bool precise) {
    if (!usable(seconds))
        return {enDash(), {}};
    const double ms = std::max(0.0, *seconds * 1000);
    if (precise && ms <= 99.9)
        return {fixed(std::max(1.0, std::ceil(ms * 10 - 1e-6)) / 10, 1), QStringLiteral("ms")};
    return {grouped(std::max(1.0, std::ceil(ms - 1e-6))), QStringLiteral("ms")};
}

QString formatRate(std::optional<double> perSecond) {
    if (!usable(perSecond))
        return enDash();
    if (*perSecond < 9.995)
        return fixed(*perSecond, 2);
    if (*perSecond < 999.95)
        return fixed(*perSecond, 1);
    return grouped(*perSecond);
}

QString formatRatio(double ratio) {
    if (!std::isfinite(ratio))
        return enDash();
    return kTimes + (ratio < 9.95 ? fixed(ratio, 1) : grouped(ratio));
}

QString formatCount(double count) {
    return std::isfinite(count) ? grouped(count) : enDash();
}

QString formatPercent(double share) {
    return std::isfinite(share) ? fixed(share * 100, 1) + QLatin1Char('%') : enDash();
}

QString formatBytes(double bytes) {
    if (!std::isfinite(bytes))
        return enDash();
    if (bytes < 999.5)
        return grouped(bytes) + kThinSpace +
               (bytes >= 0.5 && bytes < 1.5 ? QStringLiteral("byte") : QStringLiteral("bytes"));
    static constexpr const char* kUnits[] = {"kB", "MB", "GB", "TB"};
    std::size_t unit = 0;
    double scaled = bytes / 1000;
    while (scaled >= 999.5 && unit + 1 < std::size(kUnits)) {
        scaled /= 1000;
        ++unit;
    }
    return (scaled < 9.995   ? fixed(scaled, 2)
            : scaled < 99.95 ? fixed(scaled, 1)
                             : grouped(scaled)) +
           kThinSpace + QLatin1String(kUnits[unit]);
}

} // namespace decodescope
