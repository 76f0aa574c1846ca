#include "engine/model/architectures/architecture.h"

namespace decodescope::engine {

/// Llama 1 to 3.x, Mistral, SmolLM2, TinyLlama. Writers of GGUF have put the rows of queries and keys into the order of
/// adjacent pairs. The scaling of Llama 3.1 and later is in the file as factors of the frequencies. The window of
/// Mistral 7B 0.1 is not applied, as in llama.cpp: its later versions, and its relatives, have none.
Result<TransformerRecipe> llamaRecipe(const ModelKeys&, const ModelNumbers& numbers) {
    TransformerRecipe recipe;
    recipe.qkvBias = Bias::optional;
    recipe.outputBias = Bias::optional;
    recipe.feedForwardBias = Bias::optional;
    recipe.ropeFactors = RopeFactors::optional;
    recipe.attentionScale = inverseRoot(numbers.headSize);
    recipe.layers = equalLayers(numbers, RopeStyle::adjacent);
    return recipe;
}

} // namespace decodescope::engine
