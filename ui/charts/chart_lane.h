#pragma once

#include "core/session/session.h"
#include "ui/charts/lane_curves.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace decodescope {

/// What the charts see of a lane: a snapshot that is cheap to copy. Filled by ChartFeed from a Session, or by
/// `chartLane()` from a record alone.
struct ChartLane {
    LaneId id = 0;
    int look = 0;
    LaneState state = LaneState::idle;
    std::shared_ptr<const RunRecord> record;   ///< null before the first run
    std::shared_ptr<const RunSummary> summary; ///< of a live run up to 0.1 s old; null until first computed
    /// Of each stall of the summary, what other lanes did at that instant; null: not looked at.
    std::shared_ptr<const std::vector<std::optional<StallOthers>>> others;
    std::shared_ptr<LaneCurves> curves; ///< never null
    std::optional<Instant> now;         ///< the run's own now, frozen at its end
    RateUnit unit = RateUnit::tokens;   ///< what the curves count
    std::uint64_t revision = 0;         ///< changes when anything visible changed

    [[nodiscard]] bool inFlight() const {
        return state == LaneState::connecting || state == LaneState::waiting || state == LaneState::running;
    }
    /// Failed, cut, cancelled or not streamed: shown, but in no ranking and no percentile.
    [[nodiscard]] bool abnormal() const {
        return state == LaneState::failed || state == LaneState::cut || state == LaneState::cancelled ||
               state == LaneState::notStreamed;
    }
    /// Seconds from t0, absent before it.
    [[nodiscard]] std::optional<double> sinceStart(std::optional<Instant> instant) const {
        if (!record || !record->started || !instant)
            return std::nullopt;
        return toSeconds(*instant - *record->started);
    }
    /// How far the lane reaches on its time line: its end, or its now.
    [[nodiscard]] std::optional<double> endS() const {
        if (!record)
            return std::nullopt;
        return sinceStart(record->finished ? record->finished : now);
    }
    [[nodiscard]] std::optional<double> firstTokenS() const {
        if (curves->arrivals() == 0)
            return std::nullopt;
        return static_cast<double>(curves->times()[0]);
    }
    /// The gaps that count: those that are laid to a hiccup of ours are in no distribution.
    [[nodiscard]] GapHistogram gapsThatCount() const {
        GapHistogram histogram = curves->histogram();
        if (!record || !summary || summary->clientGaps == 0)
            return histogram;
        for (const Stall& stall : summary->stalls)
            if (stall.kind == StallKind::client && stall.eventIndex < record->events.size())
                histogram.remove(
                    toSeconds(record->events[stall.eventIndex].at - record->events[stall.eventIndex - 1].at));
        return histogram;
    }
};

/// A lane from a record and its summary, curves included: for recordings, tests and benchmarks.
[[nodiscard]] ChartLane chartLane(LaneId id, int look, LaneState state, std::shared_ptr<const RunRecord> record,
                                  std::shared_ptr<const RunSummary> summary, RateUnit unit = RateUnit::tokens);

} // namespace decodescope
