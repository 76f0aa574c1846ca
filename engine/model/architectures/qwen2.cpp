#include "engine/model/architectures/architecture.h"

namespace decodescope::engine {

/// Qwen 2 and 2.5: biases on queries, keys and values.
Result<TransformerRecipe> qwen2Recipe(const ModelKeys&, const ModelNumbers& numbers) {
    TransformerRecipe recipe;
    recipe.qkvBias = Bias::required;
    recipe.headBias = Bias::optional;
    recipe.attentionScale = inverseRoot(numbers.headSize);
    recipe.layers = equalLayers(numbers, RopeStyle::halves);
    return recipe;
}

} // namespace decodescope::engine
