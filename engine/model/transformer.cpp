#include "engine/model/transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace decodescope::engine {

namespace {

/// Appends one layer's ops.
void addLayer(TensorBinder& binder, const ModelNumbers& numbers, const TransformerRecipe& recipe, std::uint32_t layer,
              const TensorView* ropeFactors, std::vector<PlanOp>& ops) {
    const std::string prefix = fmt::format("blk.{}.", layer);
    const std::uint64_t width = numbers.embedding;
    const std::uint64_t queries = std::uint64_t{numbers.heads} * numbers.headSize;
    const std::uint64_t keys = std::uint64_t{numbers.kvHeads} * numbers.headSize;
    const std::uint64_t feedForward = numbers.feedForward[layer];
    const bool postNorms = recipe.postNorms == PostNorms::present;
    const auto norm = [&](const char* name, std::uint64_t size) {
        return binder.norm(prefix + name, size, numbers.epsilon);
    };

    QkvOp qkv;
    qkv.layer = layer;
    qkv.norm = norm("attn_norm", width);
    qkv.q = binder.linear(prefix + "attn_q", width, queries, recipe.qkvBias);
    qkv.k = binder.linear(prefix + "attn_k", width, keys, recipe.qkvBias);
    qkv.v = binder.linear(prefix + "attn_v", width, keys, recipe.qkvBias);
    if (recipe.queryKeyNorm == QueryKeyNorm::perHead) {
        qkv.queryNorm = norm("attn_q_norm", numbers.headSize);
        qkv.keyNorm = norm("attn_k_norm", numbers.headSize);
    }
    qkv.rope = recipe.layers[layer].rope;
    qkv.rope.factors = ropeFactors;
    ops.emplace_back(qkv);

    ops.emplace_back(AttentionOp{layer, recipe.attentionScale, recipe.layers[layer].slidingWindow});

    AttentionOutputOp output;
    output.layer = layer;
    output.output = binder.linear(prefix + "attn_output", queries, width, recipe.outputBias);
    if (postNorms)
        output.postNorm = norm("post_attention_norm", width);
    ops.emplace_back(output);

    GateUpOp gateUp;
    gateUp.layer = layer;
    gateUp.norm = norm("ffn_norm", width);
    gateUp.gate = binder.linear(prefix + "ffn_gate", width, feedForward, recipe.feedForwardBias);
    gateUp.up = binder.linear(prefix + "ffn_up", width, feedForward, recipe.feedForwardBias);
    gateUp.activation = recipe.activation;
    ops.emplace_back(gateUp);

    DownOp down;
    down.layer = layer;
    down.down = binder.linear(prefix + "ffn_down", feedForward, width, recipe.feedForwardBias);
    if (postNorms)
        down.postNorm = norm("post_ffw_norm", width);
    ops.emplace_back(down);
}

} // namespace

std::vector<LayerKind> equalLayers(const ModelNumbers& numbers, RopeStyle style) {
    LayerKind kind;
    kind.rope = numbers.rope;
    kind.rope.style = style;
    return std::vector<LayerKind>(numbers.layers, kind);
}

float inverseRoot(std::uint32_t size) {
    return 1.0F / std::sqrt(static_cast<float>(size));
}

Result<ModelPlan> buildTransformer(const ModelKeys& keys, const ModelNumbers& numbers,
                                   const TransformerRecipe& recipe) {
    ModelPlan plan;
    plan.layers = numbers.layers;
    plan.embedding = numbers.embedding;
    plan.heads = numbers.heads;
    plan.kvHeads = numbers.kvHeads;
    plan.headSize = numbers.headSize;
    plan.feedForward = *std::ranges::max_element(numbers.feedForward);
    plan.vocabulary = numbers.vocabulary;
    plan.contextLength = numbers.contextLength;

    TensorBinder binder(keys.file(), keys.architecture());
    const Linear table = binder.linear("token_embd", numbers.embedding, numbers.vocabulary, Bias::none);
    plan.ops.emplace_back(EmbedOp{table.weight, recipe.embeddingScale});

    const TensorView* const ropeFactors = recipe.ropeFactors == RopeFactors::optional
                                              ? binder.optionalFactors("rope_freqs", numbers.rope.dimensions / 2)
                                              : nullptr;
    for (std::uint32_t layer = 0; layer < numbers.layers; ++layer)
        addLayer(binder, numbers, recipe, layer, ropeFactors, plan.ops);

    HeadOp head;
    head.norm = binder.norm("output_norm", numbers.embedding, numbers.epsilon);
    head.head = binder.optionalLinear("output", numbers.embedding, numbers.vocabulary, recipe.headBias);
    if (!head.head.present())
        head.head = table; // tied: the embedding table read as a matrix
    plan.ops.emplace_back(head);

    if (auto bound = binder.finish(); !bound)
        return tl::unexpected(std::move(bound.error()));
    return plan;
}

} // namespace decodescope::engine
