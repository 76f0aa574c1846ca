#pragma once

#include "engine/tokenizer/token_tables.h"

namespace decodescope::engine {

/// What both families share: the tables, and the cutting of a prompt at its special tokens.
class TableTokenizer : public Tokenizer {
public:
    using Tokenizer::encode;
    [[nodiscard]] std::vector<TokenId> encode(const std::vector<PromptPart>& parts, bool addSpecial) const override;
    [[nodiscard]] std::string_view kind() const override { return m_kind; }
    [[nodiscard]] int size() const override { return m_tables.size(); }
    [[nodiscard]] std::string_view bytesOf(TokenId id, bool showControl) const override;
    [[nodiscard]] bool isControl(TokenId id) const override;
    [[nodiscard]] bool endsGeneration(TokenId id) const override;
    [[nodiscard]] std::optional<TokenId> bos() const override { return m_bos; }
    [[nodiscard]] std::optional<TokenId> eos() const override { return m_eos; }
    [[nodiscard]] std::optional<TokenId> spelled(std::string_view text) const override;

protected:
    TableTokenizer(TokenTables tables, const Vocabulary& vocabulary, std::string kind);

    /// Where a stretch of plain text stands: SentencePiece puts a space before the first of a run.
    enum class TextStart : std::uint8_t { afterSpecial, afterText };
    /// Appends the tokens of text that holds no special token: at most kMaxStretch bytes, which may be ill-formed.
    virtual void encodeText(std::string_view text, TextStart start, std::vector<TokenId>& ids) const = 0;

    [[nodiscard]] const TokenTables& tables() const noexcept { return m_tables; }

private:
    static constexpr std::size_t kMaxStretch = std::size_t{1} << 29; ///< so that offsets fit 32 bits

    void encodeStretch(std::string_view text, std::vector<TokenId>& ids) const;

    TokenTables m_tables;
    std::string m_kind;
    std::optional<TokenId> m_bos, m_eos;
    bool m_addBos, m_addEos;
};

} // namespace decodescope::engine
