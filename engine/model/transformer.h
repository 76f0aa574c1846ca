#pragma once

#include "engine/base/error.h"
#include "engine/model/model_numbers.h"
#include "engine/model/model_plan.h"
#include "engine/model/tensor_binder.h"

#include <cstdint>
#include <vector>

/// What an architecture's file says about its model, as data; the plan of ops is built from it in one place.
namespace decodescope::engine {

/// How the layers differ from one another, if they do.
struct LayerKind {
    std::uint32_t slidingWindow = 0;
    Rope rope;
};

enum class QueryKeyNorm : std::uint8_t { absent, perHead };
/// Norms on what attention and feed-forward add to the residual.
enum class PostNorms : std::uint8_t { absent, present };
/// Whether a tensor "rope_freqs" divides the frequencies.
enum class RopeFactors : std::uint8_t { absent, optional };

/// A dense decoder: norm, attention, norm, gated feed-forward in each layer.
struct TransformerRecipe {
    Bias qkvBias = Bias::none;
    Bias outputBias = Bias::none;
    Bias feedForwardBias = Bias::none;
    Bias headBias = Bias::none;
    QueryKeyNorm queryKeyNorm = QueryKeyNorm::absent;
    PostNorms postNorms = PostNorms::absent;
    RopeFactors ropeFactors = RopeFactors::absent;
    Activation activation = Activation::silu;
    float embeddingScale = 1.0F;
    float attentionScale = 1.0F;
    std::vector<LayerKind> layers; ///< one a layer
};

/// `count` layers all alike: the whole context, the model's rope in the given style.
[[nodiscard]] std::vector<LayerKind> equalLayers(const ModelNumbers& numbers, RopeStyle style);
/// 1 / sqrt(size), the usual scale.
[[nodiscard]] float inverseRoot(std::uint32_t size);

/// Binds every tensor that the recipe and the numbers name; a tensor of the file that they do not name is refused.
[[nodiscard]] Result<ModelPlan> buildTransformer(const ModelKeys& keys, const ModelNumbers& numbers,
                                                 const TransformerRecipe& recipe);

} // namespace decodescope::engine
