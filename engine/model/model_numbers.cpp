#include "engine/model/model_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace decodescope::engine {

namespace {

/// A key that changes the arithmetic in a way that no plan expresses, unless it has its neutral value.
struct Feature {
    std::string_view key;
    float neutral;
    std::string_view name;
};

constexpr std::array kRefusedFeatures{
    Feature{"expert_count", 0, "mixture of experts"},
    Feature{"attn_logit_softcapping", 0, "softcapping of attention scores"},
    Feature{"final_logit_softcapping", 0, "softcapping of logits"},
    Feature{"attention.clamp_kqv", 0, "clamped queries, keys and values"},
    Feature{"attention.max_alibi_bias", 0, "ALiBi"},
    Feature{"attention.scale", 0, "an attention scale of its own"},
    Feature{"attention.temperature_scale", 0, "attention temperature by position"},
    Feature{"embedding_scale", 1, "an embedding scale of its own"},
    Feature{"residual_scale", 1, "scaled residuals"},
    Feature{"logit_scale", 1, "scaled logits"},
    Feature{"rope.scaling.attn_factor", 1, "a rope attention factor"},
};

Result<void> refuseFeatures(const ModelKeys& keys) {
    for (const Feature& feature : kRefusedFeatures) {
        const auto value = keys.number(feature.key);
        if (!value)
            return tl::unexpected(value.error());
        // Zero is how writers say "not used" for the scales too.
        if (*value && **value != feature.neutral && **value != 0)
            return fail(ErrorCode::unsupported,
                        fmt::format("The model wants {} ({} = {}), which this engine does not have for {}.",
                                    feature.name, keys.fullName(feature.key), **value, keys.architecture()));
    }
    const std::string causal = keys.fullName("attention.causal");
    if (keys.file().has(causal) && keys.file().flag(causal) != true)
        return fail(ErrorCode::unsupported,
                    fmt::format("The model does not generate text: its attention is not causal ({}).", causal));
    return {};
}

Result<void> readRope(const ModelKeys& keys, ModelNumbers& numbers) {
    Rope& rope = numbers.rope;
    const auto dimensions = keys.count("rope.dimension_count", 2, numbers.headSize);
    if (!dimensions)
        return tl::unexpected(dimensions.error());
    rope.dimensions = dimensions->value_or(numbers.headSize);
    if (rope.dimensions % 2 != 0)
        return fail(ErrorCode::malformed, fmt::format("The model file rotates {} elements of a head ({}); the number "
                                                      "must be even.",
                                                      rope.dimensions, keys.fullName("rope.dimension_count")));
    const auto base = keys.number("rope.freq_base");
    if (!base)
        return tl::unexpected(base.error());
    rope.base = base->value_or(10000.0F);
    if (!(rope.base > 0))
        return fail(ErrorCode::malformed, fmt::format("The model file's key {} is {}; it must be above 0.",
                                                      keys.fullName("rope.freq_base"), rope.base));

    const auto type = keys.text("rope.scaling.type");
    if (!type)
        return tl::unexpected(type.error());
    const std::string_view scaling = type->value_or("linear");
    if (scaling != "none" && scaling != "linear")
        return fail(ErrorCode::unsupported, fmt::format("The model wants the rope scaling \"{}\" ({}); this engine has "
                                                        "linear scaling and the factors of Llama 3.",
                                                        visible(scaling), keys.fullName("rope.scaling.type")));
    const char* const factorKey = keys.has("rope.scaling.factor") ? "rope.scaling.factor" : "rope.scale_linear";
    const auto factor = keys.number(factorKey);
    if (!factor)
        return tl::unexpected(factor.error());
    // Zero means "no scaling", as an absent factor does. One whose reciprocal is no number is as wrong as a negative
    // one.
    if (*factor && **factor != 0 && !(**factor >= std::numeric_limits<float>::min()))
        return fail(ErrorCode::malformed, fmt::format("The model file's key {} is {}; it must be above 0.",
                                                      keys.fullName(factorKey), **factor));
    if (scaling == "linear" && *factor && **factor != 0)
        rope.frequencyScale = 1.0F / **factor;
    return {};
}

/// The same value for all layers, or a refusal: plans have one shape of attention.
Result<std::uint32_t> uniform(const ModelKeys& keys, std::string_view key, std::uint32_t layers) {
    const auto values = keys.perLayer(key, layers, 1, kMaxHeads);
    if (!values)
        return tl::unexpected(values.error());
    if (std::ranges::adjacent_find(*values, std::not_equal_to{}) != values->end())
        return fail(ErrorCode::unsupported, fmt::format("The model's layers differ in {}, which this engine does not "
                                                        "have.",
                                                        keys.fullName(key)));
    return values->front();
}

Result<void> readHeads(const ModelKeys& keys, ModelNumbers& numbers) {
    const auto heads = uniform(keys, "attention.head_count", numbers.layers);
    if (!heads)
        return tl::unexpected(heads.error());
    numbers.heads = numbers.kvHeads = *heads;
    if (keys.has("attention.head_count_kv")) {
        const auto kvHeads = uniform(keys, "attention.head_count_kv", numbers.layers);
        if (!kvHeads)
            return tl::unexpected(kvHeads.error());
        numbers.kvHeads = *kvHeads;
    }
    if (numbers.heads % numbers.kvHeads != 0)
        return fail(ErrorCode::malformed, fmt::format("The model file has {} query heads and {} key heads; the first "
                                                      "must be a multiple of the second.",
                                                      numbers.heads, numbers.kvHeads));

    const auto keyLength = keys.count("attention.key_length", 1, kMaxHeadSize);
    const auto valueLength = keys.count("attention.value_length", 1, kMaxHeadSize);
    if (!keyLength || !valueLength)
        return tl::unexpected(keyLength ? valueLength.error() : keyLength.error());
    if ((!*keyLength || !*valueLength) && numbers.embedding % numbers.heads != 0)
        return fail(ErrorCode::malformed, fmt::format("The model file's {} heads do not divide its width of {}.",
                                                      numbers.heads, numbers.embedding));
    const std::uint32_t natural = numbers.embedding / numbers.heads;
    numbers.headSize = keyLength->value_or(natural);
    if (numbers.headSize == 0 || numbers.headSize > kMaxHeadSize)
        return fail(ErrorCode::malformed, fmt::format("The model file's heads have {} elements; they must have from 1 "
                                                      "to {}.",
                                                      numbers.headSize, kMaxHeadSize));
    if (valueLength->value_or(natural) != numbers.headSize)
        return fail(ErrorCode::unsupported, fmt::format("The model's keys have {} elements and its values {}; this "
                                                        "engine wants them alike.",
                                                        numbers.headSize, valueLength->value_or(natural)));
    for (const std::string_view local : {"attention.key_length_swa", "attention.value_length_swa"}) {
        const auto length = keys.count(local, 1, kMaxHeadSize);
        if (!length)
            return tl::unexpected(length.error());
        if (length->value_or(numbers.headSize) != numbers.headSize)
            return fail(ErrorCode::unsupported, fmt::format("The model's local layers have heads of another size ({} = "
                                                            "{}), which this engine does not have.",
                                                            keys.fullName(local), **length));
    }
    return {};
}

/// The tokens of the vocabulary; without one, the key that says how many there are.
Result<std::uint32_t> readVocabulary(const ModelKeys& keys) {
    if (const auto tokens = keys.file().arraySize("tokenizer.ggml.tokens")) {
        if (*tokens == 0 || *tokens > kMaxVocabulary)
            return fail(ErrorCode::malformed, fmt::format("The model file's vocabulary has {} tokens; it must have "
                                                          "from 1 to {}.",
                                                          *tokens, kMaxVocabulary));
        return static_cast<std::uint32_t>(*tokens);
    }
    return keys.requiredCount("vocab_size", 1, kMaxVocabulary);
}

} // namespace

