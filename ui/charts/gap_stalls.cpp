#include "ui/charts/gap_stalls.h"

#include "ui/theme/format.h"
#include "ui/theme/look.h"
#include "ui/theme/stall_marks.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace decodescope {
namespace {

// Up to this many stalls of a lane in view are named one by one.
constexpr std::size_t kWordsEach = 5;
constexpr int kMostLevels = 4;
constexpr double kTouchPx = 0.5; ///< where one ends the next begins, but for rounding
constexpr double kNestPx = 3;
constexpr double kSamePx = 8; ///< so near to each other, two edges are one instant for the eye

QString tr(const char* text, int n = -1) {
    return QCoreApplication::translate("GapStalls", text, nullptr, n);
}

QString letterOf(const ChartLane& lane) {
    return Look::instance().lane(lane.look).letter;
}

/// Stalls of different lanes that begin and end together.
struct Group {
    std::vector<const SeenStall*> stalls;

    [[nodiscard]] bool takes(const SeenStall& stall) const {
        const StallBox& first = stalls.front()->box;
        return std::abs(first.x0 - stall.box.x0) <= kSamePx && std::abs(first.x1 - stall.box.x1) <= kSamePx &&
               std::none_of(stalls.begin(), stalls.end(), [&](const SeenStall* s) { return s->lane == stall.lane; });
    }
};

/// "A, C delivery \u00b7 B generation", lanes of one kind side by side.
QString kindsOf(const Group& group, const std::vector<ChartLane>& lanes) {
    std::vector<std::pair<StallKind, QStringList>> kinds;
    for (const SeenStall* stall : group.stalls) {
        const auto found =
            std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.first == stall->box.kind; });
        auto& entry = found == kinds.end() ? kinds.emplace_back(stall->box.kind, QStringList()) : *found;
        entry.second << letterOf(lanes[stall->lane]);
    }
    QStringList parts;
    for (const auto& [kind, letters] : kinds)
        parts << letters.join(QStringLiteral(", ")) + QLatin1Char(' ') + stallWord(kind);
    return parts.join(QStringLiteral(" \u00b7 "));
}

TopWord wordOf(const Group& group, const std::vector<ChartLane>& lanes) {
    const Colours& colours = Look::instance().colours();
    TopWord word;
    word.colour = colours.ink3;
    word.strong = false;
    double longest = 0, from = 0, to = 0;
    std::size_t together = 1;
    for (const SeenStall* seen : group.stalls) {
        const ChartLane& lane = lanes[seen->lane];
        const Stall& stall = lane.summary->stalls[seen->stall];
        longest = std::max(longest, stall.lengthS);
        word.weight = std::max(word.weight, stall.lengthS + (seen->box.selected ? 1e6 : 0) +
                                                (stall.kind == StallKind::open ? 1e3 : 0));
        from += std::max(seen->box.x0, 0.0);
        to += seen->box.x1;
        if (stall.kind != StallKind::client) {
            word.colour = colours.stall;
            word.strong = true;
        }
        const auto others =
            lane.others && seen->stall < lane.others->size() ? (*lane.others)[seen->stall] : std::nullopt;
        if (others && others->side != StallSide::none)
            together = std::max<std::size_t>(together, others->stalled);
    }
    word.centre = (from + to) / 2 / static_cast<double>(group.stalls.size());
    word.text = kindsOf(group, lanes) + QLatin1Char(' ') + formatDuration(longest).joined();
    if (together > group.stalls.size())
        word.text += tr(", %n lanes together", static_cast<int>(together));
    else if (together > 1)
        word.text += tr(" together");
    return word;
}

/// "C: 7 stalls, longest 388 ms"
TopWord wordOfAll(const std::vector<const SeenStall*>& own, const ChartLane& lane) {
    double longest = 0;
    for (const SeenStall* stall : own)
        longest = std::max(longest, lane.summary->stalls[stall->stall].lengthS);
    const QString text =
        tr("%1: %2 stalls, longest %3").arg(letterOf(lane)).arg(own.size()).arg(formatDuration(longest).joined());
    return {(own.front()->box.x0 + own.back()->box.x1) / 2, longest, text, Look::instance().colours().stall, true};
}

} // namespace

void levelStalls(std::vector<SeenStall>& stalls) {
    std::stable_sort(stalls.begin(), stalls.end(), [](const SeenStall& a, const SeenStall& b) {
        return a.box.x0 != b.box.x0 ? a.box.x0 < b.box.x0 : a.lane < b.lane;
    });
    std::array<double, kMostLevels> endPx; // a lane's own stalls never overlap: the last one on a level tells
    endPx.fill(-std::numeric_limits<double>::infinity());
    for (SeenStall& stall : stalls) {
        const auto free =
            std::find_if(endPx.begin(), endPx.end() - 1, [&](double end) { return end <= stall.box.x0 + kTouchPx; });
        stall.box.level = static_cast<int>(free - endPx.begin());
        *free = std::max(*free, stall.box.x1);
    }
    // Boxes of one instant stand within one another, so that each shows its own edges; all others keep their times.
    for (SeenStall& stall : stalls) {
        if (stall.box.level == 0)
            continue;
        const double nest = stall.box.level * kNestPx;
        for (const SeenStall& other : stalls) {
            if (other.box.level >= stall.box.level)
                continue;
            if (std::abs(other.box.x0 - stall.box.x0) < kNestPx)
                stall.box.insetLeft = nest;
            if (std::abs(other.box.x1 - stall.box.x1) < kNestPx)
                stall.box.insetRight = nest;
        }
    }
}

std::vector<TopWord> stallWords(const std::vector<SeenStall>& stalls, const std::vector<ChartLane>& lanes,
                                const ViewState& view) {
    std::vector<std::vector<const SeenStall*>> byLane(lanes.size());
    for (const SeenStall& stall : stalls)
        byLane[stall.lane].push_back(&stall);
    std::vector<TopWord> words;
    std::vector<Group> groups;
    for (std::size_t index = 0; index < lanes.size(); ++index) {
        std::vector<const SeenStall*>& own = byLane[index];
        if (own.empty() || (view.front() && *view.front() != lanes[index].id))
            continue;
        if (own.size() > kWordsEach) {
            // So many that single words would be a random choice: one for all of them, or for the selected one.
            const auto selected =
                std::find_if(own.begin(), own.end(), [](const SeenStall* stall) { return stall->box.selected; });
            if (selected == own.end()) {
                words.push_back(wordOfAll(own, lanes[index]));
                continue;
            }
            own = {*selected};
        }
        for (const SeenStall* stall : own) {
            const auto group =
                std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.takes(*stall); });
            if (group == groups.end())
                groups.push_back({{stall}});
            else
                group->stalls.push_back(stall);
        }
    }
    for (const Group& group : groups)
        words.push_back(wordOf(group, lanes));
    return words;
}

} // namespace decodescope
