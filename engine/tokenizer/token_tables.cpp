#include "engine/tokenizer/token_tables.h"

#include "engine/tokenizer/byte_alphabet.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace decodescope::engine {

namespace {

constexpr std::string_view kSpmSpace = "\xE2\x96\x81"; // U+2581

/// Spellings that end an answer in the dialogues of known models, whatever the file says of them.
constexpr std::array kEnds = std::to_array<std::string_view>({
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|flush|>",
    "<|calls|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "<|eom_id|>",
    "<|end_of_text|>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "[EOS]",
    "<end_of_utterance>",
    "<eos>",
    "</s>",
    "<turn|>",
    "<|tool_response>",
    "<\xEF\xBD\x9C"
    "end\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C>", // DeepSeek's, with full-width bars
});

/// Vocabularies with one of these use "</s>" as text like any other.
constexpr std::array kPlainEndOfSentence = std::to_array<std::string_view>({"<|tool_response>", "<|plamo:eos|>"});

/// The bytes that a token adds to a text.
void appendBytes(Vocabulary::Model model, TokenType type, std::string_view spelling, std::string& bytes) {
    switch (type) {
    case TokenType::undefined:
    case TokenType::unused:
        return;
    case TokenType::byte:
        bytes.push_back(static_cast<char>(byteOfSpelling(spelling).value_or(0)));
        return;
    case TokenType::unknown:
    case TokenType::control:
    case TokenType::userDefined:
        bytes.append(spelling);
        return;
    case TokenType::normal:
        break;
    }
    if (model == Vocabulary::Model::bpe) {
        if (!ByteAlphabet::get().decode(spelling, bytes)) {
            bytes.append(spelling);
        }
        return;
    }
    while (!spelling.empty()) {
        const std::size_t space = std::min(spelling.find(kSpmSpace), spelling.size());
        bytes.append(spelling.substr(0, space));
        spelling.remove_prefix(space);
        if (!spelling.empty()) {
            bytes.push_back(' ');
            spelling.remove_prefix(kSpmSpace.size());
        }
    }
}

} // namespace

Result<TokenTables> TokenTables::build(const Vocabulary& vocabulary) {
    TokenTables tables;
    const std::size_t count = vocabulary.texts.size();
    const std::size_t total = std::accumulate(vocabulary.texts.begin(), vocabulary.texts.end(), std::size_t{0},
                                              [](std::size_t sum, std::string_view text) { return sum + text.size(); });
    tables.m_types = vocabulary.types;
    tables.m_byteTokens.assign(256, -1);
    tables.m_spellings.reserve(count, total);
    for (const std::string_view text : vocabulary.texts) {
        tables.m_spellings.add(text);
    }
    tables.m_index.reset(count);
    for (std::size_t id = 0; id < count; ++id) {
        const std::string_view text = vocabulary.texts[id];
        if (text.empty()) { // a gap in the numbering, which nothing can spell
            continue;
        }
        switch (tables.m_index.insert(tables.m_spellings, static_cast<std::uint32_t>(id))) {
        case TextIndex::Insert::added:
            break;
        case TextIndex::Insert::present:
            return fail(ErrorCode::malformed,
                        fmt::format("The vocabulary contradicts itself: tokens {} and {} are "
                                    "both spelled \"{}\".",
                                    *tables.m_index.find(tables.m_spellings, text), id, visible(text, 40)));
        case TextIndex::Insert::full:
            return fail(ErrorCode::malformed, "The vocabulary cannot be indexed: too many spellings collide.");
        }
        if (tables.m_types[id] == TokenType::byte) {
            tables.m_byteTokens[*byteOfSpelling(text)] = static_cast<TokenId>(id);
        }
    }
    tables.markEnds(vocabulary);

    tables.m_bytes.reserve(count, total);
    std::string bytes;
    for (std::size_t id = 0; id < count; ++id) {
        bytes.clear();
        const TokenType type = tables.m_types[id];
        const std::string_view text = vocabulary.texts[id];
        appendBytes(vocabulary.model, type, text, bytes);
        tables.m_bytes.add(bytes);
        if (type != TokenType::control && type != TokenType::unknown && type != TokenType::userDefined) {
            continue;
        }
        const auto kind =
            type == TokenType::userDefined ? SpecialTokens::Kind::always : SpecialTokens::Kind::whenParsed;
        if (!tables.m_special.add(text, static_cast<TokenId>(id), kind)) {
            return fail(ErrorCode::malformed, "The vocabulary has too many control and user-defined tokens.");
        }
    }
    return tables;
}

void TokenTables::markEnds(const Vocabulary& vocabulary) {
    m_endsGeneration.assign(m_types.size(), false);
    for (const auto& id : {vocabulary.eos, vocabulary.eot, vocabulary.eom}) {
        if (id) {
            m_endsGeneration[static_cast<std::size_t>(*id)] = true;
        }
    }
    const bool plainEndOfSentence = std::ranges::any_of(
        kPlainEndOfSentence, [&](std::string_view spelling) { return spelled(spelling).has_value(); });
    for (const std::string_view spelling : kEnds) {
        if (plainEndOfSentence && spelling == "</s>") {
            continue;
        }
        if (const auto id = spelled(spelling)) {
            m_endsGeneration[static_cast<std::size_t>(*id)] = true;
            m_types[static_cast<std::size_t>(*id)] = TokenType::control; // some files say otherwise: a known mistake
        }
    }
    // In this dialogue form "end" closes one message of several in an answer.
    const auto end = spelled("<|end|>");
    const bool calls = spelled("<|call|>") || spelled("<|calls|>");
    if (end && calls && (spelled("<|return|>") || spelled("<|flush|>"))) {
        m_endsGeneration[static_cast<std::size_t>(*end)] = false;
    }
}

std::string_view TokenTables::bytes(TokenId id, bool showControl) const noexcept {
    if (!has(id)) {
        return {};
    }
    const bool hidden = type(id) == TokenType::control || type(id) == TokenType::unknown;
    return hidden && !showControl ? std::string_view{} : m_bytes[static_cast<std::size_t>(id)];
}

std::optional<TokenId> TokenTables::spelled(std::string_view text) const noexcept {
    const auto index = m_index.find(m_spellings, text);
    return index ? std::optional{static_cast<TokenId>(*index)} : std::nullopt;
}

std::optional<TokenId> TokenTables::ofText(std::string_view spelling, std::uint64_t hash) const noexcept {
    const auto index = m_index.find(m_spellings, spelling, hash);
    const auto id = index ? static_cast<TokenId>(*index) : -1;
    return index && isText(id) ? std::optional{id} : std::nullopt;
}

std::optional<TokenId> TokenTables::ofByte(std::uint8_t byte) const noexcept {
    return m_byteTokens[byte] >= 0 ? std::optional{m_byteTokens[byte]} : std::nullopt;
}

} // namespace decodescope::engine
