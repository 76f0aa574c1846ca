#pragma once

#include "engine/tokenizer/tokenizer.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace decodescope::engine {

/// Drafts for one sequence out of its own text: where the last three (else two) tokens stood before, what followed
/// them then. Drafts get longer while they prove right and shorter when not; after a row of failures it rests, longer
/// each time, since a row that proves wrong costs time.
class PromptLookup {
public:
    explicit PromptLookup(std::uint32_t longestDraft);

    /// At most `most` tokens to follow `tokens`, which only ever grows from call to call. Empty: nothing to propose.
    [[nodiscard]] std::span<const TokenId> draft(std::span<const TokenId> tokens, std::uint32_t most);
    /// How many of the last draft went through the model (0: none of it), and how many proved right.
    void learn(std::uint32_t drafted, std::uint32_t accepted);

private:
    void index(std::span<const TokenId> tokens);
    [[nodiscard]] std::size_t followerOf(std::span<const TokenId> tokens) const;

    std::uint32_t m_longest;
    std::uint32_t m_length;                                   // of the next draft
    std::uint32_t m_failures = 0;                             // in a row
    std::uint32_t m_rest = 0;                                 // steps to sit out
    std::size_t m_indexed = 0;                                // n-grams that end before this position are in the maps
    std::unordered_map<std::uint64_t, std::uint32_t> m_pairs; // the position after the latest such n-gram
    std::unordered_map<std::uint64_t, std::uint32_t> m_triples;
    std::vector<TokenId> m_draft;
};

} // namespace decodescope::engine
