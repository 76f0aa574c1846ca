#pragma once

#include "engine/model/model_keys.h"
#include "engine/model/model_numbers.h"
#include "engine/model/transformer.h"

/// What an architecture's file provides: a function NAMERecipe, listed in list.inc, that reads the keys that only this
/// architecture has and says what its model consists of.
namespace decodescope::engine {

using RecipeMaker = Result<TransformerRecipe> (*)(const ModelKeys& keys, const ModelNumbers& numbers);

} // namespace decodescope::engine
