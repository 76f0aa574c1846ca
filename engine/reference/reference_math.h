#pragma once

#include "engine/model/model_plan.h"

#include <cstdint>
#include <span>
#include <vector>

/// The arithmetic of a plan's ops, one plain loop each. Rows never influence one another, so that a token's result does
/// not depend on what it was computed together with.
namespace decodescope::engine {

/// The sum of products in 16 interleaved f32 sums: more exact than one running sum, and always in the same order.
[[nodiscard]] float dot(std::span<const float> a, std::span<const float> b);

/// The element of an f32 tensor that lies unaligned in a file.
[[nodiscard]] float elementOf(const TensorView& tensor, std::uint64_t index);

/// Norms each of `in`'s rows, which are as wide as the norm's weight. `in` and `out` may be the same; without a weight,
/// a copy.
void applyNorm(const RmsNorm& norm, std::span<const float> in, std::span<float> out);

/// out (rows, outputs) = W in (rows, inputs) + b, each row of W decoded once.
void applyLinear(const Linear& linear, std::span<const float> in, std::span<float> out);

/// Rotates the head at `head` for `position`.
void applyRope(const Rope& rope, std::uint32_t position, std::span<float> head);

/// In place, exact for scores of any size: the largest is taken off first.
void softmax(std::span<float> scores);

[[nodiscard]] float activate(Activation activation, float x);

} // namespace decodescope::engine
