#pragma once

#include "core/record/recording.h"
#include "core/source/synthetic_source.h"

namespace decodescope {

/// The whole of a synthetic stream at once, as a recording would hold it. rebuild() makes the RunRecord of it.
[[nodiscard]] RecordedRun syntheticRun(const SyntheticSpec& spec, Instant started = instantFromNs(1'000'000'000));

} // namespace decodescope
