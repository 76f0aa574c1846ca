#include "engine/model/architectures/architecture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace decodescope::engine {

namespace {

constexpr std::uint32_t kUsualPattern = 6; // five local layers, then a global one
constexpr float kLocalRopeBase = 10000.0F;
constexpr std::uint32_t kLayersOf27B = 62; // the one size with another attention scale

/// For each layer whether it sees a window alone. The key, where there is one, is a number or a list of flags.
Result<std::vector<std::uint32_t>> localLayers(const ModelKeys& keys, const ModelNumbers& numbers) {
    const char* const key = "attention.sliding_window_pattern";
    if (keys.file().arraySize(keys.fullName(key)))
        return keys.perLayer(key, numbers.layers, 0, 1);
    const auto given = keys.count(key, 0, kMaxLayers);
    if (!given)
        return tl::unexpected(given.error());
    const std::uint32_t pattern = given->value_or(kUsualPattern);
    std::vector<std::uint32_t> local(numbers.layers);
    for (std::uint32_t layer = 0; layer < numbers.layers; ++layer)
        local[layer] = pattern == 0 || (layer + 1) % pattern != 0; // 0: all local
    return local;
}

} // namespace

/// Gemma 3 (text): local layers see a window and rotate with a base of their own, the others see all. Norms before and
/// after; the file's norm weights have their 1 added already.
Result<TransformerRecipe> gemma3Recipe(const ModelKeys& keys, const ModelNumbers& numbers) {
    TransformerRecipe recipe;
    recipe.queryKeyNorm = QueryKeyNorm::perHead;
    recipe.postNorms = PostNorms::present;
    recipe.activation = Activation::geluTanh;
    recipe.embeddingScale = std::sqrt(static_cast<float>(numbers.embedding));
    recipe.attentionScale = inverseRoot(numbers.layers == kLayersOf27B ? std::max(1U, numbers.embedding / numbers.heads)
                                                                       : numbers.headSize);
    recipe.layers = equalLayers(numbers, RopeStyle::halves);

    const auto window = keys.count("attention.sliding_window", 0, kMaxContext);
    const auto localBase = keys.number("rope.freq_base_swa");
    const auto localDimensions = keys.count("rope.dimension_count_swa", 2, numbers.headSize);
    const auto local = localLayers(keys, numbers);
    if (!window)
        return tl::unexpected(window.error());
    if (!localBase)
        return tl::unexpected(localBase.error());
    if (!localDimensions)
        return tl::unexpected(localDimensions.error());
    if (!local)
        return tl::unexpected(local.error());
    if (window->value_or(0) == 0)
        return recipe; // no window: all layers are global
    if (*localBase && !(**localBase > 0))
        return fail(ErrorCode::malformed, fmt::format("The model file's key {} is {}; it must be above 0.",
                                                      keys.fullName("rope.freq_base_swa"), **localBase));
    if (localDimensions->value_or(numbers.rope.dimensions) != numbers.rope.dimensions)
        return fail(ErrorCode::unsupported, fmt::format("The model rotates another part of the heads in its local "
                                                        "layers ({}), which this engine does not have.",
                                                        keys.fullName("rope.dimension_count_swa")));
    for (std::uint32_t layer = 0; layer < numbers.layers; ++layer) {
        if (!(*local)[layer])
            continue;
        recipe.layers[layer].slidingWindow = **window;
        recipe.layers[layer].rope.base = localBase->value_or(kLocalRopeBase);
        recipe.layers[layer].rope.frequencyScale = 1.0F;
    }
    return recipe;
}

} // namespace decodescope::engine
