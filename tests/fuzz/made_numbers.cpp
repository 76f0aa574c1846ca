#include "tests/fuzz/made_numbers.h"

#include "tests/engine/support/hostile_models.h"
#include "tests/engine/support/random_blocks.h"

#include <array>
#include <fuzzer/FuzzedDataProvider.h>

namespace decodescope::engine::test {

namespace {

constexpr std::array<const char*, 4> kArchitectures{"llama", "qwen2", "qwen3", "gemma3"};
constexpr std::array<const char*, 27> kKeys{"block_count",
                                            "context_length",
                                            "embedding_length",
                                            "feed_forward_length",
                                            "attention.head_count",
                                            "attention.head_count_kv",
                                            "attention.key_length",
                                            "attention.value_length",
                                            "attention.layer_norm_rms_epsilon",
                                            "attention.sliding_window",
                                            "attention.sliding_window_pattern",
                                            "attention.scale",
                                            "attention.causal",
                                            "rope.dimension_count",
                                            "rope.freq_base",
                                            "rope.freq_base_swa",
                                            "rope.scaling.type",
                                            "rope.scaling.factor",
                                            "rope.scale_linear",
                                            "rope.scaling.original_context_length",
                                            "vocab_size",
                                            "expert_count",
                                            "expert_used_count",
                                            "attn_logit_softcapping",
                                            "final_logit_softcapping",
                                            "embedding_scale",
                                            "logit_scale"};
constexpr std::array<const char*, 24> kTensors{"token_embd.weight",
                                               "output_norm.weight",
                                               "output.weight",
                                               "output.bias",
                                               "rope_freqs.weight",
                                               "rope_factors_long.weight",
                                               "blk.0.attn_norm.weight",
                                               "blk.0.attn_q.weight",
                                               "blk.0.attn_q.bias",
                                               "blk.0.attn_k.weight",
                                               "blk.0.attn_k.bias",
                                               "blk.0.attn_v.weight",
                                               "blk.0.attn_v.bias",
                                               "blk.0.attn_output.weight",
                                               "blk.0.attn_output.bias",
                                               "blk.0.attn_q_norm.weight",
                                               "blk.0.attn_k_norm.weight",
                                               "blk.0.post_attention_norm.weight",
                                               "blk.0.ffn_norm.weight",
                                               "blk.0.ffn_gate.weight",
                                               "blk.0.ffn_up.weight",
                                               "blk.0.ffn_down.weight",
                                               "blk.0.post_ffw_norm.weight",
                                               "blk.0.ffn_gate.bias"};
constexpr std::array<std::uint32_t, 12> kSizes{0, 1, 2, 3, 8, 16, 31, 32, 64, 96, 128, 256};

void changeKey(GgufWriter& writer, FuzzedDataProvider& in, const std::string& prefix) {
    const std::string key = prefix + in.PickValueInArray(kKeys);
    writer.drop(key);
    const std::uint32_t number = in.ConsumeBool() ? in.PickValueInArray(kSizes) : in.ConsumeIntegral<std::uint32_t>();
    switch (in.ConsumeIntegralInRange(0, 8)) {
    case 0:
        return;
    case 1:
        return writer.f32(key, in.ConsumeFloatingPoint<float>());
    case 2:
        return writer.text(key, in.PickValueInArray({"none", "linear", "yarn", "longrope", "", "x"}));
    case 3:
        return writer.i32s(key, {static_cast<std::int32_t>(number), static_cast<std::int32_t>(number)});
    case 4:
        return writer.u64(key, std::uint64_t{number} << in.ConsumeIntegralInRange(0, 40));
    case 5:
        return writer.i32(key, static_cast<std::int32_t>(number));
    default:
        return writer.u32(key, number);
    }
}

void changeTensor(GgufWriter& writer, FuzzedDataProvider& in) {
    const std::string name = in.PickValueInArray(kTensors);
    writer.dropTensor(name);
    if (in.ConsumeBool())
        return;
    const TensorType type = supportedTypes()[in.ConsumeIntegralInRange<std::size_t>(0, supportedTypes().size() - 1)];
    std::vector<std::uint64_t> shape;
    std::uint64_t elements = 1;
    for (int dimensions = in.ConsumeIntegralInRange(1, 3); dimensions > 0; --dimensions) {
        shape.push_back(std::max(1U, in.PickValueInArray(kSizes)));
        elements *= shape.back();
    }
    RandomBits random(3);
    const TensorTypeInfo& info = tensorTypeInfo(type);
    if (elements > 65'536 || shape[0] % info.blockElements != 0)
        return;
    writer.tensor(name, type, shape, randomBlocks(type, elements, 0.2F, random));
}

} // namespace

GgufWriter madeModel(FuzzedDataProvider& in) {
    TinyModel model =
        TinyModel::of(in.PickValueInArray(kArchitectures),
                      supportedTypes()[in.ConsumeIntegralInRange<std::size_t>(0, supportedTypes().size() - 1)]);
    const std::uint32_t block = std::max(8U, tensorTypeInfo(model.type).blockElements);
    model.layers = in.ConsumeIntegralInRange(1U, 3U);
    model.embedding = block * in.ConsumeIntegralInRange(1U, block == 256 ? 1U : 2U);
    model.headSize = in.PickValueInArray({2U, 8U, 16U, 32U, 64U, 256U});
    if (block == 256)
        model.headSize = 256;
    model.kvHeads = in.ConsumeIntegralInRange(1U, 2U);
    model.heads = model.kvHeads * in.ConsumeIntegralInRange(1U, 3U);
    model.feedForward = block;
    model.head = in.ConsumeBool() ? HeadKind::own : HeadKind::tied;
    model.ropeFactors = in.ConsumeBool();
    model.slidingWindow = in.ConsumeIntegralInRange(0U, 4U);
    model.vocabulary = smallestModel(model.vocabulary.family).vocabulary;
    // Only rows that blocks divide can be written at all.
    if (model.heads * model.headSize % block != 0)
        model.headSize = block;
    GgufWriter writer = model.writer();
    for (int changes = in.ConsumeIntegralInRange(0, 3); changes > 0; --changes)
        changeKey(writer, in, model.architecture + ".");
    for (int changes = in.ConsumeIntegralInRange(0, 2); changes > 0; --changes)
        changeTensor(writer, in);
    return writer;
}

} // namespace decodescope::engine::test
