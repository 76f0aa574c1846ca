#pragma once

#include "app/session_report.h"

#include <string>
#include <vector>

namespace decodescope {

/// A complete run of `tokens` words, the first `ttft` after t0, then one every `interval`; usage tells the count.
[[nodiscard]] ReportedRun pacedRun(int tokens, Duration ttft, Duration interval);
/// A run that ended badly: `tokens` words under 200 (no head at all with -1), then `kind`.
[[nodiscard]] ReportedRun failedRun(ErrorKind kind, int tokens, const std::string& message = "what was said");
[[nodiscard]] ReportedLane sampleLane(const std::string& name, std::vector<ReportedRun> runs);

} // namespace decodescope
