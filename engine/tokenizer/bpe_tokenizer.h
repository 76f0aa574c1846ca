#pragma once

#include "engine/tokenizer/pre_tokenizer.h"
#include "engine/tokenizer/table_tokenizer.h"

#include <array>
#include <memory>

namespace decodescope::engine {

/// Byte-level byte-pair encoding ("gpt2"): text is cut into pieces, the bytes of a piece are merged by rank.
class BpeTokenizer final : public TableTokenizer {
public:
    [[nodiscard]] static Result<std::unique_ptr<Tokenizer>> make(const Vocabulary& vocabulary);
    [[nodiscard]] bool stripsLeadingSpace() const override { return false; }

private:
    BpeTokenizer(TokenTables tables, const Vocabulary& vocabulary, const PreTokenizer& preTokenizer);
    [[nodiscard]] Result<void> readMerges(const std::vector<std::string_view>& merges);
    [[nodiscard]] TokenId wholeOf(std::string_view left, std::string_view right, TokenId guess) const;
    void encodeText(std::string_view text, TextStart start, std::vector<TokenId>& ids) const override;

    const PreTokenizer& m_preTokenizer;
    std::array<TokenId, 256> m_byteIds{}; ///< -1: the vocabulary cannot spell this byte
    PairMap m_merges;                     ///< of two ids: rank and the merged id
};

} // namespace decodescope::engine
