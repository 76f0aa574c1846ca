#include "engine/tokenizer/vocabulary.h"

#include "engine/gguf/gguf_file.h"
#include "engine/tokenizer/pre_tokenizer.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace decodescope::engine {

namespace {

constexpr std::size_t kMaxTokens = 4'000'000;
constexpr std::size_t kMaxTokenBytes = 65'535;
constexpr std::size_t kMaxTextBytes = std::size_t{1} << 30; ///< of all spellings together
constexpr std::size_t kMaxMerges = 16'000'000;

tl::unexpected<Error> contradiction(std::string message) {
    return fail(ErrorCode::malformed, "The vocabulary contradicts itself: " + std::move(message));
}

Result<Vocabulary::Model> readModel(const GgufFile& file) {
    const auto name = file.text("tokenizer.ggml.model");
    if (!name) {
        return fail(ErrorCode::malformed, "The file names no tokenizer: tokenizer.ggml.model is absent or no text.");
    }
    if (*name == "llama") {
        return Vocabulary::Model::spm;
    }
    if (*name == "gpt2") {
        return Vocabulary::Model::bpe;
    }
    return fail(ErrorCode::unsupported, fmt::format("The tokenizer \"{}\" is not supported; supported are \"llama\" "
                                                    "(SentencePiece) and \"gpt2\" (byte-level BPE).",
                                                    visible(*name, 60)));
}

/// The id under a key; absent is fine, anything but a token of the vocabulary is not.
Result<std::optional<TokenId>> readId(const GgufFile& file, std::string_view key, std::size_t tokens) {
    if (!file.has(key)) {
        return std::optional<TokenId>{};
    }
    const auto id = file.unsignedInteger(key);
    if (!id || *id >= tokens) {
        return contradiction(fmt::format("{} is not one of its {} tokens.", key, tokens));
    }
    return std::optional<TokenId>{static_cast<TokenId>(*id)};
}

Result<void> readTypes(const GgufFile& file, Vocabulary& vocabulary) {
    constexpr std::string_view kKey = "tokenizer.ggml.token_type";
    vocabulary.types.assign(vocabulary.texts.size(), TokenType::normal);
    if (!file.has(kKey)) {
        return {};
    }
    const auto types = file.integers(kKey);
    if (!types || types->size() != vocabulary.texts.size()) {
        return contradiction(
            fmt::format("{} is not one whole number for each of the {} tokens.", kKey, vocabulary.texts.size()));
    }
    for (std::size_t id = 0; id < types->size(); ++id) {
        const std::int64_t type = (*types)[id];
        if (type < 0 || type > static_cast<std::int64_t>(TokenType::byte)) {
            return contradiction(fmt::format("token {} has the type {}, which has no meaning.", id, type));
        }
        vocabulary.types[id] = static_cast<TokenType>(type);
    }
    return {};
}

Result<void> readScores(const GgufFile& file, Vocabulary& vocabulary) {
    constexpr std::string_view kKey = "tokenizer.ggml.scores";
    if (!file.has(kKey)) {
        if (vocabulary.model == Vocabulary::Model::spm) {
            return fail(ErrorCode::malformed, "The vocabulary has no scores: tokenizer.ggml.scores is absent.");
        }
        return {};
    }
    auto scores = file.reals(kKey);
    if (!scores || scores->size() != vocabulary.texts.size()) {
        return contradiction(
            fmt::format("{} is not one number (f32) for each of the {} tokens.", kKey, vocabulary.texts.size()));
    }
    if (vocabulary.model == Vocabulary::Model::spm) {
        vocabulary.scores = std::move(*scores);
    }
    return {};
}

Result<void> readSpecialIds(const GgufFile& file, Vocabulary& vocabulary) {
    const std::array<std::pair<std::string_view, std::optional<TokenId>*>, 5> keys{{
        {"tokenizer.ggml.bos_token_id", &vocabulary.bos},
        {"tokenizer.ggml.eos_token_id", &vocabulary.eos},
        {"tokenizer.ggml.eot_token_id", &vocabulary.eot},
        {"tokenizer.ggml.eom_token_id", &vocabulary.eom},
        {"tokenizer.ggml.unknown_token_id", &vocabulary.unknown},
    }};
    if (vocabulary.model == Vocabulary::Model::spm && vocabulary.texts.size() > 2) {
        vocabulary.unknown = 0; // SentencePiece's own numbers, for files that do not tell
        vocabulary.bos = 1;
        vocabulary.eos = 2;
    }
    for (const auto& [key, target] : keys) {
        auto id = readId(file, key, vocabulary.texts.size());
        if (!id) {
            return tl::unexpected<Error>(std::move(id.error()));
        }
        if (*id) {
            *target = *id;
        }
    }
    return {};
}

Result<void> readFlag(const GgufFile& file, std::string_view key, bool& target) {
    if (!file.has(key)) {
        return {};
    }
    const auto flag = file.flag(key);
    if (!flag) {
        return fail(ErrorCode::malformed, fmt::format("{} is not true or false.", key));
    }
    target = *flag;
    return {};
}

Result<void> readMerges(const GgufFile& file, Vocabulary& vocabulary) {
    auto merges = file.texts("tokenizer.ggml.merges");
    if (!merges) {
        return fail(ErrorCode::malformed,
                    "The vocabulary has no merges: tokenizer.ggml.merges is absent or no list of texts.");
    }
    vocabulary.merges = std::move(*merges);
    return {};
}

Result<void> readPreTokenizer(const GgufFile& file, Vocabulary& vocabulary) {
    constexpr std::string_view kKey = "tokenizer.ggml.pre";
    if (file.has(kKey)) {
        const auto name = file.text(kKey);
        if (!name) {
            return fail(ErrorCode::malformed, fmt::format("{} is no text.", kKey));
        }
        vocabulary.preTokenizer = *name;
    }
    const PreTokenizer* rule = PreTokenizer::named(vocabulary.preTokenizer);
    if (rule == nullptr) {
        return fail(ErrorCode::unsupported,
                    fmt::format("The pre-tokenizer \"{}\" is not supported.", visible(vocabulary.preTokenizer, 60)));
    }
    vocabulary.addBos = rule->addsBos();
    return {};
}

} // namespace

