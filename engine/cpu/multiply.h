#pragma once

#include "engine/cpu/isa.h"
#include "engine/cpu/plane.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace decodescope::engine {

/// The inputs of a matrix product, several rows (tokens) of one width: f32 as they are, and int8 with a scale per 32
/// and exact sums per 16, which the quantised planes read. Rows of int8 are padded with zeros to a multiple of 256.
struct ActivationRows {
    std::uint32_t rows = 0, cols = 0;
    std::size_t stride = 0;               ///< elements between rows, of `values` and `quants` alike; multiple of 64
    std::vector<float> values;            ///< (rows, stride)
    std::vector<std::int8_t> quants;      ///< (rows, stride)
    std::vector<float> scales;            ///< (rows, stride / 32)
    std::vector<std::int32_t> sums16;     ///< (rows, stride / 16): sums of quants
    void shape(std::uint32_t maxRows, std::uint32_t columns); ///< allocates; contents undefined
};

/// Whether a plane reads the int8 form (else the f32 form).
[[nodiscard]] bool readsQuants(PlaneKind kind) noexcept;

/// Fills int8 form of rows [begin, end) from their f32 form: scale = max|x| / 127 per 32, rounded to nearest.
void quantizeRows(Isa isa, ActivationRows& x, std::uint32_t begin, std::uint32_t end);

/// y[row * yStride + output] = W x for all rows of x and the outputs of groups [groupBegin, groupEnd). Single-threaded:
/// callers give threads disjoint ranges of groups. One row is the decode path (a stream of weights at memory speed),
/// many rows the prefill path (blocked: a group's weights are unpacked once per tile of rows).
void multiply(const Plane& plane, const ActivationRows& x, std::uint32_t groupBegin, std::uint32_t groupEnd, float* y,
              std::size_t yStride);

} // namespace decodescope::engine