Result<ModelNumbers> readModelNumbers(const ModelKeys& keys) {
    if (auto refused = refuseFeatures(keys); !refused)
        return tl::unexpected(std::move(refused.error()));

    ModelNumbers numbers;
    const auto layers = keys.requiredCount("block_count", 1, kMaxLayers);
    const auto embedding = keys.requiredCount("embedding_length", 1, kMaxEmbedding);
    const auto context = keys.requiredCount("context_length", 1, kMaxContext);
    const auto vocabulary = readVocabulary(keys);
    for (const auto* value : {&layers, &embedding, &context, &vocabulary})
        if (!*value)
            return tl::unexpected(value->error());
    numbers.layers = *layers;
    numbers.embedding = *embedding;
    numbers.contextLength = *context;
    numbers.vocabulary = *vocabulary;

    auto feedForward = keys.perLayer("feed_forward_length", numbers.layers, 1, kMaxFeedForward);
    if (!feedForward)
        return tl::unexpected(std::move(feedForward.error()));
    numbers.feedForward = std::move(*feedForward);

    const char* const epsilonKey = "attention.layer_norm_rms_epsilon";
    const auto epsilon = keys.number(epsilonKey);
    if (!epsilon)
        return tl::unexpected(epsilon.error());
    if (!*epsilon || !(**epsilon > 0) || **epsilon > 1)
        return fail(ErrorCode::malformed, fmt::format("The model file's key {} {}.", keys.fullName(epsilonKey),
                                                      *epsilon ? "must be above 0 and at most 1" : "is missing"));
    numbers.epsilon = **epsilon;

    if (auto heads = readHeads(keys, numbers); !heads)
        return tl::unexpected(std::move(heads.error()));
    if (auto rope = readRope(keys, numbers); !rope)
        return tl::unexpected(std::move(rope.error()));
    return numbers;
}

} // namespace decodescope::engine
