#include "engine/tokenizer/pre_tokenizer.h"

#include <algorithm>
#include <array>

namespace decodescope::engine {

namespace {

constexpr std::array<PieceScanner, 1> kGpt2Passes{scanGpt2};
constexpr std::array<PieceScanner, 2> kSingleNumberPasses{scanSingleNumbers, scanGpt2};
constexpr std::array<PieceScanner, 1> kLlama3Passes{scanLlama3};
constexpr std::array<PieceScanner, 1> kQwen2Passes{scanQwen2};
constexpr std::array<PieceScanner, 1> kTekkenPasses{scanTekken};
constexpr std::array<PieceScanner, 1> kGpt4oPasses{scanGpt4o};
constexpr std::array<PieceScanner, 4> kDefaultPasses{scanPunctuationRuns, scanGpt2, scanNumberRuns, scanDigitTriples};

constexpr PreTokenizer kGpt2{kGpt2Passes, false, false};
constexpr PreTokenizer kSingleNumbers{kSingleNumberPasses, false, false};
constexpr PreTokenizer kLlama3{kLlama3Passes, true, true};
constexpr PreTokenizer kLlama3Merging{kLlama3Passes, false, false};
constexpr PreTokenizer kQwen2{kQwen2Passes, false, false};
constexpr PreTokenizer kTekken{kTekkenPasses, true, true};
constexpr PreTokenizer kGpt4o{kGpt4oPasses, false, false};
constexpr PreTokenizer kDefault{kDefaultPasses, false, false};

struct Named {
    std::string_view name;
    const PreTokenizer* rule;
};

constexpr Named kNames[] = {
    {"", &kDefault},
    {"default", &kDefault},
    {"gpt-2", &kGpt2},
    {"phi-2", &kGpt2},
    {"mpt", &kGpt2},
    {"olmo", &kGpt2},
    {"jais", &kGpt2},
    {"trillion", &kGpt2},
    {"exaone4", &kGpt2},
    {"gigachat", &kGpt2},
    {"mellum", &kGpt2},
    {"a.x-4.0", &kGpt2},
    {"granite-docling", &kGpt2},
    {"smollm", &kSingleNumbers},
    {"starcoder", &kSingleNumbers},
    {"refact", &kSingleNumbers},
    {"command-r", &kSingleNumbers},
    {"codeshell", &kSingleNumbers},
    {"exaone", &kSingleNumbers},
    {"minerva-7b", &kSingleNumbers},
    {"mellum2", &kSingleNumbers},
    {"llama3", &kLlama3},
    {"llama-v3", &kLlama3},
    {"llama-bpe", &kLlama3},
    {"falcon3", &kLlama3},
    {"falcon-h1", &kLlama3},
    {"pixtral", &kLlama3},
    {"midm-2.0", &kLlama3},
    {"lfm2", &kLlama3},
    {"dbrx", &kLlama3Merging},
    {"smaug-bpe", &kLlama3Merging},
    {"qwen2", &kQwen2},
    {"deepseek-r1-qwen", &kQwen2},
    {"stablelm2", &kQwen2},
    {"megrez", &kQwen2},
    {"kormo", &kQwen2},
    {"hunyuan", &kQwen2},
    {"grok-2", &kQwen2},
    {"tekken", &kTekken},
    {"gpt-4o", &kGpt4o},
    {"llama4", &kGpt4o},
    {"kanana2", &kGpt4o},
};

} // namespace

const PreTokenizer* PreTokenizer::named(std::string_view name) noexcept {
    const auto* found = std::ranges::find(kNames, name, &Named::name);
    return found == std::end(kNames) ? nullptr : found->rule;
}

void PreTokenizer::split(std::string_view text, std::vector<CharClass>& classes,
                         std::vector<std::uint32_t>& ends) const {
    classify(text, classes);
    ends.clear();
    if (text.empty()) {
        return;
    }
    ends.push_back(static_cast<std::uint32_t>(text.size()));
    std::vector<std::uint32_t> coarse;
    for (const PieceScanner scanner : m_passes) {
        coarse.swap(ends);
        ends.clear();
        std::size_t at = 0;
        for (const std::uint32_t end : coarse) {
            const ScannedText piece{text.data(), classes.data(), end};
            while (at < end) {
                at = scanner(piece, at);
                ends.push_back(static_cast<std::uint32_t>(at));
            }
        }
    }
}

} // namespace decodescope::engine
