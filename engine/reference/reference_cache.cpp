#include "engine/reference/reference_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <stdexcept>

namespace decodescope::engine {

Result<ReferenceCache> ReferenceCache::make(const ModelPlan& plan, std::uint32_t blocks) {
    ReferenceCache cache;
    cache.m_width = std::size_t{plan.kvHeads} * plan.headSize;
    cache.m_layers = plan.layers;
    cache.m_blocks = blocks;
    std::size_t elements = 0;
    const bool tooMany =
        __builtin_mul_overflow(std::size_t{plan.layers} * blocks, kKvBlockTokens * 2 * cache.m_width, &elements);
    try {
        if (tooMany)
            throw std::bad_alloc();
        cache.m_elements.resize(elements);
    } catch (const std::exception&) { // too long for a vector, or for the machine
        return fail(ErrorCode::memory,
                    fmt::format("There is no memory for a key and value cache of {} tokens. Try a shorter context.",
                                std::uint64_t{blocks} * kKvBlockTokens));
    }
    return cache;
}

std::size_t ReferenceCache::offset(std::uint32_t layer, std::uint32_t block, std::uint32_t slot) const noexcept {
    return ((std::size_t{layer} * m_blocks + block) * kKvBlockTokens + slot) * 2 * m_width;
}

std::span<float> ReferenceCache::keys(std::uint32_t layer, std::span<const std::uint32_t> blocks,
                                      std::uint32_t position) {
    const std::size_t at = offset(layer, blocks[position / kKvBlockTokens], position % kKvBlockTokens);
    return std::span(m_elements).subspan(at, m_width);
}

std::span<float> ReferenceCache::values(std::uint32_t layer, std::span<const std::uint32_t> blocks,
                                        std::uint32_t position) {
    const std::size_t at = offset(layer, blocks[position / kKvBlockTokens], position % kKvBlockTokens);
    return std::span(m_elements).subspan(at + m_width, m_width);
}

void ReferenceCache::copyBlock(std::uint32_t from, std::uint32_t to, std::uint32_t tokens) {
    if (from == to || from >= m_blocks || to >= m_blocks)
        return;
    const std::size_t count = std::min(tokens, kKvBlockTokens) * 2 * m_width;
    for (std::uint32_t layer = 0; layer < m_layers; ++layer)
        std::copy_n(m_elements.begin() + static_cast<std::ptrdiff_t>(offset(layer, from, 0)), count,
                    m_elements.begin() + static_cast<std::ptrdiff_t>(offset(layer, to, 0)));
}

} // namespace decodescope::engine
