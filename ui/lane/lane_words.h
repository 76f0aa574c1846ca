#pragma once

#include "ui/lane/lane_shot.h"
#include "ui/theme/format.h"
#include "ui/theme/look.h"
#include "ui/view_state.h"

#include <QString>

#include <array>
#include <optional>
#include <vector>

/// What a lane's card says, apart from how it looks.
namespace decodescope {

/// State as glyph and words (look.md section 8). A null colour role: the lane's own colour.
struct StateWords {
    QString icon;
    QString words;
    QColor Colours::*glyph = &Colours::ink3;
    QColor Colours::*text = &Colours::ink3;
};

/// A replay in progress: how far it has come, how long it is. Seconds.
struct ReplayPosition {
    double atS = 0, totalS = 0;
    friend bool operator==(const ReplayPosition&, const ReplayPosition&) = default;
};

[[nodiscard]] StateWords stateWords(const LaneShot& shot, const std::optional<ReplayPosition>& replay);

/// One column of the number row.
struct LaneNumber {
    QString label;
    QString value;
    QString second; ///< after a slash; empty: none
    QString unit;
    bool dim = false;       ///< not a result: waiting, cut, undefined
    bool secondDim = false; ///< a percentile that n does not support
    QString tip;            ///< formula, or the reason for a dash
    QString briefUnit = {}; ///< where the card is too narrow for the unit; empty: no shorter one
    friend bool operator==(const LaneNumber&, const LaneNumber&) = default;
};

/// TTFT, TPS, gap p50 / p99, tokens.
[[nodiscard]] std::array<LaneNumber, 4> laneNumbers(const LaneShot& shot, RateUnit unit);

/// A word in the footer: where clock and counts come from, what is to be known about the run.
struct LaneBadge {
    QString words;
    bool stall = false;
    QString tip;
    QString brief = {};  ///< where the words are too long for their place; empty: no shorter ones
    bool source = false; ///< tells where the figures come from, and no finding about the run
    friend bool operator==(const LaneBadge&, const LaneBadge&) = default;
};
[[nodiscard]] std::vector<LaneBadge> laneBadges(const LaneShot& shot);

[[nodiscard]] QString laneName(const LaneConfig& config);
/// Host and port of the endpoint; for a local model how it is run.
[[nodiscard]] QString lanePlace(const LaneConfig& config);
/// Seconds with one decimal, for what counts up: "8.2 s", from 100 s on "2:05".
[[nodiscard]] QString countingSeconds(double seconds);

} // namespace decodescope
