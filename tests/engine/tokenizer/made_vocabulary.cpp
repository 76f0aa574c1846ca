#include "tests/engine/tokenizer/made_vocabulary.h"

#include "engine/tokenizer/byte_alphabet.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace decodescope::engine::test {

MadeVocabulary::MadeVocabulary(Vocabulary::Model model) {
    m_vocabulary.model = model;
    m_vocabulary.preTokenizer = "gpt-2";
}

TokenId MadeVocabulary::add(const std::string& text, TokenType type, float score) {
    m_texts.push_back(text);
    m_vocabulary.types.push_back(type);
    m_vocabulary.scores.push_back(score);
    return static_cast<TokenId>(m_texts.size() - 1);
}

void MadeVocabulary::addBytes() {
    for (unsigned byte = 0; byte < 256; ++byte) {
        if (m_vocabulary.model == Vocabulary::Model::bpe) {
            add(std::string(ByteAlphabet::get().spelling(static_cast<std::uint8_t>(byte))));
            continue;
        }
        char text[8];
        std::snprintf(text, sizeof text, "<0x%02X>", byte);
        add(text, TokenType::byte);
    }
}

void MadeVocabulary::merge(const std::string& left, const std::string& right) {
    m_merges.push_back(left + ' ' + right);
    if (std::ranges::find(m_texts, left + right) == m_texts.end()) {
        add(left + right);
    }
}

Vocabulary MadeVocabulary::get() const {
    Vocabulary vocabulary = m_vocabulary;
    vocabulary.texts.assign(m_texts.begin(), m_texts.end());
    vocabulary.merges.assign(m_merges.begin(), m_merges.end());
    return vocabulary;
}

std::unique_ptr<Tokenizer> MadeVocabulary::tokenizer() const {
    auto made = makeTokenizer(get());
    if (!made) {
        std::fprintf(stderr, "%s\n", made.error().message.c_str());
        std::exit(1);
    }
    return std::move(*made);
}

} // namespace decodescope::engine::test
