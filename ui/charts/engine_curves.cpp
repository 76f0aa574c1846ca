#include "ui/charts/engine_curves.h"

#include "core/metrics/engine_metrics.h"

#include <limits>

namespace decodescope {
namespace {

float point(const std::optional<double>& value) {
    return value ? static_cast<float>(*value) : std::numeric_limits<float>::quiet_NaN();
}

} // namespace

void EngineCurves::update(const RunRecord& record) {
    if (!record.started)
        return;
    if (record.engineSteps.size() < m_rows)
        *this = EngineCurves();
    for (; m_rows < record.engineSteps.size(); ++m_rows) {
        const EngineRow& row = record.engineSteps[m_rows];
        if (row.step.tokens == 0)
            continue;
        m_times.append(static_cast<float>(toSeconds(row.at - *record.started)));
        m_lag.append(point(deliveryLagS(record, row)));
        m_bandwidth.append(beginsDecodeStep(record, m_rows) ? point(stepGBps(row.step))
                                                            : std::numeric_limits<float>::quiet_NaN());
    }
}

} // namespace decodescope
