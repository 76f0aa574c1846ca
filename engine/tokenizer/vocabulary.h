#pragma once

#include "engine/base/error.h"
#include "engine/tokenizer/tokenizer.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace decodescope::engine {

/// What a token is, numbered as in `tokenizer.ggml.token_type`.
enum class TokenType : std::uint8_t { undefined, normal, unknown, control, userDefined, unused, byte };

/// A vocabulary as the file tells it, not yet built into tables. The views lie in the file.
struct Vocabulary {
    enum class Model : std::uint8_t { spm, bpe };

    Model model = Model::spm;
    std::string preTokenizer;             ///< of bpe: a name that PreTokenizer::named has
    std::vector<std::string_view> texts;  ///< the spelling of each token
    std::vector<TokenType> types;         ///< as many
    std::vector<float> scores;            ///< of spm, as many; no NaN
    std::vector<std::string_view> merges; ///< of bpe, "left right", in the order of their rank
    std::optional<TokenId> bos, eos, eot, eom, unknown;
    bool addBos = false;
    bool addEos = false;
    bool addSpacePrefix = false;
};

/// Reads the tokenizer's keys. ErrorCode::unsupported names a model or pre-tokenizer that we do not have,
/// ::malformed says which key contradicts which.
[[nodiscard]] Result<Vocabulary> readVocabulary(const GgufFile& file);

/// Whether counts, ids and lengths agree.
[[nodiscard]] Result<void> checkVocabulary(const Vocabulary& vocabulary);

/// The tokenizer of a vocabulary, which is checked first. The texts are copied: nothing refers to the file afterwards.
[[nodiscard]] Result<std::unique_ptr<Tokenizer>> makeTokenizer(const Vocabulary& vocabulary);

/// The value of a byte token's spelling, `<0xHH>` with exactly two hexadecimal digits.
[[nodiscard]] std::optional<std::uint8_t> byteOfSpelling(std::string_view spelling) noexcept;

} // namespace decodescope::engine
