#include "ui/lane/badge_row.h"

#include "ui/theme/look.h"

#include <QFontMetrics>
#include <QPainter>
#include <QStringList>

namespace decodescope {
namespace {

constexpr int kPadding = 6;
constexpr int kGap = 5;
constexpr int kRanks = 3;

/// 0 keeps its place longest.
int rankOf(const LaneBadge& badge) {
    return badge.stall ? 0 : badge.source ? 2 : 1;
}

} // namespace

BadgeRow placeBadges(const std::vector<LaneBadge>& badges, const QRect& room) {
    const QFontMetrics metrics(Look::instance().font(Type::small));
    const auto widthOf = [&](const QString& words) { return metrics.horizontalAdvance(words) + 2 * kPadding; };
    int all = -kGap;
    for (const LaneBadge& badge : badges)
        all += widthOf(badge.words) + kGap;
    const bool everything = all <= room.width();
    const int foldWidth = widthOf(QStringLiteral("+9"));
    std::vector<QString> shown(badges.size()); // empty: folded
    int left = room.width() - foldWidth;
    bool full = false; // then nothing that weighs less is shown either
    for (int rank = 0; rank < kRanks && !full; ++rank) {
        for (std::size_t i = 0; i < badges.size(); ++i) {
            if (rankOf(badges[i]) != rank)
                continue;
            const auto fits = [&](const QString& words) { return everything || widthOf(words) + kGap <= left; };
            if (fits(badges[i].words))
                shown[i] = badges[i].words;
            else if (!badges[i].brief.isEmpty() && fits(badges[i].brief))
                shown[i] = badges[i].brief;
            full = shown[i].isEmpty();
            if (full)
                break;
            left -= widthOf(shown[i]) + kGap;
        }
    }
    BadgeRow row;
    int x = room.left();
    for (std::size_t i = 0; i < badges.size(); ++i) {
        if (shown[i].isEmpty()) {
            row.folded.push_back(i);
            continue;
        }
        row.shown.push_back({i, QRect(x, room.top(), widthOf(shown[i]), room.height()), shown[i]});
        x += widthOf(shown[i]) + kGap;
    }
    if (!row.folded.empty())
        row.fold = QRect(x, room.top(), foldWidth, room.height());
    return row;
}

void paintBadges(QPainter& painter, const std::vector<LaneBadge>& badges, const BadgeRow& row) {
    const Look& look = Look::instance();
    const Colours& colours = look.colours();
    painter.setFont(look.font(Type::small));
    const auto paint = [&](const QRect& rect, const QString& words, bool stall) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(stall ? colours.stallFill : colours.raised);
        painter.drawRoundedRect(rect, 3, 3);
        painter.setPen(stall ? colours.stall : colours.ink2);
        painter.drawText(rect, Qt::AlignCenter, words);
    };
    for (const BadgeRow::Shown& shown : row.shown)
        paint(shown.rect, shown.words, badges[shown.badge].stall);
    if (!row.folded.empty())
        paint(row.fold, QStringLiteral("+%1").arg(row.folded.size()), false);
}

QString badgeTip(const std::vector<LaneBadge>& badges, const BadgeRow& row, QPoint at) {
    for (const BadgeRow::Shown& shown : row.shown) {
        const LaneBadge& badge = badges[shown.badge];
        if (shown.rect.contains(at))
            return shown.words == badge.words ? badge.tip : badge.words + QLatin1Char('\n') + badge.tip;
    }
    QStringList lines;
    if (row.fold.contains(at)) {
        for (const std::size_t index : row.folded)
            lines << badges[index].words + QStringLiteral(": ") + badges[index].tip;
    }
    return lines.join(QLatin1Char('\n'));
}

} // namespace decodescope
