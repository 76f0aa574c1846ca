#include "ui/lane/number_row.h"

#include "ui/theme/look.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace decodescope {
namespace {

using Widths = std::array<qreal, 4>;

// Shares of the row (look.md 25).
constexpr std::array<double, 4> kShares{0.19, 0.28, 0.36, 0.17};
constexpr int kSmallestPx = 11;
constexpr qreal kBetween = 9;
constexpr qreal kLeastBetween = 5;

enum class Brevity { none, slash, units };

NumberRow styled(const std::array<LaneNumber, 4>& numbers, int px, Brevity brevity) {
    const Look& look = Look::instance();
    NumberRow row;
    row.font = look.font(Type::number);
    row.font.setPixelSize(px);
    row.unitFont = look.font(Type::small);
    row.unitFont.setPixelSize(std::min(row.unitFont.pixelSize(), px));
    row.slash = brevity == Brevity::none ? QStringLiteral(" / ") : QStringLiteral("/");
    const QFontMetricsF values(row.font);
    const QFontMetricsF units(row.unitFont);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const LaneNumber& number = numbers[i];
        NumberRow::Column& column = row.columns[i];
        column.unit = brevity == Brevity::units && !number.briefUnit.isEmpty() ? number.briefUnit : number.unit;
        column.taken = values.horizontalAdvance(number.value);
        if (!number.second.isEmpty())
            column.taken += values.horizontalAdvance(row.slash + number.second);
        if (!column.unit.isEmpty())
            column.taken += NumberRow::kUnitGap + units.horizontalAdvance(column.unit);
        column.taken = std::ceil(column.taken);
    }
    return row;
}

/// What the columns want: their numbers, no less than the usual ones with a unit, and the last one its whole label.
Widths wantedBy(const NumberRow& row, const std::array<LaneNumber, 4>& numbers) {
    struct Usual {
        const char* value;
        const char* unit;
    };
    static const std::array<Usual, 4> kUsual{{{"888", "ms"}, {"88.8", "tok/s"}, {"88.8", "ms"}, {"888", ""}}};
    const QFontMetricsF values(row.font);
    const QFontMetricsF units(row.unitFont);
    Widths wanted{};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const QString usual = QLatin1String(kUsual[i].value);
        wanted[i] = values.horizontalAdvance(usual);
        if (!numbers[i].second.isEmpty())
            wanted[i] += values.horizontalAdvance(row.slash + usual);
        const QString& own = row.columns[i].unit;
        const QString unit = own.isEmpty() ? QLatin1String(kUsual[i].unit) : own;
        if (!unit.isEmpty())
            wanted[i] += NumberRow::kUnitGap + units.horizontalAdvance(unit);
        wanted[i] = std::max(std::ceil(wanted[i]), row.columns[i].taken);
    }
    const QFontMetricsF labels(Look::instance().font(Type::small));
    wanted.back() =
        std::max(wanted.back(), std::ceil(labels.horizontalAdvance(numbers.back().label)) + NumberRow::kLabelGap);
    return wanted;
}

bool place(NumberRow& row, const Widths& wanted, qreal between, qreal left, qreal width) {
    bool shares = true;
    for (std::size_t i = 0; i < wanted.size(); ++i)
        shares = shares && wanted[i] + (i + 1 < wanted.size() ? between : 0) <= std::floor(width * kShares[i]);
    const qreal spare = width - std::accumulate(wanted.begin(), wanted.end(), 0.0) - between * 3;
    qreal x = left;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const bool last = i + 1 == wanted.size();
        const qreal next = last     ? left + width
                           : shares ? x + width * kShares[i]
                                    : x + wanted[i] + between + std::max(0.0, spare) * kShares[i];
        row.columns[i].left = std::floor(x);
        row.columns[i].width = std::floor(next) - std::floor(x);
        x = next;
    }
    return shares || spare >= 0;
}

} // namespace

NumberRow placeNumbers(const std::array<LaneNumber, 4>& numbers, qreal left, qreal width) {
    NumberRow row;
    const int usualPx = Look::instance().font(Type::number).pixelSize();
    for (int px = usualPx; px >= kSmallestPx; --px) {
        row = styled(numbers, px, Brevity::none);
        if (place(row, wantedBy(row, numbers), kBetween, left, width))
            return row;
    }
    // Not the usual numbers any more, but those that are there.
    for (const Brevity brevity : {Brevity::none, Brevity::slash, Brevity::units}) {
        row = styled(numbers, kSmallestPx, brevity);
        Widths taken{};
        std::transform(row.columns.begin(), row.columns.end(), taken.begin(),
                       [](const NumberRow::Column& column) { return column.taken; });
        if (place(row, taken, kLeastBetween, left, width))
            break;
    }
    return row;
}

} // namespace decodescope
