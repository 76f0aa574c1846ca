#pragma once

#include "core/record/run_record.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace decodescope {

/// What the instrument knows of its own errors, over some runs.
struct InstrumentReport {
    ClockSource clock = ClockSource::user; ///< the least exact that any of the runs was stamped by
    std::optional<Duration> errorBound;    ///< the largest; absent when a run that brought anything tells none
    std::optional<Duration> networkLag;    ///< largest lateness of the network thread; absent: not measured
    bool hiccupsKnown = false;             ///< false: made before hiccups were measured
    std::size_t hiccups = 0;               ///< each counted once, however many runs it fell into
    std::optional<Duration> largestHiccup;
};

/// Of the runs that this instrument stamped itself; of the replayed ones among them only when there are no others.
/// Absent when nothing was stamped at all. None of `runs` is null.
[[nodiscard]] std::optional<InstrumentReport> instrumentReport(const std::vector<const RunRecord*>& runs);

} // namespace decodescope