std::optional<std::uint8_t> byteOfSpelling(std::string_view spelling) noexcept {
    const auto digit = [](char c) -> int {
        return c >= '0' && c <= '9'   ? c - '0'
               : c >= 'A' && c <= 'F' ? c - 'A' + 10
               : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                      : -1;
    };
    if (spelling.size() != 6 || !spelling.starts_with("<0x") || spelling[5] != '>') {
        return std::nullopt;
    }
    const int high = digit(spelling[3]);
    const int low = digit(spelling[4]);
    if (high < 0 || low < 0) {
        return std::nullopt;
    }
    return static_cast<std::uint8_t>(high * 16 + low);
}

Result<void> checkVocabulary(const Vocabulary& vocabulary) {
    const std::size_t tokens = vocabulary.texts.size();
    if (tokens == 0) {
        return fail(ErrorCode::malformed, "The vocabulary is empty.");
    }
    if (tokens > kMaxTokens || vocabulary.merges.size() > kMaxMerges) {
        return fail(ErrorCode::malformed, fmt::format("The vocabulary has {} tokens and {} merges; at most {} and {} "
                                                      "are allowed.",
                                                      tokens, vocabulary.merges.size(), kMaxTokens, kMaxMerges));
    }
    if (vocabulary.types.size() != tokens) {
        return contradiction(fmt::format("{} tokens have {} types.", tokens, vocabulary.types.size()));
    }
    if (vocabulary.model == Vocabulary::Model::spm && vocabulary.scores.size() != tokens) {
        return contradiction(fmt::format("{} tokens have {} scores.", tokens, vocabulary.scores.size()));
    }
    std::size_t textBytes = 0;
    for (std::size_t id = 0; id < tokens; ++id) {
        textBytes += vocabulary.texts[id].size();
        if (vocabulary.texts[id].size() > kMaxTokenBytes) {
            return fail(ErrorCode::malformed, fmt::format("Token {} is {} bytes long; at most {} are allowed.", id,
                                                          vocabulary.texts[id].size(), kMaxTokenBytes));
        }
        if (vocabulary.types[id] == TokenType::byte && !byteOfSpelling(vocabulary.texts[id])) {
            return contradiction(fmt::format("token {} is a byte but is spelled \"{}\", not <0xHH>.", id,
                                             visible(vocabulary.texts[id], 40)));
        }
        if (!vocabulary.scores.empty() && std::isnan(vocabulary.scores[id])) {
            return contradiction(fmt::format("the score of token {} is no number.", id));
        }
    }
    if (textBytes > kMaxTextBytes) {
        return fail(ErrorCode::malformed, fmt::format("The vocabulary holds {} bytes of text; at most {} are allowed.",
                                                      textBytes, kMaxTextBytes));
    }
    for (const auto& id : {vocabulary.bos, vocabulary.eos, vocabulary.eot, vocabulary.eom, vocabulary.unknown}) {
        if (id && (*id < 0 || static_cast<std::size_t>(*id) >= tokens)) {
            return contradiction(fmt::format("it names token {} of {}.", *id, tokens));
        }
    }
    return {};
}

Result<Vocabulary> readVocabulary(const GgufFile& file) {
    const auto model = readModel(file);
    if (!model) {
        return tl::unexpected<Error>(model.error());
    }
    Vocabulary vocabulary;
    vocabulary.model = *model;
    auto texts = file.texts("tokenizer.ggml.tokens");
    if (!texts) {
        return fail(ErrorCode::malformed,
                    "The file has no vocabulary: tokenizer.ggml.tokens is absent or no list of texts.");
    }
    vocabulary.texts = std::move(*texts);
    const bool isSpm = *model == Vocabulary::Model::spm;
    vocabulary.addBos = isSpm;
    vocabulary.addSpacePrefix = isSpm;
    Result<void> step = readTypes(file, vocabulary);
    step = step.and_then([&] { return readScores(file, vocabulary); });
    step = step.and_then([&] { return readSpecialIds(file, vocabulary); });
    if (!isSpm) {
        step = step.and_then([&] { return readPreTokenizer(file, vocabulary); });
        step = step.and_then([&] { return readMerges(file, vocabulary); });
    } else {
        step =
            step.and_then([&] { return readFlag(file, "tokenizer.ggml.add_space_prefix", vocabulary.addSpacePrefix); });
    }
    step = step.and_then([&] { return readFlag(file, "tokenizer.ggml.add_bos_token", vocabulary.addBos); });
    step = step.and_then([&] { return readFlag(file, "tokenizer.ggml.add_eos_token", vocabulary.addEos); });
    if (!step) {
        return tl::unexpected<Error>(std::move(step.error()));
    }
    return vocabulary;
}

} // namespace decodescope::engine
