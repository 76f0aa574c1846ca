#include "engine/tokenizer/spm_tokenizer.h"

#include "engine/tokenizer/utf8.h"

#include <bit>

namespace decodescope::engine {

namespace {

constexpr std::string_view kSpace = "\xE2\x96\x81"; // U+2581

/// Orders scores as whole numbers, the highest first.
std::uint32_t rankOf(float score) {
    const auto bits = std::bit_cast<std::uint32_t>(score == 0.0F ? 0.0F : score); // one zero
    const std::uint32_t ascending = (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
    return ~ascending - 1; // never Merge::kNoMerge; no score reaches the other end, that would be a NaN
}

std::string escapeSpaces(std::string_view text, bool prefix) {
    std::string escaped;
    escaped.reserve(text.size() + text.size() / 2 + kSpace.size());
    if (prefix) {
        escaped += kSpace;
    }
    for (const char character : text) {
        if (character == ' ') {
            escaped += kSpace;
        } else {
            escaped.push_back(character);
        }
    }
    return escaped;
}

} // namespace

Result<std::unique_ptr<Tokenizer>> SpmTokenizer::make(const Vocabulary& vocabulary) {
    auto tables = TokenTables::build(vocabulary);
    if (!tables) {
        return tl::unexpected<Error>(std::move(tables.error()));
    }
    return std::unique_ptr<Tokenizer>(new SpmTokenizer(std::move(*tables), vocabulary));
}

SpmTokenizer::SpmTokenizer(TokenTables tables, const Vocabulary& vocabulary)
    : TableTokenizer(std::move(tables), vocabulary, "spm")
    , m_addSpacePrefix(vocabulary.addSpacePrefix)
    , m_unknown(vocabulary.unknown) {
    m_ranks.reserve(vocabulary.scores.size());
    for (const float score : vocabulary.scores) {
        m_ranks.push_back(rankOf(score));
    }
    for (const std::string_view text : vocabulary.texts) {
        m_longest = std::max(m_longest, text.size());
        for (std::size_t at = text.find(kSpace, 1); at != std::string_view::npos; at = text.find(kSpace, at + 1)) {
            if (!text.substr(0, at).ends_with(kSpace)) {
                m_joinsSpace.set(static_cast<unsigned char>(text[at - 1]));
            }
        }
    }
}

void SpmTokenizer::encodeText(std::string_view text, TextStart start, std::vector<TokenId>& ids) const {
    const std::string escaped = escapeSpaces(text, m_addSpacePrefix && start == TextStart::afterSpecial);
    const std::string_view all = escaped;
    std::vector<Symbol> symbols;
    SymbolMerger merger;
    bool afterSpace = true;
    for (std::size_t at = 0; at < all.size();) {
        const std::size_t length = std::min(announcedLength(all[at]), all.size() - at);
        const bool isSpace = all.substr(at, length) == kSpace;
        if (isSpace && !afterSpace && !m_joinsSpace[static_cast<unsigned char>(all[at - 1])]) {
            encodeWord(all, symbols, merger, ids);
        }
        symbols.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + length), -1});
        afterSpace = isSpace;
        at += length;
    }
    encodeWord(all, symbols, merger, ids);
}

/// Leaves `symbols` empty.
void SpmTokenizer::encodeWord(std::string_view text, std::vector<Symbol>& symbols, SymbolMerger& merger,
                              std::vector<TokenId>& ids) const {
    const auto textOf = [&](const Symbol& symbol) { return text.substr(symbol.begin, symbol.end - symbol.begin); };
    merger.merge(symbols, [&](const Symbol& left, const Symbol& right) -> Merge {
        const std::size_t length = right.end - left.begin;
        if (length > m_longest) {
            return {};
        }
        const auto id = tables().ofText(text.substr(left.begin, length));
        return id ? Merge{m_ranks[static_cast<std::size_t>(*id)], *id} : Merge{};
    });
    for (const Symbol& symbol : symbols) {
        const auto whole = symbol.id >= 0 ? std::optional{symbol.id} : tables().ofText(textOf(symbol));
        if (whole) {
            ids.push_back(*whole);
            continue;
        }
        for (const char byte : textOf(symbol)) {
            if (const auto id = tables().ofByte(static_cast<std::uint8_t>(byte)); id || m_unknown) {
                ids.push_back(id ? *id : *m_unknown);
            }
        }
    }
    symbols.clear();
}

} // namespace decodescope::engine
