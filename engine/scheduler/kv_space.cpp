#include "engine/scheduler/kv_space.h"

#include <algorithm>
#include <utility>

namespace decodescope::engine {

KvSpace::KvSpace(std::uint32_t blocks, CopyBlock copyBlock)
    : m_pool(blocks)
    , m_cache(m_pool)
    , m_copyBlock(std::move(copyBlock)) {}

std::optional<KvLease> KvSpace::admit(std::span<const TokenId> prompt, std::uint32_t positions, CacheUse use) {
    PrefixCache::Match match;
    if (use == CacheUse::prefixes)
        match = m_cache.find(prompt.first(prompt.size() - 1));
    const auto whole = static_cast<std::uint32_t>(match.whole.size());
    const std::uint32_t wanted = blocksFor(positions) - whole;
    const auto woken = static_cast<std::uint32_t>(
        std::count_if(match.whole.begin(), match.whole.end(), [&](auto node) { return !m_cache.pinned(node); }));
    const std::uint32_t available = m_pool.free() + m_cache.evictable() - m_promised;
    if (wanted + woken > available)
        return std::nullopt;

    KvLease lease;
    lease.use = use;
    lease.promised = wanted;
    lease.cached = whole * kKvBlockTokens;
    m_promised += wanted;
    for (const PrefixCache::NodeId node : match.whole) {
        m_cache.pin(node);
        m_pool.share(m_cache.blockOf(node));
        lease.blocks.push_back(m_cache.blockOf(node));
    }
    lease.nodes = std::move(match.whole);
    // The block to copy from must not be given up to make room for the copy: it counts once more.
    if (match.partialTokens > 0 && (m_cache.pinned(match.partial) || wanted + woken < available)) {
        m_cache.pin(match.partial);
        cover(lease, lease.cached + 1);
        m_copyBlock(m_cache.blockOf(match.partial), lease.blocks.back(), match.partialTokens);
        m_cache.unpin(match.partial);
        lease.cached += match.partialTokens;
    }
    return lease;
}

std::uint32_t KvSpace::catchUp(KvLease& lease, std::span<const TokenId> prompt) {
    if (lease.use == CacheUse::none)
        return 0;
    const PrefixCache::Match match = m_cache.find(prompt.first(prompt.size() - 1));
    const std::size_t own = lease.nodes.size();
    for (std::size_t i = own; i < match.whole.size(); ++i) {
        const PrefixCache::NodeId node = match.whole[i];
        m_cache.pin(node);
        m_pool.share(m_cache.blockOf(node));
        lease.nodes.push_back(node);
        if (i < lease.blocks.size()) { // begun, and not needed any more
            m_pool.release(lease.blocks[i]);
            lease.blocks[i] = m_cache.blockOf(node);
        } else {
            lease.blocks.push_back(m_cache.blockOf(node));
            --lease.promised;
            --m_promised;
        }
    }
    return lease.nodes.size() > own ? static_cast<std::uint32_t>(lease.nodes.size()) * kKvBlockTokens : 0;
}

void KvSpace::cover(KvLease& lease, std::uint32_t positions) {
    while (lease.blocks.size() < blocksFor(positions)) {
        lease.blocks.push_back(takeBlock());
        --lease.promised;
        --m_promised;
    }
}

void KvSpace::keep(KvLease& lease, std::span<const TokenId> tokens) {
    if (lease.use == CacheUse::none)
        return;
    for (std::size_t i = lease.nodes.size(); (i + 1) * kKvBlockTokens <= tokens.size(); ++i) {
        const PrefixCache::NodeId parent = i == 0 ? PrefixCache::kRoot : lease.nodes.back();
        const auto node = m_cache.insert(parent, tokens.subspan(i * kKvBlockTokens, kKvBlockTokens), lease.blocks[i]);
        m_cache.pin(node);
        lease.nodes.push_back(node);
        const std::uint32_t block = m_cache.blockOf(node);
        if (block == lease.blocks[i])
            continue;
        m_pool.share(block); // another sequence was first with the same tokens: theirs serves both
        m_pool.release(lease.blocks[i]);
        lease.blocks[i] = block;
    }
}

void KvSpace::release(KvLease& lease, std::span<const TokenId> tokens) {
    keep(lease, tokens);
    const std::size_t whole = tokens.size() / kKvBlockTokens * kKvBlockTokens;
    if (lease.use == CacheUse::prefixes && whole < tokens.size())
        m_cache.insert(lease.nodes.empty() ? PrefixCache::kRoot : lease.nodes.back(), tokens.subspan(whole),
                       lease.blocks[lease.nodes.size()]);
    for (auto node = lease.nodes.rbegin(); node != lease.nodes.rend(); ++node)
        m_cache.unpin(*node);
    for (const std::uint32_t block : lease.blocks)
        m_pool.release(block);
    m_promised -= lease.promised;
    lease = {};
}

std::uint32_t KvSpace::takeBlock() {
    std::optional<std::uint32_t> block = m_pool.take();
    while (!block && m_cache.evictOne())
        block = m_pool.take();
    return *block; // promised, so there is one
}

} // namespace decodescope::engine
