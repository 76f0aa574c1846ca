#pragma once

#include "engine/backend/backend.h"

namespace decodescope::engine {

/// The processor: repacked planes, int8 activations, AVX2 or AVX-512 VNNI chosen at run time. The plan's
/// file must outlive it (rows of the embedding table are read from it). DECODESCOPE_ISA=scalar|avx2|avx512 in the
/// environment narrows the choice, for tests.
[[nodiscard]] Result<std::unique_ptr<Backend>> makeCpuBackend(const ModelPlan& plan, const BackendOptions& options,
                                                              const LoadProgress& progress = {});

} // namespace decodescope::engine
