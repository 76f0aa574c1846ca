#pragma once

#include "engine/cpu/activation_rows.h"
#include "engine/cpu/plane.h"

#include <cstddef>
#include <cstdint>

namespace decodescope::engine {

/// Whether a plane reads the quantised form of its inputs (else the f32 form).
[[nodiscard]] bool readsQuants(PlaneKind kind) noexcept;

/// y[row * yStride + output] = W x for all rows of x and the outputs of groups [groupBegin, groupEnd). Single-threaded:
/// callers give threads disjoint ranges of groups. One row is the decode path (a stream of weights at memory speed),
/// many rows the prefill path (blocked: a group's weights are unpacked once per tile of rows).
void multiply(const Plane& plane, const ActivationRows& x, std::uint32_t groupBegin, std::uint32_t groupEnd, float* y,
              std::size_t yStride);

} // namespace decodescope::engine
