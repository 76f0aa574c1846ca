#pragma once

#include "engine/scheduler/kv_block_pool.h"
#include "engine/scheduler/prefix_cache.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace decodescope::engine {

enum class CacheUse : std::uint8_t { none, prefixes };

/// What a sequence holds of the backend's cache.
struct KvLease {
    std::vector<std::uint32_t> blocks;      ///< in order of positions
    std::vector<PrefixCache::NodeId> nodes; ///< of the first blocks: those that the prefix cache has too
    std::uint32_t promised = 0;             ///< blocks that it may still take
    std::uint32_t cached = 0;               ///< positions that were there from the start
    CacheUse use = CacheUse::prefixes;
};

/// The memory of all sequences. A sequence comes in only when all the blocks it may ever need are free or can be
/// freed, and takes them one by one as it grows; so nothing that runs is ever pushed out, and what others left behind
/// stays of use for as long as there is room.
class KvSpace {
public:
    /// copyBlock as of Backend.
    using CopyBlock = std::function<void(std::uint32_t from, std::uint32_t to, std::uint32_t tokens)>;
    KvSpace(std::uint32_t blocks, CopyBlock copyBlock);

    /// Room for `positions` positions that begin with `prompt`'s; nullopt: not now. What is known of the prompt is in
    /// the lease, except its last token: that has to be computed for its logits.
    [[nodiscard]] std::optional<KvLease> admit(std::span<const TokenId> prompt, std::uint32_t positions, CacheUse use);
    /// Blocks of the prompt that others have computed since; returns the positions that they cover, 0 when there are
    /// none beyond the lease's own. The last token stays out as in admit().
    [[nodiscard]] std::uint32_t catchUp(KvLease& lease, std::span<const TokenId> prompt);
    /// Blocks for the first `positions` positions.
    void cover(KvLease& lease, std::uint32_t positions);
    /// Positions 0 ... tokens.size() - 1 are computed: whole blocks of them become known to others.
    void keep(KvLease& lease, std::span<const TokenId> tokens);
    /// The sequence ends; `tokens` as of keep(), the last ones may fill a block in part. Empty: nothing of it is kept.
    void release(KvLease& lease, std::span<const TokenId> tokens);

    [[nodiscard]] std::uint32_t total() const noexcept { return m_pool.total(); }
    /// Blocks that no sequence holds and that are kept for their prefixes.
    [[nodiscard]] std::uint32_t cached() const noexcept { return m_cache.evictable(); }
    /// Blocks that sequences hold.
    [[nodiscard]] std::uint32_t used() const noexcept { return m_pool.total() - m_pool.free() - m_cache.evictable(); }

    [[nodiscard]] static std::uint32_t blocksFor(std::uint32_t positions) noexcept {
        return positions / kKvBlockTokens + (positions % kKvBlockTokens != 0);
    }

private:
    [[nodiscard]] std::uint32_t takeBlock();

    KvBlockPool m_pool;
    PrefixCache m_cache;
    CopyBlock m_copyBlock;
    std::uint32_t m_promised = 0; // at most free and evictable ones, always
};

} // namespace decodescope::engine
