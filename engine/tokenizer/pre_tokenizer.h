#pragma once

#include "engine/tokenizer/char_class.h"
#include "engine/tokenizer/piece_scanners.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace decodescope::engine {

/// How a byte-level vocabulary cuts text into pieces, by the name in `tokenizer.ggml.pre`.
class PreTokenizer {
public:
    /// Null for a name that we do not have. The empty name is that of files older than the key.
    [[nodiscard]] static const PreTokenizer* named(std::string_view name) noexcept;

    /// Whether a piece that is a token as a whole is taken without merging.
    [[nodiscard]] bool ignoresMerges() const noexcept { return m_ignoresMerges; }
    /// Whether a file of this kind that does not say so wants its BOS token.
    [[nodiscard]] bool addsBos() const noexcept { return m_addsBos; }

    /// The pieces' ends, in bytes. `text` is well-formed UTF-8; `classes` is scratch space.
    void split(std::string_view text, std::vector<CharClass>& classes, std::vector<std::uint32_t>& ends) const;

    constexpr PreTokenizer(std::span<const PieceScanner> passes, bool ignoresMerges, bool addsBos)
        : m_passes(passes)
        , m_ignoresMerges(ignoresMerges)
        , m_addsBos(addsBos) {}

private:
    std::span<const PieceScanner> m_passes; ///< each cuts every piece of the one before further
    bool m_ignoresMerges;
    bool m_addsBos;
};

} // namespace decodescope::engine
