#pragma once

#include "engine/cpu/plane.h"

#include <cstddef>
#include <cstdint>

/// Where things lie inside a group of W rows, W = rowsPerGroup: shared by the packer and all kernels.
///
/// Along the inputs a group is a sequence of steps of 32 (quantised kinds) or of 1 (f16, bf16, f32: W numbers, one of
/// each row). A step of 32 holds, in this order, each as W entries, one per row:
///   scale    f16 (not the K kinds)
///   minimum  f16 (q4_1, q5_1)
///   q4_k, q5_k: u8 scale, then u8 minimum; q6_k: i8 scales of inputs 0-15, then of inputs 16-31
///   quants   4-bit kinds and below: 4 vectors of W x 4 bytes. In vector j the four bytes of a row hold inputs 4j ...
///            4j + 3 in their low and 16 + 4j ... 16 + 4j + 3 in their high nibbles.
///            q8_0: 8 vectors; vector v holds inputs 4v ... 4v + 3, each plus 128.
///   high     q5_*: one vector; byte b of a row has in bit v the fifth bit of input 4v + b.
///            q6_k: two vectors, of inputs 0-15 and 16-31; byte b of a row has in bits 2f, 2f + 1 bits 4 and 5 of
///            input 4f + b of that half.
/// The K kinds put W f16 scales (then W f16 minima, not q6_k) in front of every eighth step: a superblock of 256.
namespace decodescope::engine {

/// Bytes per row of the parts of a step and of a superblock's head.
struct StepLayout {
    std::uint32_t inputs = 32;    ///< a step's inputs
    std::uint32_t headBytes = 0;  ///< in front of every eighth step
    std::uint32_t scaleBytes = 0; ///< scales and minima of a step
    std::uint32_t quantBytes = 0;
    std::uint32_t highBytes = 0;

    [[nodiscard]] constexpr std::uint32_t stepBytes() const noexcept { return scaleBytes + quantBytes + highBytes; }
};

[[nodiscard]] constexpr StepLayout layoutOf(PlaneKind kind) noexcept {
    switch (kind) {
    case PlaneKind::q4_0:
        return {32, 0, 2, 16, 0};
    case PlaneKind::q4_1:
        return {32, 0, 4, 16, 0};
    case PlaneKind::q5_0:
        return {32, 0, 2, 16, 4};
    case PlaneKind::q5_1:
        return {32, 0, 4, 16, 4};
    case PlaneKind::q8_0:
        return {32, 0, 2, 32, 0};
    case PlaneKind::q4_k:
        return {32, 4, 2, 16, 0};
    case PlaneKind::q5_k:
        return {32, 4, 2, 16, 4};
    case PlaneKind::q6_k:
        return {32, 2, 2, 16, 8};
    case PlaneKind::f16:
    case PlaneKind::bf16:
        return {1, 0, 0, 2, 0};
    case PlaneKind::f32:
        break;
    }
    return {1, 0, 0, 4, 0};
}

inline constexpr std::uint32_t kStepsPerSuperblock = 8;

/// Bytes per row of `cols` inputs (whole steps, and whole superblocks of the K kinds).
[[nodiscard]] constexpr std::uint64_t packedRowBytes(PlaneKind kind, std::uint64_t cols) noexcept {
    const StepLayout layout = layoutOf(kind);
    const std::uint64_t steps = cols / layout.inputs;
    return steps * layout.stepBytes() + steps / kStepsPerSuperblock * layout.headBytes;
}

} // namespace decodescope::engine
