#pragma once

#include "app/json_values.h"
#include "app/session_report.h"

#include <optional>
#include <string>

namespace decodescope {

[[nodiscard]] Json distributionJson(const std::optional<Distribution>& distribution);

/// What our own engine's ground truth adds to a run: the `engine` object of `run --json`; null for every other server.
[[nodiscard]] Json engineJson(const ReportedRun& run);

/// The same as one line for people; empty where there is nothing to say.
[[nodiscard]] std::string engineLine(const ReportedRun& run);

} // namespace decodescope
