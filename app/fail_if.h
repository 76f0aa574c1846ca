#pragma once

#include "app/metric_table.h"
#include "app/session_report.h"
#include "core/base/error.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace decodescope {

/// One `--fail-if` expression: `METRIC_pNN OP NUMBER[unit]`, as in `ttft_p95>800ms` or `decode_p50<20tps`. It is
/// missed when it holds, and also when the figure is undefined: a threshold that cannot be checked was not kept.
class Threshold {
public:
    [[nodiscard]] static Result<Threshold> parse(std::string_view expression);

    struct Verdict {
        bool missed = false;
        std::optional<double> value; ///< in seconds, per second, or a count
    };
    [[nodiscard]] Verdict judge(const ReportedLane& lane) const;
    [[nodiscard]] const std::string& text() const { return m_text; }
    [[nodiscard]] MetricUnit unit() const { return m_unit; }

private:
    enum class Comparison { less, lessOrEqual, greater, greaterOrEqual };
    [[nodiscard]] std::vector<double> valuesOf(const ReportedLane& lane) const;

    std::string m_text;
    const RunMetric* m_metric = nullptr; // null: itl, pooled over gaps
    MetricUnit m_unit = MetricUnit::seconds;
    double m_quantile = 0.5;
    Comparison m_comparison = Comparison::greater;
    double m_limit = 0;
};

/// A sentence for each lane and threshold that was missed.
[[nodiscard]] std::vector<std::string> missedThresholds(const std::vector<Threshold>& thresholds,
                                                        const std::vector<ReportedLane>& lanes);

} // namespace decodescope
