#pragma once

#include "core/metrics/run_summary.h"

#include <algorithm>
#include <cstddef>

/// Which stalls are counted as the stream's: the same wherever a number of stalls stands.
namespace decodescope {

/// Over, and none of a hiccup of ours. Those of ours are hatched, in no percentile and no longest gap, and have a count
/// of their own (RunSummary::clientGaps).
[[nodiscard]] inline bool isCounted(const Stall& stall) {
    return stall.kind != StallKind::client && stall.kind != StallKind::open;
}

[[nodiscard]] inline std::size_t countedStalls(const RunSummary& summary) {
    return static_cast<std::size_t>(std::count_if(summary.stalls.begin(), summary.stalls.end(), isCounted));
}

/// The longest of those counted; null: there is none.
[[nodiscard]] inline const Stall* longestCountedStall(const RunSummary& summary) {
    const Stall* longest = nullptr;
    for (const Stall& stall : summary.stalls)
        if (isCounted(stall) && (longest == nullptr || stall.lengthS > longest->lengthS))
            longest = &stall;
    return longest;
}

} // namespace decodescope
