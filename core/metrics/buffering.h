#pragma once

#include "core/metrics/arrival_log.h"
#include "core/metrics/hiccup_index.h"

/// What lies between the model and us, by what it does to the arrivals. Inside core/metrics only.
namespace decodescope {

/// The verdict on a run that is over; `summary` has its counts already.
[[nodiscard]] Buffering bufferingOf(const RunRecord& record, const ArrivalLog& log, const HiccupIndex& hiccups,
                                    const RunSummary& summary);

} // namespace decodescope
