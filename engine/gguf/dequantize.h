#pragma once

#include "engine/gguf/tensor_type.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace decodescope::engine {

/// The oracle: one row (or part of one, whole blocks) of any supported type as f32, scalar, straight from the byte
/// maps of the format. `out.size()` elements are written: a multiple of the type's block.
void dequantize(TensorType type, const std::byte* blocks, std::span<float> out) noexcept;

[[nodiscard]] float halfToFloat(std::uint16_t half) noexcept;
[[nodiscard]] std::uint16_t floatToHalf(float value) noexcept; ///< to nearest even; too large: infinity
[[nodiscard]] float bfloatToFloat(std::uint16_t value) noexcept;

} // namespace decodescope::engine
