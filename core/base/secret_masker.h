#pragma once

#include "core/base/joined_masker.h"
#include "core/base/secret.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace decodescope {

/// Overwrites live keys, and their Base64 and percent-encoded forms, with '*' of the same length wherever a server
/// echoes them, before anything else looks at the bytes or keeps them. A key that is cut by reads is found too: once
/// four bytes of it have been seen, what might become the key is held back until it is clear. Keys of fewer than eight
/// bytes are not masked: such placeholders ("none", "EMPTY") occur in ordinary text. A key that only its reader would
/// put together again, from several events, chunks or escapes, is JoinedMasker's part.
class SecretMasker {
public:
    SecretMasker() = default;
    explicit SecretMasker(const Secret& key);
    explicit SecretMasker(const std::vector<Secret>& keys);

    /// Masks one read; returns what may be handed on by now, which may be less or more than was given.
    [[nodiscard]] std::string feed(std::string_view bytes);
    /// The bytes ended: what was held back is not a key after all.
    [[nodiscard]] std::string flush();
    /// Masks a text that is complete in itself.
    [[nodiscard]] std::string maskWhole(std::string_view text) const;

    static constexpr std::size_t kMinimumKeyBytes = 8;
    /// So many bytes of a key may pass before the rest is held back.
    static constexpr std::size_t kPassedBytes = 3;

private:
    /// Looks for one pattern by the automaton of Knuth, Morris and Pratt.
    struct Pattern {
        Secret text;
        std::vector<std::size_t> fallback; ///< longest proper border of each prefix
        std::size_t matched = 0;           ///< how much of the pattern ends at the last byte seen
        std::string held;                  ///< bytes seen and not handed on, a suffix of what matched
        void feed(std::string_view bytes, std::string& out);
    };
    static Pattern makePattern(std::string text);
    void add(const Secret& key);
    std::vector<Pattern> m_patterns;
    JoinedMasker m_joined;
};

} // namespace decodescope
