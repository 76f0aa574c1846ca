#pragma once

#include "core/metrics/run_summary.h"

#include <optional>
#include <string_view>
#include <vector>

namespace decodescope {

enum class MetricUnit { seconds, perSecond, count };

/// A figure of one run that is aggregated over runs: cli.md's field, and the name without unit that --fail-if takes.
struct RunMetric {
    std::string_view field; ///< "ttft_s"
    std::string_view name;  ///< "ttft"
    MetricUnit unit = MetricUnit::seconds;
    std::optional<double> (*of)(const RunSummary&) = nullptr;

    /// Rates: the slow runs are the low values, so that p99 is what 99% of the runs reach or exceed.
    [[nodiscard]] bool lowTail() const { return unit == MetricUnit::perSecond; }
};

/// All of them in the order of cli.md. `itl_s` is not among them: it is pooled over gaps, not over runs.
[[nodiscard]] const std::vector<RunMetric>& runMetrics();

} // namespace decodescope
