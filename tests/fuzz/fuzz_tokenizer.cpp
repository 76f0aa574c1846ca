// Vocabularies and texts: a vocabulary that is accepted gives ids in range for any text, and gives the text back
// where it covers all bytes.
#include "engine/gguf/gguf_file.h"
#include "engine/tokenizer/tokenizer.h"
#include "engine/tokenizer/utf8.h"
#include "tests/engine/support/gguf_writer.h"
#include "tests/engine/support/memory_file.h"
#include "tests/engine/support/tiny_vocabulary.h"
#include "tests/fuzz/expect.h"

#include <array>
#include <fuzzer/FuzzedDataProvider.h>
#include <memory>

using namespace decodescope::engine;
using namespace decodescope::engine::test;

namespace {

constexpr std::array<const char*, 12> kPre{"gpt-2",  "smollm",    "llama-bpe", "qwen2",  "default", "tekken",
                                           "gpt-4o", "starcoder", "falcon",    "qwen35", "dbrx",    "command-r"};
constexpr std::array<std::int32_t, 9> kKinds{0, 1, 2, 3, 4, 5, 6, 7, -1};

/// A whole vocabulary, more or less changed. `whole` tells whether it still covers all bytes.
TinyVocabulary madeVocabulary(FuzzedDataProvider& in, bool& whole) {
    TinyVocabulary out = in.ConsumeBool()
                             ? TinyVocabulary::spm({"<s>", "</s>"})
                             : TinyVocabulary::bpe(in.PickValueInArray(kPre), {"<|endoftext|>", "<|im_start|>"});
    out.addSpacePrefix = in.ConsumeBool();
    out.addBos = in.ConsumeBool();
    const int changes = in.ConsumeIntegralInRange(0, 6);
    whole = changes == 0;
    for (int i = 0; i < changes; ++i) {
        const auto token = in.ConsumeIntegralInRange<std::size_t>(0, out.tokens.size() - 1);
        switch (in.ConsumeIntegralInRange(0, 6)) {
        case 0:
            out.tokens[token] = in.ConsumeRandomLengthString(10);
            break;
        case 1:
            out.kinds[token] = static_cast<TokenKind>(in.PickValueInArray(kKinds));
            break;
        case 2:
            if (!out.scores.empty())
                out.scores[token] = in.ConsumeFloatingPoint<float>();
            break;
        case 3:
            out.merges.push_back(in.ConsumeRandomLengthString(10));
            break;
        case 4:
            out.bos = in.ConsumeIntegral<std::int32_t>();
            break;
        case 5:
            out.eos = in.ConsumeIntegral<std::int32_t>();
            break;
        default: {
            out.tokens.push_back(in.ConsumeRandomLengthString(10));
            out.kinds.push_back(static_cast<TokenKind>(in.PickValueInArray(kKinds)));
            if (out.family == TokenizerFamily::spm)
                out.scores.push_back(in.ConsumeFloatingPoint<float>());
        }
        }
    }
    return out;
}

void expectInRange(const std::vector<TokenId>& ids, const Tokenizer& tokenizer) {
    for (const TokenId id : ids)
        expect(id >= 0 && id < tokenizer.size(), "ids of the vocabulary");
}

void use(const Tokenizer& tokenizer, const TinyVocabulary& vocabulary, const std::string& text, bool whole) {
    const std::vector<TokenId> plain = tokenizer.encode(text, SpecialText::asText, false);
    expectInRange(plain, tokenizer);
    expectInRange(tokenizer.encode(text, SpecialText::parse, true), tokenizer);
    StreamDetokenizer stream(tokenizer, false);
    std::string streamed;
    for (const TokenId id : plain)
        streamed += stream.push(id);
    streamed += stream.finish();
    if (!whole)
        return;
    for (const TokenId id : plain)
        expect(!tokenizer.isControl(id), "what a user wrote is no control token", text);
    const std::string decoded = tokenizer.decode(plain);
    if (wellFormedPrefix(text) != text.size())
        return; // ill-formed bytes become U+FFFD on their way in
    if (vocabulary.family == TokenizerFamily::bpe)
        expect(decoded == text, "byte-level BPE gives the text back", decoded);
    expect(streamed == decoded, "streamed as decoded", streamed);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static MemoryFile file("");
    FuzzedDataProvider in(data, size);
    bool whole = false;
    const TinyVocabulary vocabulary = madeVocabulary(in, whole);
    GgufWriter writer;
    vocabulary.write(writer);
    file.put(writer.bytes());
    const auto opened = GgufFile::open(file.path());
    expect(opened.has_value(), "the file is well-formed");
    const auto tokenizer = Tokenizer::fromGguf(**opened);
    if (!tokenizer)
        expectSentence(tokenizer.error().message);
    else
        use(**tokenizer, vocabulary, in.ConsumeRemainingBytesAsString(), whole);
    return 0;
}
