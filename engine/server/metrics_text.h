#pragma once

#include "engine/scheduler/scheduler.h"

#include <string>

namespace decodescope::engine {

/// The scheduler's counters as Prometheus text (exposition format 0.0.4), names beginning with "decodescope_".
[[nodiscard]] std::string metricsText(const SchedulerStats& stats, const BackendFacts& facts);

} // namespace decodescope::engine
