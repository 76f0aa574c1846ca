#pragma once

#include "core/metrics/run_summary.h"
#include "core/session/session.h"

#include <memory>
#include <optional>

namespace decodescope {

/// A lane at one instant, as its card shows it. What it points at is borrowed for the call.
struct LaneShot {
    const LaneConfig* config = nullptr;
    LaneState state = LaneState::idle;
    std::shared_ptr<const RunRecord> record; ///< null before the first run
    const RunSummary* summary = nullptr;     ///< live or final; null before the first run
    std::optional<Instant> now;              ///< the run's own
    bool inFlight = false;

    /// Seconds from t0 to now.
    [[nodiscard]] std::optional<double> elapsedS() const {
        if (!record || !record->started || !now)
            return std::nullopt;
        return toSeconds(*now - *record->started);
    }
    /// The stream stands still: the last stall has not ended.
    [[nodiscard]] bool stalled() const {
        return state == LaneState::running && summary && !summary->stalls.empty() && record && now &&
               !record->events.empty() && summary->stalls.back().kind == StallKind::open;
    }
};

} // namespace decodescope
