#pragma once

#include "core/record/run_record.h"

#include <cstddef>
#include <cstdint>
#include <optional>

/// What one step of our own engine took and read. Bytes and rates count 1 GB as 10^9 bytes.
namespace decodescope {

/// The time that the step took. Absent when its stamps are no time of a step.
[[nodiscard]] std::optional<std::int64_t> stepTimeNs(const EngineStep& step);
/// What the step read: weights and KV. As a double: the engine's numbers are a stranger's until checked, and must not
/// wrap.
[[nodiscard]] double stepBytesRead(const EngineStep& step);
/// What the step read per second: (weights + KV) / its time.
[[nodiscard]] std::optional<double> stepGBps(const EngineStep& step);
/// Whether row i is the first of a decode step of its own: not the prefill's last step, and not the same step again.
[[nodiscard]] bool beginsDecodeStep(const RunRecord& record, std::size_t i);
/// Raises the read rate in the record's facts to what its last row's step was seen to read: a rate measured at load
/// beside other work is too low, and no step reads faster than the memory does.
void raiseBandwidth(RunRecord& record);

} // namespace decodescope
