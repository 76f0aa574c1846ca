#include "engine/cpu/kv_cache.h"

#include <cstring>

namespace decodescope::engine {

static_assert(kTile == kKvBlockTokens, "the attention kernels take one block at a time");

Result<KvCache> KvCache::make(const ModelPlan& plan, std::uint32_t blocks, KvType type) {
    KvCache cache;
    cache.m_type = type;
    cache.m_layers = plan.layers;
    cache.m_blocks = blocks;
    cache.m_kvHeads = plan.kvHeads;
    cache.m_paddedHead = (plan.headSize + kTile - 1) / kTile * kTile;
    const std::size_t elements = std::size_t{cache.m_paddedHead} * kTile;
    cache.m_scalesOffset = elements; // of q8 alone
    cache.m_valuesOffset =
        type == KvType::f16 ? elements * sizeof(std::uint16_t) : elements + cache.m_paddedHead * sizeof(float);
    cache.m_headBytes = 2 * cache.m_valuesOffset;
    std::size_t bytes = cache.m_headBytes;
    const bool tooMany = __builtin_mul_overflow(bytes, std::size_t{plan.layers}, &bytes) ||
                         __builtin_mul_overflow(bytes, std::size_t{blocks}, &bytes) ||
                         __builtin_mul_overflow(bytes, std::size_t{plan.kvHeads}, &bytes);
    if (tooMany)
        return fail(ErrorCode::memory, "The cache of keys and values would be larger than any memory: ask for a "
                                       "smaller context.");
    auto arena = Arena::reserve(bytes, "The cache of keys and values",
                                "ask for a smaller context, fewer parallel requests or the q8 cache");
    if (!arena)
        return tl::unexpected(arena.error());
    cache.m_arena = std::move(*arena);
    return cache;
}

KvHead KvCache::head(std::uint32_t layer, std::uint32_t kvHead) const noexcept {
    KvHead head;
    head.base = m_arena.data() + (std::size_t{layer} * m_blocks * m_kvHeads + kvHead) * m_headBytes;
    head.blockStride = m_kvHeads * m_headBytes;
    head.valuesOffset = m_valuesOffset;
    head.scalesOffset = m_scalesOffset;
    head.paddedHead = m_paddedHead;
    return head;
}

void KvCache::copyBlock(std::uint32_t from, std::uint32_t to, std::uint32_t tokens) noexcept {
    if (tokens == 0 || from == to || from >= m_blocks || to >= m_blocks)
        return;
    for (std::uint32_t layer = 0; layer < m_layers; ++layer) {
        const KvHead first = head(layer, 0);
        std::memcpy(block(first, to), block(first, from), first.blockStride);
    }
}

} // namespace decodescope::engine
