#include "engine/tokenizer/tokenizer.h"

#include "engine/tokenizer/bpe_tokenizer.h"
#include "engine/tokenizer/spm_tokenizer.h"

namespace decodescope::engine {

Result<std::unique_ptr<Tokenizer>> makeTokenizer(const Vocabulary& vocabulary) {
    if (auto checked = checkVocabulary(vocabulary); !checked) {
        return tl::unexpected<Error>(std::move(checked.error()));
    }
    return vocabulary.model == Vocabulary::Model::spm ? SpmTokenizer::make(vocabulary) : BpeTokenizer::make(vocabulary);
}

Result<std::unique_ptr<Tokenizer>> Tokenizer::fromGguf(const GgufFile& file) {
    return readVocabulary(file).and_then([](const Vocabulary& vocabulary) { return makeTokenizer(vocabulary); });
}

std::vector<TokenId> Tokenizer::encode(std::string_view text, SpecialText special, bool addSpecial) const {
    return encode(std::vector{PromptPart{std::string(text), special}}, addSpecial);
}

std::string Tokenizer::decode(const std::vector<TokenId>& ids, bool showControl) const {
    std::string text;
    for (const TokenId id : ids) {
        text += bytesOf(id, showControl);
    }
    return text;
}

} // namespace decodescope::engine
