#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace decodescope::engine::test {

class GgufWriter;

enum class TokenizerFamily : std::uint8_t {
    spm, ///< "llama": pieces with scores, byte tokens
    bpe  ///< "gpt2": bytes in GPT-2's alphabet, merges
};

/// Ids of tokenizer.ggml.token_type.
enum class TokenKind : std::int32_t { normal = 1, unknown = 2, control = 3, userDefined = 4, unused = 5, byte = 6 };

/// A small but real vocabulary: every byte is covered, letters are pieces, some English words and a few others grow
/// out of merges, and there are control tokens.
struct TinyVocabulary {
    TokenizerFamily family = TokenizerFamily::spm;
    std::string pre; ///< tokenizer.ggml.pre, BPE only
    std::vector<std::string> tokens;
    std::vector<float> scores; ///< SPM only
    std::vector<TokenKind> kinds;
    std::vector<std::string> merges; ///< BPE only
    std::int32_t bos = -1;
    std::int32_t eos = -1;
    std::int32_t unknown = -1;
    bool addBos = false;
    bool addSpacePrefix = true; ///< SPM only

    /// Control tokens are appended; the first two are BOS and EOS.
    [[nodiscard]] static TinyVocabulary spm(const std::vector<std::string>& controls);
    [[nodiscard]] static TinyVocabulary bpe(const std::string& pre, const std::vector<std::string>& controls);

    void write(GgufWriter& writer) const;
};

} // namespace decodescope::engine::test
