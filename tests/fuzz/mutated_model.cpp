#include "tests/fuzz/mutated_model.h"

#include "tests/engine/support/hostile_models.h"

#include <array>
#include <cstring>
#include <fuzzer/FuzzedDataProvider.h>
#include <vector>

namespace decodescope::engine::test {

namespace {

constexpr std::array<std::uint64_t, 28> kAwkward{
    0,          1,          2,          3,          4,          5,          8,      9,         12,         13,
    31,         32,         33,         63,         64,         255,        65'535, 65'536,    0x7FFFFFFF, 0x80000000,
    0xFFFFFFFF, 1ULL << 32, 1ULL << 42, 1ULL << 61, 1ULL << 62, 1ULL << 63, ~0ULL,  ~0ULL - 31};

/// Keys that the engine asks files for.
constexpr std::array<const char*, 34> kKeys{"general.architecture",
                                            "general.name",
                                            "general.license",
                                            "general.alignment",
                                            "llama.block_count",
                                            "llama.context_length",
                                            "llama.embedding_length",
                                            "llama.feed_forward_length",
                                            "llama.attention.head_count",
                                            "llama.attention.head_count_kv",
                                            "llama.attention.key_length",
                                            "llama.attention.value_length",
                                            "llama.attention.layer_norm_rms_epsilon",
                                            "llama.rope.dimension_count",
                                            "llama.rope.freq_base",
                                            "llama.rope.scaling.type",
                                            "llama.rope.scaling.factor",
                                            "llama.vocab_size",
                                            "llama.expert_count",
                                            "llama.attention.sliding_window",
                                            "tokenizer.ggml.model",
                                            "tokenizer.ggml.pre",
                                            "tokenizer.ggml.tokens",
                                            "tokenizer.ggml.scores",
                                            "tokenizer.ggml.token_type",
                                            "tokenizer.ggml.merges",
                                            "tokenizer.ggml.bos_token_id",
                                            "tokenizer.ggml.eos_token_id",
                                            "tokenizer.ggml.add_bos_token",
                                            "tokenizer.ggml.add_space_prefix",
                                            "tokenizer.chat_template",
                                            "split.count",
                                            "split.no",
                                            "split.tensors.count"};

const std::vector<GgufWriter>& bases() {
    static const std::vector<GgufWriter> all = [] {
        std::vector<GgufWriter> out{smallestModel(TokenizerFamily::spm).writer(),
                                    smallestModel(TokenizerFamily::bpe).writer()};
        for (const char* const architecture : {"qwen2", "qwen3", "gemma3"}) {
            TinyModel model = TinyModel::of(architecture, TensorType::q8_0);
            model.embedding = model.feedForward = 32;
            model.heads = model.kvHeads = 1;
            model.headSize = 32;
            model.layers = 1;
            model.vocabulary = smallestModel(model.vocabulary.family).vocabulary;
            out.push_back(model.writer());
        }
        return out;
    }();
    return all;
}

void addValue(GgufWriter& writer, FuzzedDataProvider& in, const std::string& key) {
    const auto type = static_cast<ValueType>(in.ConsumeIntegralInRange<std::uint32_t>(0, 12));
    const std::uint64_t number = in.ConsumeBool() ? in.PickValueInArray(kAwkward) : in.ConsumeIntegral<std::uint64_t>();
    if (type == ValueType::string)
        return writer.text(key, in.ConsumeRandomLengthString(64));
    if (type != ValueType::array)
        return writer.value(key, type, rawBytes(number).substr(0, valueBytes(type)));
    const auto element = static_cast<ValueType>(in.ConsumeIntegralInRange<std::uint32_t>(0, 12));
    const auto count = in.ConsumeIntegralInRange<std::uint32_t>(0, 24);
    std::string bytes;
    for (std::uint32_t i = 0; i < count; ++i)
        bytes += element == ValueType::string
                     ? rawText(in.ConsumeRandomLengthString(12))
                     : rawBytes(in.ConsumeIntegral<std::uint64_t>()).substr(0, valueBytes(element));
    writer.array(key, element, count, bytes);
}

void changeContents(GgufWriter& writer, FuzzedDataProvider& in) {
    const std::string key = in.PickValueInArray(kKeys);
    switch (in.ConsumeIntegralInRange(0, 3)) {
    case 0:
        return writer.drop(key);
    case 1:
        writer.drop(key);
        return addValue(writer, in, key);
    case 2:
        return addValue(writer, in, in.ConsumeRandomLengthString(12));
    default:
        return writer.tensor(in.ConsumeRandomLengthString(8), in.ConsumeIntegralInRange(0U, 45U),
                             {in.PickValueInArray(kAwkward), in.PickValueInArray(kAwkward)},
                             in.ConsumeRandomLengthString(64));
    }
}

void changeBytes(std::string& bytes, const std::vector<WrittenField>& fields, FuzzedDataProvider& in) {
    const WrittenField& field = fields[in.ConsumeIntegralInRange<std::size_t>(0, fields.size() - 1)];
    const std::size_t size = std::min<std::size_t>(field.size, 8);
    std::uint64_t value = 0;
    if (field.offset + size > bytes.size())
        return;
    std::memcpy(&value, bytes.data() + field.offset, size);
    switch (in.ConsumeIntegralInRange(0, 5)) {
    case 0:
        value = in.PickValueInArray(kAwkward);
        break;
    case 1:
        value += in.ConsumeIntegralInRange<std::uint64_t>(0, 64) - 32;
        break;
    case 2:
        value = in.ConsumeIntegral<std::uint64_t>();
        break;
    case 3:
        value *= 2;
        break;
    case 4:
        value ^= 1ULL << in.ConsumeIntegralInRange(0, 63);
        break;
    default:
        bytes.resize(in.ConsumeIntegralInRange<std::size_t>(0, bytes.size()));
        return;
    }
    std::memcpy(bytes.data() + field.offset, &value, size);
}

} // namespace

std::string mutatedModel(const std::uint8_t* data, std::size_t size) {
    FuzzedDataProvider in(data, size);
    if (in.ConsumeIntegralInRange(0, 15) == 15)
        return in.ConsumeRemainingBytesAsString();
    GgufWriter writer = bases()[in.ConsumeIntegralInRange<std::size_t>(0, bases().size() - 1)];
    for (int changes = in.ConsumeIntegralInRange(0, 3); changes > 0; --changes)
        changeContents(writer, in);
    std::string bytes = writer.bytes();
    const std::vector<WrittenField> fields = writer.fields();
    for (int changes = in.ConsumeIntegralInRange(0, 4); changes > 0; --changes)
        changeBytes(bytes, fields, in);
    return bytes;
}

} // namespace decodescope::engine::test
