#pragma once

#include "engine/tokenizer/tokenizer.h"

#include <queue>

#include <algorithm>
#include <cstdint>
#include <vector>

/// The merging that both families share: of all adjacent pairs that may be merged the first in rank is, the leftmost
/// among equals, until none is left.
namespace decodescope::engine {

/// A stretch of the text that has become one symbol; `id` is its token, or -1.
struct Symbol {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    TokenId id = -1;
};

/// What a pair of neighbours would become. A smaller rank comes first; kNoMerge: they do not merge.
struct Merge {
    static constexpr std::uint32_t kNoMerge = 0xFFFFFFFF;
    std::uint32_t rank = kNoMerge;
    TokenId id = -1;
};

/// Merges within one piece of text. Reuses its memory from piece to piece.
class SymbolMerger {
public:
    /// `lookUp(left, right)` gives the Merge of two symbols. Two pairs of one rank at one place are the same pair, or
    /// may be taken one for the other. What is left is in `symbols`, in order.
    template <class LookUp> void merge(std::vector<Symbol>& symbols, const LookUp& lookUp) {
        if (symbols.size() < 2) {
            return;
        }
        m_merges.resize(symbols.size());
        for (std::size_t at = 0; at + 1 < symbols.size(); ++at) {
            m_merges[at] = lookUp(symbols[at], symbols[at + 1]);
        }
        m_merges.back() = {};
        if (symbols.size() <= kShort) {
            mergeShort(symbols, lookUp);
        } else {
            mergeLong(symbols, lookUp);
        }
    }

private:
    /// Up to here the best pair is found by looking at all: quadratic, but without a queue.
    static constexpr std::size_t kShort = 48;

    template <class LookUp> void mergeShort(std::vector<Symbol>& symbols, const LookUp& lookUp) {
        std::size_t count = symbols.size();
        while (count > 1) {
            std::size_t best = 0;
            for (std::size_t at = 1; at + 1 < count; ++at) {
                if (m_merges[at].rank < m_merges[best].rank) {
                    best = at;
                }
            }
            if (m_merges[best].rank == Merge::kNoMerge) {
                break;
            }
            symbols[best] = {symbols[best].begin, symbols[best + 1].end, m_merges[best].id};
            std::move(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 2,
                      symbols.begin() + static_cast<std::ptrdiff_t>(count),
                      symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
            std::move(m_merges.begin() + static_cast<std::ptrdiff_t>(best) + 2,
                      m_merges.begin() + static_cast<std::ptrdiff_t>(count),
                      m_merges.begin() + static_cast<std::ptrdiff_t>(best) + 1);
            --count;
            m_merges[best] = best + 1 < count ? lookUp(symbols[best], symbols[best + 1]) : Merge{};
            if (best > 0) {
                m_merges[best - 1] = lookUp(symbols[best - 1], symbols[best]);
            }
        }
        symbols.resize(count);
    }

    /// A queue of (rank, place). An entry whose place no longer has a pair of that rank is out of date.
    template <class LookUp> void mergeLong(std::vector<Symbol>& symbols, const LookUp& lookUp) {
        constexpr std::uint32_t kNone = 0xFFFFFFFF;
        const auto count = static_cast<std::uint32_t>(symbols.size());
        m_next.resize(count);
        m_previous.resize(count);
        m_queue.clear();
        for (std::uint32_t at = 0; at < count; ++at) {
            m_next[at] = at + 1 < count ? at + 1 : kNone;
            m_previous[at] = at > 0 ? at - 1 : kNone;
            if (m_merges[at].rank != Merge::kNoMerge) {
                m_queue.push_back(entry(m_merges[at].rank, at));
            }
        }
        std::ranges::make_heap(m_queue, std::greater{});
        const auto renew = [&](std::uint32_t at) {
            m_merges[at] = m_next[at] == kNone ? Merge{} : lookUp(symbols[at], symbols[m_next[at]]);
            if (m_merges[at].rank != Merge::kNoMerge) {
                m_queue.push_back(entry(m_merges[at].rank, at));
                std::ranges::push_heap(m_queue, std::greater{});
            }
        };
        while (!m_queue.empty()) {
            std::ranges::pop_heap(m_queue, std::greater{});
            const auto at = static_cast<std::uint32_t>(m_queue.back());
            const auto rank = static_cast<std::uint32_t>(m_queue.back() >> 32);
            m_queue.pop_back();
            if (m_merges[at].rank != rank) {
                continue;
            }
            const std::uint32_t right = m_next[at];
            symbols[at] = {symbols[at].begin, symbols[right].end, m_merges[at].id};
            symbols[right].begin = symbols[right].end; // gone
            m_merges[right] = {};
            m_next[at] = m_next[right];
            if (m_next[at] != kNone) {
                m_previous[m_next[at]] = at;
            }
            renew(at);
            if (m_previous[at] != kNone) {
                renew(m_previous[at]);
            }
        }
        std::erase_if(symbols, [](const Symbol& symbol) { return symbol.begin == symbol.end; });
    }

    static std::uint64_t entry(std::uint32_t rank, std::uint32_t at) { return (std::uint64_t{rank} << 32) | at; }

    std::vector<Merge> m_merges; ///< of each symbol with the next
    std::vector<std::uint32_t> m_next, m_previous;
    std::vector<std::uint64_t> m_queue;
};

} // namespace decodescope::engine
