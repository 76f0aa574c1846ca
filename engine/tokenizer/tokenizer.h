#pragma once

#include "engine/base/error.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace decodescope::engine {

class GgufFile;

using TokenId = std::int32_t;

/// Whether the spelling of a control token within a text becomes that token. Only the text of a chat template (and
/// of a client that asked for it) is `parse`; what a user wrote is `asText`, whatever it spells. User-defined tokens
/// are recognised in both.
enum class SpecialText : std::uint8_t { asText, parse };

/// A piece of a prompt: template text or what a person wrote.
struct PromptPart {
    std::string text;
    SpecialText special = SpecialText::asText;
};

/// What a GGUF's vocabulary does to text. Immutable, used from any thread.
class Tokenizer {
public:
    /// ErrorCode::unsupported names a tokenizer model or pre-tokenizer that we do not have; ::malformed a vocabulary
    /// that contradicts itself.
    [[nodiscard]] static Result<std::unique_ptr<Tokenizer>> fromGguf(const GgufFile& file);
    virtual ~Tokenizer() = default;

    /// Tokens of the parts, as if they were one text whose special tokens are recognised only within `parse` parts.
    /// `addSpecial`: BOS and EOS as the model asks for (add_bos_token, add_eos_token); a BOS that the template text
    /// itself begins with is not doubled. Ill-formed UTF-8 never fails.
    [[nodiscard]] virtual std::vector<TokenId> encode(const std::vector<PromptPart>& parts, bool addSpecial) const = 0;
    [[nodiscard]] std::vector<TokenId> encode(std::string_view text, SpecialText special, bool addSpecial) const;

    [[nodiscard]] virtual std::string_view kind() const = 0; ///< "spm" or "bpe", for inspect: with its pre-tokenizer
    [[nodiscard]] virtual int size() const = 0;
    /// The bytes that a token adds to the text (for SPM a leading space included); empty for control tokens, unless
    /// `showControl`. Ids out of range: empty. One token may hold a part of a code point.
    [[nodiscard]] virtual std::string_view bytesOf(TokenId id, bool showControl = false) const = 0;
    [[nodiscard]] virtual bool isControl(TokenId id) const = 0;
    [[nodiscard]] virtual bool endsGeneration(TokenId id) const = 0; ///< eos, eot, eom and their well-known spellings
    [[nodiscard]] virtual std::optional<TokenId> bos() const = 0;
    [[nodiscard]] virtual std::optional<TokenId> eos() const = 0;
    /// Whether the first space of a generated text belongs to the tokenizer, not to the text (SPM with a space prefix).
    [[nodiscard]] virtual bool stripsLeadingSpace() const = 0;
    /// The token spelled so in the vocabulary, control tokens included.
    [[nodiscard]] virtual std::optional<TokenId> spelled(std::string_view text) const = 0;
    /// The text of whole tokens, ill-formed bytes kept (for /detokenize).
    [[nodiscard]] std::string decode(const std::vector<TokenId>& ids, bool showControl = false) const;
};

/// Tokens to text as they are sampled, never cutting a code point: up to 3 bytes are held back until the next token.
class StreamDetokenizer {
public:
    explicit StreamDetokenizer(const Tokenizer& tokenizer, bool startOfText = false);
    /// Text that became whole with this token; may be empty. Valid UTF-8: ill-formed bytes become U+FFFD once they
    /// can no longer be completed.
    [[nodiscard]] std::string push(TokenId id);
    /// What was held back at the end, as U+FFFD.
    [[nodiscard]] std::string finish();

private:
    const Tokenizer& m_tokenizer;
    std::string m_held;
    bool m_atStart;
};

} // namespace decodescope::engine
