#pragma once

#include "engine/sampling/sampler.h"

#include <vector>

namespace decodescope::engine {

/// A token that may be chosen: its logit for the order, its weight for the mass.
struct WeighedToken {
    TokenLogprob token;
    double weight = 0;
};

/// The last token of the nucleus: the fewest best tokens whose weights add up to `mass` end with it. `items` (not
/// empty) are put out of order. By selection around pivots, in time that grows with their number alone.
[[nodiscard]] TokenLogprob nucleusEdge(std::vector<WeighedToken>& items, double mass);

} // namespace decodescope::engine
