#include "engine/scheduler/step_plan.h"

#include <algorithm>
#include <numeric>

namespace decodescope::engine {
namespace {

/// Parts of `budget` for those who want `wanted`: nobody gets less than another who wanted no more.
std::vector<std::uint32_t> shareEvenly(const std::vector<std::uint32_t>& wanted, std::uint32_t budget) {
    std::vector<std::size_t> order(wanted.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
    std::vector<std::uint32_t> parts(wanted.size());
    auto left = static_cast<std::uint32_t>(wanted.size());
    for (const std::size_t i : order) {
        parts[i] = std::min(wanted[i], budget / left + (budget % left != 0));
        budget -= parts[i];
        --left;
    }
    return parts;
}

} // namespace

std::vector<StepShare> planStep(std::span<const StepWish> wishes, const StepLimits& limits) {
    std::vector<std::uint32_t> promptRows;
    std::vector<std::uint32_t> drafts;
    std::uint32_t decoding = 0;
    for (const StepWish& wish : wishes) {
        promptRows.push_back(wish.decoding ? 0 : wish.pending);
        drafts.push_back(wish.decoding ? wish.drafts : 0);
        decoding += wish.decoding;
    }
    const std::uint32_t spare = limits.rows - decoding;
    promptRows = shareEvenly(promptRows, decoding > 0 ? std::min(limits.promptRows, spare) : spare);

    std::uint32_t rowsLeft = spare;
    std::uint32_t logitsLeft = limits.logitsRows - decoding;
    for (std::size_t i = 0; i < wishes.size(); ++i) {
        rowsLeft -= promptRows[i];
        logitsLeft -= promptRows[i] > 0 && promptRows[i] == wishes[i].pending;
    }
    drafts = shareEvenly(drafts, std::min(rowsLeft, logitsLeft));

    std::vector<StepShare> shares;
    for (std::size_t i = 0; i < wishes.size(); ++i)
        shares.push_back({wishes[i].decoding ? 1 : promptRows[i], drafts[i]});
    return shares;
}

} // namespace decodescope::engine
