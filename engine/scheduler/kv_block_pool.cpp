#include "engine/scheduler/kv_block_pool.h"

namespace decodescope::engine {

KvBlockPool::KvBlockPool(std::uint32_t blocks)
    : m_holders(blocks) {
    m_free.reserve(blocks);
    for (std::uint32_t block = blocks; block > 0; --block)
        m_free.push_back(block - 1);
}

std::optional<std::uint32_t> KvBlockPool::take() {
    if (m_free.empty())
        return std::nullopt;
    const std::uint32_t block = m_free.back();
    m_free.pop_back();
    m_holders[block] = 1;
    return block;
}

void KvBlockPool::share(std::uint32_t block) {
    ++m_holders[block];
}

void KvBlockPool::release(std::uint32_t block) {
    if (--m_holders[block] == 0)
        m_free.push_back(block);
}

} // namespace decodescope::engine
