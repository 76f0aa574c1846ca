#include "engine/scheduler/prompt_lookup.h"

#include <algorithm>

namespace decodescope::engine {
namespace {

constexpr std::uint32_t kFirstLength = 4;
constexpr std::uint32_t kFailuresBeforeRest = 2;
constexpr std::uint32_t kLongestRest = 128;

/// Of the n tokens that end before `end`. Not a hash: ids have at most 21 bits in any vocabulary, and where longer ones
/// meet, a draft is merely wrong.
std::uint64_t keyOf(std::span<const TokenId> tokens, std::size_t end, std::size_t n) {
    std::uint64_t key = 0;
    for (std::size_t i = end - n; i < end; ++i)
        key = key << 21 ^ static_cast<std::uint32_t>(tokens[i]);
    return key;
}

} // namespace

PromptLookup::PromptLookup(std::uint32_t longestDraft)
    : m_longest(longestDraft)
    , m_length(std::min(kFirstLength, longestDraft)) {}

std::span<const TokenId> PromptLookup::draft(std::span<const TokenId> tokens, std::uint32_t most) {
    m_draft.clear();
    if (m_rest > 0) {
        --m_rest;
        return {};
    }
    index(tokens);
    const std::size_t follower = followerOf(tokens);
    if (follower == 0)
        return {};
    const std::uint32_t length = std::min(m_length, most);
    for (std::size_t i = follower; m_draft.size() < length; ++i) // beyond the text's end, a loop repeats its own draft
        m_draft.push_back(i < tokens.size() ? tokens[i] : m_draft[i - tokens.size()]);
    return m_draft;
}

void PromptLookup::learn(std::uint32_t drafted, std::uint32_t accepted) {
    if (drafted == 0)
        return;
    if (accepted > 0)
        m_failures = 0;
    else if (++m_failures >= kFailuresBeforeRest)
        m_rest = std::min(kLongestRest, 2U << std::min(m_failures, 16U));
    m_length =
        accepted == drafted ? std::min(m_longest, std::max(m_length, 2 * accepted)) : std::min(m_longest, accepted + 1);
}

/// The last n-grams stay out: what follows them is not known yet.
void PromptLookup::index(std::span<const TokenId> tokens) {
    for (; m_indexed < tokens.size(); ++m_indexed) {
        if (m_indexed >= 2)
            m_pairs[keyOf(tokens, m_indexed, 2)] = static_cast<std::uint32_t>(m_indexed);
        if (m_indexed >= 3)
            m_triples[keyOf(tokens, m_indexed, 3)] = static_cast<std::uint32_t>(m_indexed);
    }
}

std::size_t PromptLookup::followerOf(std::span<const TokenId> tokens) const {
    if (tokens.size() >= 3)
        if (const auto found = m_triples.find(keyOf(tokens, tokens.size(), 3)); found != m_triples.end())
            return found->second;
    if (tokens.size() >= 2)
        if (const auto found = m_pairs.find(keyOf(tokens, tokens.size(), 2)); found != m_pairs.end())
            return found->second;
    return 0;
}

} // namespace decodescope::engine
