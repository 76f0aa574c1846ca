#pragma once

#include "engine/cpu/isa.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace decodescope::engine {

/// Rows of one product are worked on this many at a time: as many as the kernels keep in registers.
inline constexpr std::uint32_t kTileRows = 8;

/// 32 inputs of one row as the quantised planes read them: one cache line, so that eight dot-product instructions and
/// everything that scales their sum find their operands side by side.
struct alignas(64) ActivationBlock {
    std::int8_t quants[32];    ///< nearest to x / scale, within -127 ... 127
    float scale;               ///< max|x| / 127
    float scaledSum;           ///< scale * sum of quants: what a plane's minimum multiplies
    std::int32_t minusSum;     ///< -(sum of quants), exact: times a plane's offset it starts an accumulator
    std::int32_t minusHalf[2]; ///< the same of inputs 0-15 and 16-31
};

/// The inputs of a matrix product, several rows (tokens) of one width: f32 as they are, and quantised. The caller
/// writes `values`, may lower `rows` to those in use, then quantises; multiply reads.
struct ActivationRows {
    std::uint32_t rows = 0, cols = 0;
    std::size_t stride = 0;              ///< elements between rows of `values`; multiple of 16
    std::vector<float> values;           ///< (rows, stride)
    std::vector<ActivationBlock> blocks; ///< tiles of kTileRows rows (the last one of what is left): see blocksOf

    /// Allocates for maxRows and sets rows to it. Values are zero or what they were.
    void shape(std::uint32_t maxRows, std::uint32_t columns);

    [[nodiscard]] std::uint32_t blocksPerRow() const noexcept { return (cols + 31) / 32; }
    [[nodiscard]] std::span<float> row(std::uint32_t index) noexcept { return {values.data() + index * stride, cols}; }
    /// Rows of the tile that begins at row `first`, a multiple of kTileRows.
    [[nodiscard]] std::uint32_t tileHeight(std::uint32_t first) const noexcept {
        return rows - first < kTileRows ? rows - first : kTileRows;
    }
    /// The tile that begins at row `first`: block b of its row r is at [b * tileHeight(first) + r].
    [[nodiscard]] const ActivationBlock* tile(std::uint32_t first) const noexcept {
        return blocks.data() + std::size_t{first} * blocksPerRow();
    }
};

/// Fills the quantised form of rows [begin, end) from their f32 form: scale = max|x| / 127 per 32, rounded to nearest.
/// `x.rows` must not change between this and multiply. Disjoint ranges may be filled by different threads at once.
/// A block that holds a NaN or an infinity has a NaN scale, so that every product of it is NaN too.
void quantizeRows(Isa isa, ActivationRows& x, std::uint32_t begin, std::uint32_t end);

} // namespace decodescope::engine
