#pragma once

#include "app/json_values.h"
#include "app/run_json.h"
#include "app/session_report.h"

namespace decodescope {

/// The one object of `run --json`, `replay --json` and `report --json` (cli.md).
[[nodiscard]] Json reportJson(const SessionReport& report, TextExport text);
[[nodiscard]] Json laneJson(const ReportedLane& lane, TextExport text);
/// `{runs, excluded{reason:count}, <metric>:{n,min,p50,...}, itl_s}` over the runs in statistics.
[[nodiscard]] Json laneSummaryJson(const ReportedLane& lane);

} // namespace decodescope
