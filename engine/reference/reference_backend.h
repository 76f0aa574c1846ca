#pragma once

#include "engine/backend/backend.h"

namespace decodescope::engine {

/// The oracle: plain scalar f32 loops over dequantised rows, f32 cache, one thread. Slow on purpose; what every other
/// backend is checked against. Keeps pointers into the plan's file.
[[nodiscard]] Result<std::unique_ptr<Backend>>
makeReferenceBackend(const ModelPlan& plan, const BackendOptions& options, const LoadProgress& progress = {});

} // namespace decodescope::engine
