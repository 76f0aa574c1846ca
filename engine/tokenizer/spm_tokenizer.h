#pragma once

#include "engine/tokenizer/merging.h"
#include "engine/tokenizer/table_tokenizer.h"

#include <bitset>
#include <memory>

namespace decodescope::engine {

/// SentencePiece ("llama"): spaces become U+2581, characters are merged by the score of the token they make, and what
/// is no token at the end becomes byte tokens.
class SpmTokenizer final : public TableTokenizer {
public:
    [[nodiscard]] static Result<std::unique_ptr<Tokenizer>> make(const Vocabulary& vocabulary);
    [[nodiscard]] bool stripsLeadingSpace() const override { return m_addSpacePrefix; }

private:
    SpmTokenizer(TokenTables tables, const Vocabulary& vocabulary);
    void encodeText(std::string_view text, TextStart start, std::vector<TokenId>& ids) const override;
    void encodeWord(std::string_view text, std::vector<Symbol>& symbols, SymbolMerger& merger,
                    std::vector<TokenId>& ids) const;

    bool m_addSpacePrefix;
    std::vector<std::uint32_t> m_ranks; ///< by id: the higher the score, the smaller
    std::size_t m_longest = 0;          ///< bytes of the longest token that text may become
    /// Bytes that stand right before a U+2581 within some token. After any other byte the space starts a new word:
    /// no merge can cross it, so text is merged word by word.
    std::bitset<256> m_joinsSpace;
    std::optional<TokenId> m_unknown;
};

} // namespace decodescope::engine
