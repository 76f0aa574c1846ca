#pragma once

#include "core/metrics/run_summary.h"

#include <optional>
#include <vector>

namespace decodescope {

/// A run with its stalls, to be looked at beside others. Both outlive the call.
struct RunWithStalls {
    const RunRecord* record = nullptr;
    const std::vector<Stall>* stalls = nullptr;
};

/// For each stall of each run, what the other runs did at that instant, and where it points when several stalled
/// together (metrics.md section 4, last paragraph); absent where no other was streaming. Two stalls are of one instant
/// when they overlap for at least half of the shorter one; they count where at least three quarters of the runs that
/// were streaming then stalled, of all or of those of one server. Changes of channel are the model's own and stay out,
/// as do imagined streams; runs of different time lines are never compared.
[[nodiscard]] std::vector<std::vector<std::optional<StallOthers>>>
stallsTogether(const std::vector<RunWithStalls>& runs);

/// The stalls of one run, with what stallsTogether() says of them.
void markTogether(std::vector<Stall>& stalls, const std::vector<std::optional<StallOthers>>& others);

} // namespace decodescope
