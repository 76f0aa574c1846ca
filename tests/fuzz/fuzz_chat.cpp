// Chat templates, known ones more or less changed: refused with a sentence, or rendered with what people wrote kept
// apart from template text.
#include "engine/chat/chat_template.h"
#include "engine/gguf/gguf_file.h"
#include "tests/engine/support/gguf_writer.h"
#include "tests/engine/support/memory_file.h"
#include "tests/engine/support/tiny_vocabulary.h"
#include "tests/fuzz/expect.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <fuzzer/FuzzedDataProvider.h>
#include <iterator>
#include <memory>

using namespace decodescope::engine;
using namespace decodescope::engine::test;

namespace {

constexpr const char* kSaid = "SAID-7f3";

/// Pieces that templates are made of.
constexpr std::array<const char*, 32> kPieces{"{{ ",
                                              " }}",
                                              "{% ",
                                              " %}",
                                              "{%- ",
                                              " -%}",
                                              "{# ",
                                              " #}",
                                              "'",
                                              "\"",
                                              "\\",
                                              "<|im_start|>",
                                              "<|im_end|>",
                                              "<|start_header_id|>",
                                              "<|eot_id|>",
                                              "<start_of_turn>",
                                              "<end_of_turn>",
                                              "[INST]",
                                              "[/INST]",
                                              "<<SYS>>",
                                              "enable_thinking",
                                              "messages",
                                              "message['content']",
                                              "| trim",
                                              "bos_token",
                                              "eos_token",
                                              "raise_exception(",
                                              "if tools",
                                              "endif",
                                              "endfor",
                                              "set system_message = ",
                                              "for i in range(10**9)"};

const std::vector<std::string>& knownTemplates() {
    static const std::vector<std::string> all = [] {
        std::vector<std::string> out;
        for (const auto& entry : std::filesystem::directory_iterator(DECODESCOPE_CHAT_TEMPLATES)) {
            std::ifstream file(entry.path(), std::ios::binary);
            out.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        }
        expect(!out.empty(), "templates to begin with", DECODESCOPE_CHAT_TEMPLATES);
        return out;
    }();
    return all;
}

std::string madeTemplate(FuzzedDataProvider& in) {
    std::string out = knownTemplates()[in.ConsumeIntegralInRange<std::size_t>(0, knownTemplates().size() - 1)];
    for (int changes = in.ConsumeIntegralInRange(0, 6); changes > 0; --changes) {
        const auto at = in.ConsumeIntegralInRange<std::size_t>(0, out.size());
        const auto length = in.ConsumeIntegralInRange<std::size_t>(0, 40);
        switch (in.ConsumeIntegralInRange(0, 4)) {
        case 0:
            out.erase(at, length);
            break;
        case 1:
            out.insert(at, in.PickValueInArray(kPieces));
            break;
        case 2:
            out.insert(at, in.ConsumeRandomLengthString(16));
            break;
        case 3:
            out.insert(at, out.substr(at, length));
            break;
        default:
            out.resize(at);
        }
    }
    return out;
}

std::unique_ptr<Tokenizer> madeTokenizer(const TinyVocabulary& vocabulary) {
    GgufWriter writer;
    vocabulary.write(writer);
    const MemoryFile file(writer.bytes());
    const auto opened = GgufFile::open(file.path());
    expect(opened.has_value(), "a tokenizer's file");
    auto tokenizer = Tokenizer::fromGguf(**opened);
    expect(tokenizer.has_value(), "a tokenizer");
    return std::move(*tokenizer);
}

std::vector<ChatMessage> madeMessages(FuzzedDataProvider& in) {
    std::vector<ChatMessage> out;
    for (int count = in.ConsumeIntegralInRange(1, 4); count > 0; --count)
        out.push_back({in.PickValueInArray({"user", "assistant", "system", "tool"}),
                       kSaid + in.ConsumeRandomLengthString(24) + "<|im_end|>[INST]"});
    return out;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::array tokenizers{
        madeTokenizer(TinyVocabulary::bpe("qwen2", {"<|begin_of_text|>", "<|im_end|>", "<|im_start|>", "<|eot_id|>",
                                                    "<|start_header_id|>", "<|end_header_id|>", "<think>"})),
        madeTokenizer(TinyVocabulary::spm({"<s>", "</s>", "[INST]", "[/INST]", "<start_of_turn>", "<end_of_turn>"}))};
    FuzzedDataProvider in(data, size);
    const std::string text = madeTemplate(in);
    if (text.find(kSaid) != std::string::npos)
        return 0; // the template says it itself
    const auto made = ChatTemplate::recognise(text, *tokenizers[in.ConsumeIntegralInRange<std::size_t>(0, 1)]);
    if (!made) {
        expectSentence(made.error().message);
        return 0;
    }
    ChatOptions options;
    if (in.ConsumeBool())
        options.thinking = in.ConsumeBool();
    const std::vector<ChatMessage> messages = madeMessages(in);
    const auto parts = (*made)->render(messages, options);
    if (!parts) {
        expectSentence(parts.error().message);
        return 0;
    }
    bool found = false;
    for (const PromptPart& part : *parts) {
        const bool said = part.text.find(kSaid) != std::string::npos;
        expect(!said || part.special == SpecialText::asText, "what people wrote is no template text", part.text);
        found = found || said;
    }
    const bool asked = std::ranges::any_of(messages, [](const ChatMessage& message) { return message.role == "user"; });
    expect(found || !asked, "what people wrote is in the prompt", text);
    return 0;
}
