#pragma once

#include "core/session/session.h"

#include <QString>

#include <array>
#include <optional>
#include <vector>

/// What the scoreboard shows, without how it is painted.
namespace decodescope {

enum class ScoreMetric {
    ttft,
    decodeRate,
    textRate,
    endToEndRate,
    total,
    gapP50,
    gapP90,
    gapP99,
    jitter,
    stalls,
    longestGap,
    outputTokens
};
inline constexpr int kScoreMetrics = 12;

/// One lane at one instant, taken from the session.
struct ScoreLane {
    LaneId id = 0;
    int look = 0;
    QString name;
    QString model;
    LaneState state = LaneState::idle;
    bool preciseClock = false; ///< gaps are worth a decimal of a millisecond
    RunSummary shown;          ///< the run in flight, or the last one
    bool hasRun = false;
    std::vector<RunSummary> inStats; ///< finished runs that count, without their token lists
    int excluded = 0;                ///< finished runs that do not: failed, cut, warm-up

    /// Whether the lane is ranked: complete runs that count, and none in flight.
    [[nodiscard]] bool complete() const { return state == LaneState::done && !inStats.empty(); }
    [[nodiscard]] bool failed() const {
        return state == LaneState::failed || state == LaneState::cut || state == LaneState::cancelled ||
               state == LaneState::notStreamed;
    }
};

struct ScoreCell {
    std::optional<double> value; ///< seconds, per second, or a count
    QString text;                ///< "412", "–", "297…"
    QString ratio;               ///< "×3.5"; empty for the best, and where nothing is ranked
    bool best = false;
    bool dim = false; ///< failed or cut: shown, not ranked
    QString toolTip;
};

struct ScoreRow {
    ScoreMetric metric = ScoreMetric::ttft;
    QString name;
    QString unit;
    std::vector<ScoreCell> cells; ///< by lane
};

/// A piece of the sentence under the table: words, or a lane's chip.
struct ScoreNotePart {
    QString text;
    int chip = -1; ///< lane look; -1: text
    bool strong = false;
};
using ScoreNote = std::vector<ScoreNotePart>;

struct Scores {
    std::vector<ScoreLane> lanes;
    std::array<ScoreRow, kScoreMetrics> rows;
    std::vector<ScoreNote> notes;
    QString scope; ///< "this run, n = 1", "medians, n = 5", "1 of 3 lanes complete"
};

[[nodiscard]] ScoreLane scoreLane(const Lane& lane);
[[nodiscard]] Scores makeScores(std::vector<ScoreLane> lanes);

/// The metric of one run; absent where it is not defined.
[[nodiscard]] std::optional<double> scoreOf(const RunSummary& summary, ScoreMetric metric);
[[nodiscard]] bool higherIsBetter(ScoreMetric metric);
[[nodiscard]] std::vector<ScoreNote> scoreNotes(const std::vector<ScoreLane>& lanes);

} // namespace decodescope
