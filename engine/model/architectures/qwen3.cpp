#include "engine/model/architectures/architecture.h"

namespace decodescope::engine {

/// Qwen 3, dense: each head's query and key are normed before they are rotated.
Result<TransformerRecipe> qwen3Recipe(const ModelKeys&, const ModelNumbers& numbers) {
    TransformerRecipe recipe;
    recipe.queryKeyNorm = QueryKeyNorm::perHead;
    recipe.attentionScale = inverseRoot(numbers.headSize);
    recipe.layers = equalLayers(numbers, RopeStyle::halves);
    return recipe;
}

} // namespace decodescope::engine
