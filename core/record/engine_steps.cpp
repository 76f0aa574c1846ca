#include "core/record/engine_steps.h"

#include <algorithm>

namespace decodescope {
namespace {

constexpr double kNsPerS = 1e9;
constexpr double kBytesPerGB = 1e9;
/// No step takes longer than an hour: what is told beyond it is no time of a step.
constexpr std::int64_t kLongestStepNs = 3'600'000'000'000;

} // namespace

std::optional<std::int64_t> stepTimeNs(const EngineStep& step) {
    if (step.beginNs <= 0 || step.endNs <= step.beginNs || step.endNs - step.beginNs > kLongestStepNs)
        return std::nullopt;
    return step.endNs - step.beginNs;
}

double stepBytesRead(const EngineStep& step) {
    return static_cast<double>(step.weightBytes) + static_cast<double>(step.kvBytes);
}

std::optional<double> stepGBps(const EngineStep& step) {
    const auto time = stepTimeNs(step);
    const double bytes = stepBytesRead(step);
    if (!time || bytes <= 0)
        return std::nullopt;
    return bytes / (static_cast<double>(*time) / kNsPerS) / kBytesPerGB;
}

bool beginsDecodeStep(const RunRecord& record, std::size_t i) {
    return i > 0 && record.engineSteps[i].step.stepId != record.engineSteps[i - 1].step.stepId;
}

void raiseBandwidth(RunRecord& record) {
    if (!record.engine || !record.engine->bandwidthGBps || record.engineSteps.empty() ||
        !beginsDecodeStep(record, record.engineSteps.size() - 1))
        return;
    if (const auto seen = stepGBps(record.engineSteps.back().step))
        record.engine->bandwidthGBps = std::max(*record.engine->bandwidthGBps, *seen);
}

} // namespace decodescope
