#include "engine/tokenizer/bpe_tokenizer.h"

#include "engine/tokenizer/byte_alphabet.h"
#include "engine/tokenizer/merging.h"
#include "engine/tokenizer/utf8.h"

#include <fmt/format.h>

#include <algorithm>

namespace decodescope::engine {

namespace {

std::string kindOf(const Vocabulary& vocabulary) {
    return "bpe, pre-tokenizer " +
           (vocabulary.preTokenizer.empty() ? "default (the file names none)" : vocabulary.preTokenizer);
}

} // namespace

Result<std::unique_ptr<Tokenizer>> BpeTokenizer::make(const Vocabulary& vocabulary) {
    const PreTokenizer* preTokenizer = PreTokenizer::named(vocabulary.preTokenizer);
    if (preTokenizer == nullptr) {
        return fail(ErrorCode::unsupported,
                    fmt::format("The pre-tokenizer \"{}\" is not supported.", visible(vocabulary.preTokenizer, 60)));
    }
    auto tables = TokenTables::build(vocabulary);
    if (!tables) {
        return tl::unexpected<Error>(std::move(tables.error()));
    }
    std::unique_ptr<BpeTokenizer> tokenizer(new BpeTokenizer(std::move(*tables), vocabulary, *preTokenizer));
    if (auto read = tokenizer->readMerges(vocabulary.merges); !read) {
        return tl::unexpected<Error>(std::move(read.error()));
    }
    return tokenizer;
}

BpeTokenizer::BpeTokenizer(TokenTables tables, const Vocabulary& vocabulary, const PreTokenizer& preTokenizer)
    : TableTokenizer(std::move(tables), vocabulary, kindOf(vocabulary))
    , m_preTokenizer(preTokenizer) {
    for (unsigned byte = 0; byte < 256; ++byte) {
        const auto spelling = ByteAlphabet::get().spelling(static_cast<std::uint8_t>(byte));
        m_byteIds[byte] = this->tables().ofText(spelling).value_or(-1);
    }
}

/// In batches, each in three rounds, so that the many places in memory are fetched side by side.
Result<void> BpeTokenizer::readMerges(const std::vector<std::string_view>& merges) {
    struct Pending {
        std::string_view left, right;
        std::uint64_t leftHash = 0, rightHash = 0;
        std::uint32_t rank = 0;
        TokenId leftId = -1, rightId = -1, wholeId = -1;
    };
    constexpr std::size_t kBatch = 64;
    std::vector<Pending> batch;
    batch.reserve(kBatch);
    m_merges.reset(merges.size());
    TokenId guess = 0; // merges mostly come in the order of the tokens that they make
    for (std::size_t begin = 0; begin < merges.size(); begin += kBatch) {
        batch.clear();
        for (std::size_t rank = begin; rank < std::min(begin + kBatch, merges.size()); ++rank) {
            const std::string_view merge = merges[rank];
            const std::size_t space = merge.find(' ', 1); // the first half is not empty and may begin with a space
            if (merge.empty() || space == std::string_view::npos || space + 1 == merge.size()) {
                return fail(ErrorCode::malformed, fmt::format("Merge {} of the vocabulary, \"{}\", is not two symbols "
                                                              "with a space between.",
                                                              rank, visible(merge, 40)));
            }
            Pending next{merge.substr(0, space), merge.substr(space + 1)};
            next.rank = static_cast<std::uint32_t>(rank);
            next.leftHash = tables().hash(next.left);
            next.rightHash = tables().hash(next.right);
            tables().prefetch(next.leftHash);
            tables().prefetch(next.rightHash);
            batch.push_back(next);
        }
        for (Pending& merge : batch) {
            merge.leftId = tables().ofText(merge.left, merge.leftHash).value_or(-1);
            merge.rightId = tables().ofText(merge.right, merge.rightHash).value_or(-1);
            merge.wholeId = wholeOf(merge.left, merge.right, guess);
            guess = merge.wholeId + 1;
            m_merges.prefetch(static_cast<std::uint32_t>(merge.leftId), static_cast<std::uint32_t>(merge.rightId));
        }
        for (const Pending& merge : batch) {
            // Some files were cut to fewer tokens and kept all merges: what is no token cannot be merged into.
            if (merge.leftId >= 0 && merge.rightId >= 0 && merge.wholeId >= 0) {
                m_merges.insert(static_cast<std::uint32_t>(merge.leftId), static_cast<std::uint32_t>(merge.rightId),
                                {merge.rank, static_cast<std::uint32_t>(merge.wholeId)});
            }
        }
    }
    return {};
}

/// The token that both halves make together, looked for first at `guess`; -1: there is none.
TokenId BpeTokenizer::wholeOf(std::string_view left, std::string_view right, TokenId guess) const {
    if (tables().has(guess) && tables().isText(guess)) {
        const std::string_view guessed = tables().spelling(guess);
        if (guessed.size() == left.size() + right.size() && guessed.starts_with(left) && guessed.ends_with(right)) {
            return guess;
        }
    }
    return tables().ofText(std::string(left).append(right)).value_or(-1);
}

void BpeTokenizer::encodeText(std::string_view text, TextStart, std::vector<TokenId>& ids) const {
    std::string repaired;
    if (wellFormedPrefix(text) != text.size()) {
        repaired = replaceIllFormedBytes(text);
        text = repaired;
    }
    std::vector<CharClass> classes;
    std::vector<std::uint32_t> ends;
    m_preTokenizer.split(text, classes, ends);

    const auto lookUp = [&](const Symbol& left, const Symbol& right) -> Merge {
        if (left.id < 0 || right.id < 0) {
            return {};
        }
        const PairMap::Value* found =
            m_merges.find(static_cast<std::uint32_t>(left.id), static_cast<std::uint32_t>(right.id));
        return found == nullptr ? Merge{} : Merge{found->first, static_cast<TokenId>(found->second)};
    };
    SymbolMerger merger;
    std::vector<Symbol> symbols;
    std::string spelling;
    std::uint32_t begin = 0;
    for (const std::uint32_t end : ends) {
        if (m_preTokenizer.ignoresMerges()) {
            spelling.clear();
            for (std::uint32_t at = begin; at < end; ++at) {
                spelling += ByteAlphabet::get().spelling(static_cast<std::uint8_t>(text[at]));
            }
            if (const auto whole = tables().ofText(spelling)) {
                ids.push_back(*whole);
                begin = end;
                continue;
            }
        }
        symbols.clear();
        for (std::uint32_t at = begin; at < end; ++at) {
            symbols.push_back({at, at + 1, m_byteIds[static_cast<unsigned char>(text[at])]});
        }
        merger.merge(symbols, lookUp);
        for (const Symbol& symbol : symbols) {
            if (symbol.id >= 0) {
                ids.push_back(symbol.id);
            }
        }
        begin = end;
    }
}

} // namespace decodescope::engine
