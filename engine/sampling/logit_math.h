#pragma once

#include "engine/sampling/logit_runs.h"
#include "engine/sampling/sampler.h"

#include <cstddef>
#include <span>
#include <vector>

/// Passes over a row of logits (up to some 262,000 of them, for every token). The first notes the peak of each run; the
/// others leave out the runs whose peak says that there is nothing in them. None sorts the row.
namespace decodescope::engine {

/// The greatest value of each run of a row.
struct RowPeaks {
    std::vector<float> runs;
    bool finite = false; ///< the whole row is; an empty one is not

    void measure(std::span<const float> logits);
    /// After values of this run were changed.
    void measureRun(std::span<const float> logits, std::size_t run);
};

/// The best of a row: the greatest value, of equal ones the lowest id.
struct LogitPeak {
    float value = 0;
    TokenId id = 0;
};
[[nodiscard]] LogitPeak peakOf(std::span<const float> logits, const RowPeaks& peaks);

/// log(sum(exp(x))) of a finite row.
[[nodiscard]] double logSumExp(std::span<const float> logits, const RowPeaks& peaks);

/// The `wanted` greatest values, best first, of equal ones the lowest id.
void keepBest(std::span<const float> logits, const RowPeaks& peaks, std::size_t wanted,
              std::vector<TokenLogprob>& best);

/// All values of at least `least`, in order of ids.
void gatherFrom(std::span<const float> logits, const RowPeaks& peaks, float least, std::vector<TokenLogprob>& gathered);

/// exp((x - shift) * scale) summed over each run; x <= shift, minus infinity counts as nothing.
void sumExpByRuns(std::span<const float> logits, const RowPeaks& peaks, float shift, float scale,
                  std::vector<double>& sums);

/// Whether `a` comes before `b` in the order of choice.
[[nodiscard]] inline bool better(const TokenLogprob& a, const TokenLogprob& b) noexcept {
    return a.logprob > b.logprob || (a.logprob == b.logprob && a.id < b.id);
}

} // namespace decodescope::engine
