#pragma once

#include "engine/cpu/activation_rows.h"
#include "engine/cpu/plane.h"

#include <cstddef>
#include <cstdint>

/// Between the dispatch and the kernels of each instruction set. Kernels live in files of their own that are compiled
/// with that set's flags: such a file defines nothing that the linker could merge with another file's (unnamed
/// namespaces only), or plain code would run instructions that the processor lacks.
namespace decodescope::engine {

/// A run of groups times one tile of inputs.
struct TileTask {
    std::uint32_t rows = 0;             ///< of the tile
    const std::byte* weights = nullptr; ///< the first group
    std::size_t groupBytes = 0;
    std::uint32_t groups = 0;
    std::uint32_t outputs = 0; ///< rows of the plane in these groups: the last group's other lanes are padding
    std::uint32_t cols = 0;
    const ActivationBlock* blocks = nullptr; ///< of the tile; quantised kinds
    const float* values = nullptr;           ///< of the tile's first row; f16, bf16, f32
    std::size_t valueStride = 0;
    float* y = nullptr; ///< of the tile's first row and the first output
    std::size_t yStride = 0;
};

/// Below this, a block of inputs counts as zero (127 / it would not be finite for the smallest numbers).
inline constexpr float kSmallestScaled = 1e-35F;

using TileKernel = void (*)(const TileTask&);
/// Quantises one row into its blocks, which lie `height` apart; the last one is filled up with zeros.
using QuantizeKernel = void (*)(const float* values, std::uint32_t cols, std::uint32_t height, ActivationBlock* out);

inline constexpr std::size_t kPlaneKinds = static_cast<std::size_t>(PlaneKind::f32) + 1;

/// Plain pointers, set by constant expressions: not even a constructor is left for the linker to merge.
struct KernelSet {
    QuantizeKernel quantize;
    const TileKernel* tiles[kPlaneKinds]; ///< by kind; each kTileRows kernels, by rows of the tile - 1
};

[[nodiscard]] const KernelSet& kernelsOf(Isa isa) noexcept;

[[nodiscard]] const KernelSet& scalarKernels() noexcept;
#if defined(__x86_64__)
[[nodiscard]] const KernelSet& avx2Kernels() noexcept;
[[nodiscard]] const KernelSet& avx512Kernels() noexcept;
#endif

} // namespace decodescope::engine
