#pragma once

#include "ui/lane/lane_words.h"

#include <QRect>

#include <vector>

class QPainter;

namespace decodescope {

/// The badges of a card's footer, placed. Those that do not fit are folded into one that counts them.
struct BadgeRow {
    struct Shown {
        std::size_t badge = 0;
        QRect rect;
        QString words;
    };
    std::vector<Shown> shown;
    std::vector<std::size_t> folded;
    QRect fold; ///< the counting one; null when nothing is folded
};

/// Places from the left of `room`. A badge that tells of a stall keeps its place before other findings, and those
/// before the badges that tell where the numbers come from; of equal ones the last are folded.
[[nodiscard]] BadgeRow placeBadges(const std::vector<LaneBadge>& badges, const QRect& room);
void paintBadges(QPainter& painter, const std::vector<LaneBadge>& badges, const BadgeRow& row);
/// What the badge under a point says, or all folded ones; plain text, empty beside them.
[[nodiscard]] QString badgeTip(const std::vector<LaneBadge>& badges, const BadgeRow& row, QPoint at);

} // namespace decodescope
