#pragma once

#include "engine/cpu/isa.h"

#include <cstddef>
#include <cstdint>

/// What happens to rows between the matrix products: norms, rotation, activations, and attention over the cache. One
/// source (row_kernels_body.h, attention_body.h) over three sets of vectors, each compiled in a file of its own. All
/// of it computes a row the same way whatever rows run beside it.
namespace decodescope::engine {

/// How many (row, head) pairs one attention tile may hold; a kernel set says how many it likes (attentionRows).
inline constexpr std::uint32_t kMaxTileRows = 12;
/// Positions of a cache block and elements of a head that are handled at once.
inline constexpr std::uint32_t kTile = 32;

/// Where the keys and values of one layer and one kv head lie. Of f16 blocks: keys [headSize][32], values
/// [32][headSize]; of q8 blocks the same in int8, and behind them a scale per 32 elements and position:
/// [headSize / 32][32] f32. Head sizes are padded to multiples of 32.
struct KvHead {
    const std::byte* base = nullptr; ///< block 0 of this layer and head
    std::size_t blockStride = 0;     ///< bytes from block to block
    std::size_t valuesOffset = 0;    ///< bytes from a block's keys to its values
    std::size_t scalesOffset = 0;    ///< q8: bytes from the keys to their scales, from the values to theirs
    std::uint32_t paddedHead = 0;
};

/// Rows that read the same kv head together. Arrays are of `rows`.
struct AttentionTile {
    std::uint32_t rows = 0;
    const float* queries = nullptr;       ///< (rows, paddedHead), scaled already, padding 0
    const std::uint32_t* first = nullptr; ///< first position that each row sees
    const std::uint32_t* last = nullptr;  ///< last position that each row sees
    float* greatest = nullptr;            ///< out: the greatest score of each row
    float* weight = nullptr;              ///< out: sum of exp(score - greatest)
    float* values = nullptr;              ///< out: (rows, paddedHead) sum of exp(score - greatest) * value
};

struct RowKernels {
    /// y = x / sqrt(mean(x^2) + epsilon) * weight. y may be x.
    void (*rmsNorm)(const float* x, const float* weight, float epsilon, std::uint32_t size, float* y);
    void (*add)(float* x, const float* y, std::uint32_t size);                          ///< x += y
    void (*scale)(float* x, float factor, std::uint32_t size);                          ///< x *= factor
    void (*silu)(const float* gate, const float* up, std::uint32_t size, float* y);     ///< y = silu(gate) * up
    void (*geluTanh)(const float* gate, const float* up, std::uint32_t size, float* y); ///< y = gelu(gate) * up
    /// Rotates pairs (2i, 2i + 1), or (i, i + pairs), of x by the angles whose cosines and sines are given.
    void (*rotateAdjacent)(float* x, const float* cosines, const float* sines, std::uint32_t pairs);
    void (*rotateHalves)(float* x, const float* cosines, const float* sines, std::uint32_t pairs);
    /// One position's head to its place in a block: key transposed, value as it is. Numbers that f16 cannot hold
    /// become its greatest.
    void (*storeHalf)(const float* key, const float* value, std::uint32_t headSize, const KvHead& head,
                      std::byte* block, std::uint32_t slot);
    void (*storeBytes)(const float* key, const float* value, std::uint32_t headSize, const KvHead& head,
                       std::byte* block, std::uint32_t slot);
    /// Positions [begin, end) of the sequence whose blocks are given; begin is a multiple of 32. Rows that see none of
    /// them get weight 0.
    void (*attendHalf)(const AttentionTile& tile, const KvHead& head, const std::uint32_t* blocks, std::uint32_t begin,
                       std::uint32_t end);
    void (*attendBytes)(const AttentionTile& tile, const KvHead& head, const std::uint32_t* blocks, std::uint32_t begin,
                        std::uint32_t end);
    /// Takes another chunk's (greatest, weight, values) into the first's.
    void (*merge)(float* greatest, float* weight, float* values, float otherGreatest, float otherWeight,
                  const float* otherValues, std::uint32_t size);
    /// Reads memory at the widest and does next to nothing with it, for measuring; `bytes` is a multiple of 64.
    std::uint64_t (*foldBytes)(const std::byte* from, std::size_t bytes);
    std::uint32_t attentionRows; ///< rows of a tile that the registers hold best, at most kMaxTileRows
};

[[nodiscard]] const RowKernels& rowKernels(Isa isa) noexcept;

[[nodiscard]] const RowKernels& rowKernelsScalar() noexcept;
#if defined(__x86_64__)
[[nodiscard]] const RowKernels& rowKernelsAvx2() noexcept;   ///< only where detectIsa allows it
[[nodiscard]] const RowKernels& rowKernelsAvx512() noexcept; ///< the same
#endif

} // namespace decodescope::engine
