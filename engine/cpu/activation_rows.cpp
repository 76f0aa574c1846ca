#include "engine/cpu/activation_rows.h"

#include "engine/cpu/kernels.h"

namespace decodescope::engine {

void ActivationRows::shape(std::uint32_t maxRows, std::uint32_t columns) {
    rows = maxRows;
    cols = columns;
    // Rows a multiple of the page apart would all want the same few lines of the first-level cache.
    constexpr std::size_t kLine = 16;
    const std::size_t lines = (std::size_t{columns} + kLine - 1) / kLine;
    stride = (lines % 16 == 0 ? lines + 1 : lines) * kLine;
    values.resize(maxRows * stride);
    blocks.resize(std::size_t{maxRows} * blocksPerRow());
}

void quantizeRows(Isa isa, ActivationRows& x, std::uint32_t begin, std::uint32_t end) {
    const QuantizeKernel quantize = kernelsOf(isa).quantize;
    for (std::uint32_t row = begin; row < end; ++row) {
        const std::uint32_t first = row - row % kTileRows;
        ActivationBlock* tile = x.blocks.data() + std::size_t{first} * x.blocksPerRow();
        quantize(x.values.data() + row * x.stride, x.cols, x.tileHeight(first), tile + (row - first));
    }
}

} // namespace decodescope::engine
