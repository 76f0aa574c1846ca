#pragma once

#include "engine/backend/backend.h"
#include "engine/base/error.h"

#include <cstdint>
#include <span>
#include <vector>

namespace decodescope::engine {

/// Keys and values of all layers in f32, in blocks of kKvBlockTokens positions.
class ReferenceCache {
public:
    /// ErrorCode::memory when it cannot be had.
    [[nodiscard]] static Result<ReferenceCache> make(const ModelPlan& plan, std::uint32_t blocks);

    /// Where a position of a sequence with these blocks is kept: kvHeads * headSize elements.
    [[nodiscard]] std::span<float> keys(std::uint32_t layer, std::span<const std::uint32_t> blocks,
                                        std::uint32_t position);
    [[nodiscard]] std::span<float> values(std::uint32_t layer, std::span<const std::uint32_t> blocks,
                                          std::uint32_t position);
    void copyBlock(std::uint32_t from, std::uint32_t to, std::uint32_t tokens);

    [[nodiscard]] std::uint64_t bytes() const noexcept { return m_elements.size() * sizeof(float); }
    [[nodiscard]] std::uint32_t blocks() const noexcept { return m_blocks; }

private:
    [[nodiscard]] std::size_t offset(std::uint32_t layer, std::uint32_t block, std::uint32_t slot) const noexcept;

    std::size_t m_width = 0; ///< of a position's keys, and of its values after them
    std::uint32_t m_layers = 0;
    std::uint32_t m_blocks = 0;
    std::vector<float> m_elements; // (layer, block, position in the block, keys then values)
};

} // namespace decodescope::engine
