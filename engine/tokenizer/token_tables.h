#pragma once

#include "engine/tokenizer/hash_tables.h"
#include "engine/tokenizer/special_tokens.h"
#include "engine/tokenizer/vocabulary.h"

#include <optional>
#include <string_view>
#include <vector>

namespace decodescope::engine {

/// What both families know of their tokens: spelling, bytes, type, and the way back from a spelling.
class TokenTables {
public:
    /// ErrorCode::malformed when two tokens share a spelling.
    [[nodiscard]] static Result<TokenTables> build(const Vocabulary& vocabulary);

    [[nodiscard]] int size() const noexcept { return static_cast<int>(m_types.size()); }
    [[nodiscard]] bool has(TokenId id) const noexcept { return id >= 0 && id < size(); }
    [[nodiscard]] TokenType type(TokenId id) const noexcept { return m_types[static_cast<std::size_t>(id)]; }
    /// Whether plain text may become this token: no control, unknown or byte token.
    [[nodiscard]] bool isText(TokenId id) const noexcept {
        return type(id) != TokenType::control && type(id) != TokenType::unknown && type(id) != TokenType::byte;
    }
    [[nodiscard]] std::string_view spelling(TokenId id) const noexcept {
        return m_spellings[static_cast<std::size_t>(id)];
    }
    [[nodiscard]] std::string_view bytes(TokenId id, bool showControl) const noexcept;
    [[nodiscard]] bool endsGeneration(TokenId id) const noexcept {
        return m_endsGeneration[static_cast<std::size_t>(id)];
    }
    [[nodiscard]] std::optional<TokenId> spelled(std::string_view text) const noexcept;
    /// The token that plain text of this spelling may become.
    [[nodiscard]] std::optional<TokenId> ofText(std::string_view spelling) const noexcept {
        return ofText(spelling, hash(spelling));
    }
    /// ofText of many, in two steps (see TextIndex).
    [[nodiscard]] std::uint64_t hash(std::string_view spelling) const noexcept { return m_index.hash(spelling); }
    void prefetch(std::uint64_t hash) const noexcept { m_index.prefetch(hash); }
    [[nodiscard]] std::optional<TokenId> ofText(std::string_view spelling, std::uint64_t hash) const noexcept;
    /// The token `<0xHH>` of a byte.
    [[nodiscard]] std::optional<TokenId> ofByte(std::uint8_t byte) const noexcept;
    [[nodiscard]] const SpecialTokens& special() const noexcept { return m_special; }

private:
    TokenTables() = default;
    void markEnds(const Vocabulary& vocabulary);

    TextTable m_spellings;
    TextTable m_bytes; ///< as text; for control tokens their spelling
    TextIndex m_index; ///< of m_spellings
    std::vector<TokenType> m_types;
    std::vector<bool> m_endsGeneration;
    std::vector<TokenId> m_byteTokens; ///< 256; -1 where there is none
    SpecialTokens m_special;
};

} // namespace decodescope::engine
