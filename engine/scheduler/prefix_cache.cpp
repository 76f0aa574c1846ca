#include "engine/scheduler/prefix_cache.h"

#include <algorithm>

namespace decodescope::engine {
namespace {

std::size_t commonLength(std::span<const TokenId> a, std::span<const TokenId> b) {
    const std::size_t most = std::min(a.size(), b.size());
    const auto end = a.begin() + static_cast<std::ptrdiff_t>(most);
    return static_cast<std::size_t>(std::mismatch(a.begin(), end, b.begin()).first - a.begin());
}

} // namespace

PrefixCache::PrefixCache(KvBlockPool& pool)
    : m_pool(pool) {}

PrefixCache::Match PrefixCache::find(std::span<const TokenId> tokens) const {
    Match match;
    NodeId at = kRoot;
    while (!tokens.empty()) {
        NodeId best = kNone;
        std::size_t bestLength = 0;
        for (NodeId child = m_nodes[at].firstChild; child != kNone; child = m_nodes[child].nextSibling) {
            const std::size_t length = commonLength(m_nodes[child].tokens, tokens);
            if (length > bestLength) {
                best = child;
                bestLength = length;
            }
        }
        if (bestLength < kKvBlockTokens) {
            if (best != kNone)
                match.partial = best;
            match.partialTokens = static_cast<std::uint32_t>(bestLength);
            break;
        }
        match.whole.push_back(best);
        tokens = tokens.subspan(bestLength);
        at = best;
    }
    return match;
}

void PrefixCache::pin(NodeId node) {
    Node& pinned = m_nodes[node];
    pinned.lastUse = ++m_clock;
    if (pinned.users++ == 0)
        --m_evictable;
}

void PrefixCache::unpin(NodeId node) {
    Node& left = m_nodes[node];
    left.lastUse = ++m_clock;
    if (--left.users == 0)
        ++m_evictable;
}

PrefixCache::NodeId PrefixCache::insert(NodeId parent, std::span<const TokenId> tokens, std::uint32_t block) {
    for (NodeId child = m_nodes[parent].firstChild; child != kNone;) {
        const NodeId next = m_nodes[child].nextSibling;
        const std::size_t length = commonLength(m_nodes[child].tokens, tokens);
        if (length == tokens.size()) {
            m_nodes[child].lastUse = ++m_clock;
            return child;
        }
        if (length == m_nodes[child].tokens.size() && m_nodes[child].users == 0)
            remove(child); // a partial one that begins the new one
        child = next;
    }
    NodeId id = static_cast<NodeId>(m_nodes.size());
    if (m_freePlaces.empty()) {
        m_nodes.emplace_back();
    } else {
        id = m_freePlaces.back();
        m_freePlaces.pop_back();
    }
    Node& node = m_nodes[id];
    node.tokens.assign(tokens.begin(), tokens.end());
    node.block = block;
    node.lastUse = ++m_clock;
    node.parent = parent;
    node.nextSibling = m_nodes[parent].firstChild;
    m_nodes[parent].firstChild = id;
    m_pool.share(block);
    ++m_evictable;
    ++m_size;
    return id;
}

bool PrefixCache::evictOne() {
    NodeId oldest = kNone;
    for (NodeId id = kRoot + 1; id < m_nodes.size(); ++id) {
        const Node& node = m_nodes[id];
        const bool idleLeaf = !node.tokens.empty() && node.users == 0 && node.firstChild == kNone;
        if (idleLeaf && (oldest == kNone || node.lastUse < m_nodes[oldest].lastUse))
            oldest = id;
    }
    if (oldest == kNone)
        return false;
    remove(oldest);
    return true;
}

void PrefixCache::remove(NodeId node) {
    Node& gone = m_nodes[node];
    NodeId* link = &m_nodes[gone.parent].firstChild;
    while (*link != node)
        link = &m_nodes[*link].nextSibling;
    *link = gone.nextSibling;
    m_pool.release(gone.block);
    gone = Node{};
    m_freePlaces.push_back(node);
    --m_evictable;
    --m_size;
}

} // namespace decodescope::engine
