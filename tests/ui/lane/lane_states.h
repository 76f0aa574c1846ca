#pragma once

#include "core/metrics/metrics.h"
#include "tests/ui/text/record_builder.h"
#include "ui/lane/lane_shot.h"

#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace decodescope {

/// A lane in one state, with everything its card borrows.
struct LaneCase {
    QString name;
    LaneConfig config;
    std::shared_ptr<RunRecord> record;
    std::optional<RunSummary> summary;
    LaneState state = LaneState::idle;
    std::optional<Instant> now;
    bool inFlight = false;

    [[nodiscard]] LaneShot shot() const {
        LaneShot shot;
        shot.config = &config;
        shot.state = state;
        shot.record = record;
        shot.summary = summary ? &*summary : nullptr;
        shot.now = now;
        shot.inFlight = inFlight;
        return shot;
    }
};

/// One lane of every state that look.md section 8 names.
[[nodiscard]] std::vector<LaneCase> laneCases();

} // namespace decodescope
