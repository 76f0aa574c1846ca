#include "engine/sampling/nucleus.h"

#include "engine/sampling/logit_math.h"

#include <algorithm>

namespace decodescope::engine {
namespace {

bool before(const WeighedToken& a, const WeighedToken& b) noexcept {
    return better(a.token, b.token);
}

using Items = std::vector<WeighedToken>::iterator;

WeighedToken medianOfThree(Items begin, Items end) {
    WeighedToken three[] = {*begin, *(begin + (end - begin) / 2), *(end - 1)};
    std::sort(std::begin(three), std::end(three), before);
    return three[1];
}

} // namespace

TokenLogprob nucleusEdge(std::vector<WeighedToken>& items, double mass) {
    if (mass <= 0)
        return std::min_element(items.begin(), items.end(), before)->token;
    constexpr std::ptrdiff_t kFewEnoughToSort = 64;
    Items begin = items.begin();
    Items end = items.end();
    while (end - begin > kFewEnoughToSort) {
        const WeighedToken pivot = medianOfThree(begin, end);
        const Items middle = std::partition(begin, end, [&](const WeighedToken& x) { return before(x, pivot); });
        double above = 0;
        for (Items x = begin; x != middle; ++x)
            above += x->weight;
        if (above >= mass) {
            end = middle;
            continue;
        }
        mass -= above + pivot.weight;
        if (mass <= 0)
            return pivot.token;
        std::iter_swap(middle, std::find_if(middle, end, [&](const WeighedToken& x) { return !before(pivot, x); }));
        begin = middle + 1;
        if (begin == end)
            return pivot.token;
    }
    std::sort(begin, end, before);
    for (Items x = begin; x != end; ++x) {
        mass -= x->weight;
        if (mass <= 0)
            return x->token;
    }
    return (end - 1)->token; // rounding left a little of the mass over: all of them
}

} // namespace decodescope::engine
