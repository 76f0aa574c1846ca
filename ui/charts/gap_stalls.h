#pragma once

#include "ui/charts/chart_lane.h"
#include "ui/charts/chart_marks.h"
#include "ui/view_state.h"

#include <vector>

/// Where the gap chart's stalls stand and what is said above them. Stalls of several lanes at one instant are told
/// apart: by lids on levels, and by one word for all of them.
namespace decodescope {

/// A stall of a lane in the part of the time line that is seen.
struct SeenStall {
    std::size_t lane = 0; ///< index in the chart's lanes
    std::uint32_t stall = 0;
    StallBox box;
};

/// Gives each its level: the lowest that no box of another lane holds beneath which it would lie.
void levelStalls(std::vector<SeenStall>& stalls);

/// The words above them. A lane with more than a few stalls has one for all of them, and the lane at the front has the
/// line to itself.
[[nodiscard]] std::vector<TopWord> stallWords(const std::vector<SeenStall>& stalls, const std::vector<ChartLane>& lanes,
                                              const ViewState& view);

} // namespace decodescope
