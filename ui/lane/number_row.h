#pragma once

#include "ui/lane/lane_words.h"

#include <QFont>

#include <array>

namespace decodescope {

/// Where the numbers of a card stand. All of them have one size; none reaches into the next, and each keeps its unit.
struct NumberRow {
    static constexpr qreal kUnitGap = 2.5;
    static constexpr qreal kLabelGap = 4; ///< that a label leaves before the next

    struct Column {
        qreal left = 0;
        qreal width = 0; ///< up to where the next one begins
        qreal taken = 0; ///< what value and unit need of it
        QString unit;
    };
    std::array<Column, 4> columns;
    QFont font;     ///< of the values
    QFont unitFont; ///< of units
    QString slash;  ///< between the two values of one column
};

/// Left edges are fixed shares of the row, or where those are too narrow such as give each column what its usual
/// number needs, so that nothing moves when a number grows a digit. In a narrow card all figures are smaller, and at
/// last the units shorter.
[[nodiscard]] NumberRow placeNumbers(const std::array<LaneNumber, 4>& numbers, qreal left, qreal width);

} // namespace decodescope
