#pragma once

#include "app/json_values.h"
#include "app/session_report.h"

/// The instrument's own error as cli.md exports it.
namespace decodescope {

/// `{clock_source, stamp_error_bound_s, network_lag_s, hiccups{count,max_s}}` of a whole report.
[[nodiscard]] Json instrumentJson(const SessionReport& report);
/// How well one run was stamped; null when its recording is older than such reports, or nothing was asked.
[[nodiscard]] Json stampsJson(const RunRecord& record);
/// The hiccups of ours that fell into one run: `{count, max_s}`; null as above.
[[nodiscard]] Json hiccupsJson(const RunRecord& record);

} // namespace decodescope
