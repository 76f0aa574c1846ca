#pragma once

#include "engine/tokenizer/vocabulary.h"

#include <memory>
#include <string>
#include <vector>

namespace decodescope::engine::test {

/// A vocabulary made token by token, which owns its texts.
class MadeVocabulary {
public:
    explicit MadeVocabulary(Vocabulary::Model model);
    /// The id of the new token.
    TokenId add(const std::string& text, TokenType type = TokenType::normal, float score = 0);
    /// All 256 byte tokens: `<0xHH>` of spm, the printable stand-ins of bpe.
    void addBytes();
    /// A merge, and the token that it makes if that is not there yet.
    void merge(const std::string& left, const std::string& right);

    Vocabulary& edit() { return m_vocabulary; }
    [[nodiscard]] Vocabulary get() const;
    /// Ends the test program with the error where there is one.
    [[nodiscard]] std::unique_ptr<Tokenizer> tokenizer() const;

private:
    Vocabulary m_vocabulary; ///< all but the texts and merges
    std::vector<std::string> m_texts;
    std::vector<std::string> m_merges;
};

} // namespace decodescope::engine::test
