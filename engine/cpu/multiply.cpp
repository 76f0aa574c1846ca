#include "engine/cpu/multiply.h"

#include "engine/cpu/kernels.h"

#include <algorithm>

namespace decodescope::engine {

namespace {

/// Weights that stay in the second-level cache while all tiles of inputs go past them.
constexpr std::size_t kCachedBytes = 384 * 1024;

} // namespace

const KernelSet& kernelsOf(Isa isa) noexcept {
#if defined(__x86_64__)
    if (isa == Isa::avx512)
        return avx512Kernels();
    if (isa == Isa::avx2)
        return avx2Kernels();
#endif
    static_cast<void>(isa);
    return scalarKernels();
}

bool readsQuants(PlaneKind kind) noexcept {
    return kind != PlaneKind::f16 && kind != PlaneKind::bf16 && kind != PlaneKind::f32;
}

void multiply(const Plane& plane, const ActivationRows& x, std::uint32_t groupBegin, std::uint32_t groupEnd, float* y,
              std::size_t yStride) {
    const TileKernel* kernels = kernelsOf(plane.isa).tiles[static_cast<std::size_t>(plane.kind)];
    const std::uint32_t lanes = rowsPerGroup(plane.isa);
    const auto chunk = static_cast<std::uint32_t>(std::max<std::size_t>(kCachedBytes / plane.groupBytes, 1));
    TileTask task;
    task.groupBytes = plane.groupBytes;
    task.cols = plane.cols;
    task.valueStride = x.stride;
    task.yStride = yStride;
    for (std::uint32_t group = groupBegin; group < groupEnd;) {
        // One tile needs no cache: it reads each group once.
        const std::uint32_t end = x.rows <= kTileRows ? groupEnd : std::min(groupEnd, group + chunk);
        task.weights = plane.data + group * plane.groupBytes;
        task.groups = end - group;
        task.outputs = std::min(plane.rows, end * lanes) - group * lanes;
        for (std::uint32_t row = 0; row < x.rows; row += kTileRows) {
            task.rows = x.tileHeight(row);
            task.blocks = x.tile(row);
            task.values = x.values.data() + row * x.stride;
            task.y = y + row * yStride + std::size_t{group} * lanes;
            kernels[task.rows - 1](task);
        }
        group = end;
    }
}

} // namespace decodescope::engine
