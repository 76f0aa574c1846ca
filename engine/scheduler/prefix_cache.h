#pragma once

#include "engine/backend/backend.h"
#include "engine/scheduler/kv_block_pool.h"

#include <cstdint>
#include <span>
#include <vector>

namespace decodescope::engine {

/// Blocks of positions that were computed once, as a tree over their tokens: a path from the root spells the beginning
/// of a text, a block a node. A node is whole (kKvBlockTokens tokens, shared by the sequences that go through it) or
/// partial (fewer, never shared: its positions are copied). The cache holds its blocks in the pool; nodes that no
/// sequence goes through are given up for new blocks, those used longest ago first, leaves before their parents.
class PrefixCache {
public:
    using NodeId = std::uint32_t;
    static constexpr NodeId kRoot = 0;

    explicit PrefixCache(KvBlockPool& pool);

    struct Match {
        std::vector<NodeId> whole;       ///< from the root on
        NodeId partial = kRoot;          ///< holds the tokens that come next, or kRoot
        std::uint32_t partialTokens = 0; ///< how many of them
    };
    /// The longest known beginning of `tokens`.
    [[nodiscard]] Match find(std::span<const TokenId> tokens) const;

    /// A sequence goes through the node (its parents are pinned before it) and leaves it again. Both count as use.
    void pin(NodeId node);
    void unpin(NodeId node);

    /// Adds the block that holds `tokens` (at most a block's) after those of `parent` and returns its node, or the node
    /// that has them already, whose block may be another. Takes its own hold on the block. Partial nodes that the new
    /// one makes needless are given up.
    NodeId insert(NodeId parent, std::span<const TokenId> tokens, std::uint32_t block);

    /// Gives up one node. False when sequences go through all of them.
    bool evictOne();

    [[nodiscard]] std::uint32_t blockOf(NodeId node) const { return m_nodes[node].block; }
    [[nodiscard]] bool pinned(NodeId node) const { return m_nodes[node].users > 0; }
    [[nodiscard]] std::uint32_t evictable() const noexcept { return m_evictable; } ///< nodes without users
    [[nodiscard]] std::uint32_t size() const noexcept { return m_size; }

private:
    static constexpr NodeId kNone = UINT32_MAX;

    struct Node {
        std::vector<TokenId> tokens; // empty: the root, or a free place
        std::uint32_t block = 0;
        std::uint32_t users = 0;
        std::uint64_t lastUse = 0;
        NodeId parent = kNone;
        NodeId firstChild = kNone;
        NodeId nextSibling = kNone;
    };

    void remove(NodeId node);

    KvBlockPool& m_pool;
    std::vector<Node> m_nodes{Node{}}; // the root first
    std::vector<NodeId> m_freePlaces;
    std::uint64_t m_clock = 0;
    std::uint32_t m_evictable = 0;
    std::uint32_t m_size = 0;
};

} // namespace decodescope::engine
