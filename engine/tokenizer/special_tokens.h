#pragma once

#include "engine/tokenizer/hash_tables.h"
#include "engine/tokenizer/tokenizer.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace decodescope::engine {

/// A range of bytes of a text.
struct ByteRange {
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// Finds the spellings of special tokens within a text.
class SpecialTokens {
public:
    enum class Kind : std::uint8_t {
        always,    ///< user-defined: wherever its spelling stands
        whenParsed ///< control and unknown: only within what is to be parsed
    };
    struct Found {
        std::size_t begin = 0;
        std::size_t end = 0;
        TokenId token = 0;
    };

    /// False when the spellings together are too many (kMaxNodes): no vocabulary that is meant well has so many.
    [[nodiscard]] bool add(std::string_view spelling, TokenId token, Kind kind);

    /// The longest first, over the whole text, then the rest around them; in the order of the text. Spellings of
    /// `whenParsed` tokens count only if they lie within one of the `parsed` ranges (in order, apart).
    [[nodiscard]] std::vector<Found> find(std::string_view text, std::span<const ByteRange> parsed) const;

private:
    static constexpr std::size_t kMaxNodes = 2'000'000;
    static constexpr std::size_t kMaxSpelling = 1024; ///< longer ones are no marks of a dialogue: never found

    struct Node {
        TokenId always = -1;
        TokenId whenParsed = -1;
    };
    struct Limits {
        std::size_t always = 0;     ///< how many bytes a user-defined token may have here
        std::size_t whenParsed = 0; ///< and a control token
    };
    [[nodiscard]] Found longestAt(std::string_view text, std::size_t at, Limits limits) const noexcept;

    std::vector<Node> m_nodes{Node{}};
    PairMap m_edges;         ///< (node, byte) to node
    bool m_starts[256] = {}; ///< bytes by which any spelling begins
};

} // namespace decodescope::engine
