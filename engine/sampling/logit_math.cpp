#include "engine/sampling/logit_math.h"

#include <algorithm>
#include <cmath>

namespace decodescope::engine {
namespace {

std::span<const float> runAt(std::span<const float> logits, std::size_t run) {
    const std::size_t begin = run * kLogitRun;
    return logits.subspan(begin, std::min(kLogitRun, logits.size() - begin));
}

/// Keeps the best of what it is shown, runs in order of ids. A heap with the worst of the kept on top.
class BestOf {
public:
    BestOf(std::size_t wanted, std::vector<TokenLogprob>& kept)
        : m_wanted(wanted)
        , m_kept(kept) {
        m_kept.clear();
        m_kept.reserve(wanted);
    }

    void look(std::span<const float> run, std::size_t firstId, float peak) {
        if (m_wanted == 0 || (m_kept.size() == m_wanted && !(peak > m_kept.front().logprob)))
            return; // nearly every run, once the heap is full
        for (std::size_t i = 0; i < run.size(); ++i) {
            if (m_kept.size() < m_wanted) {
                m_kept.push_back({static_cast<TokenId>(firstId + i), run[i]});
                std::push_heap(m_kept.begin(), m_kept.end(), better);
            } else if (run[i] > m_kept.front().logprob) {
                std::pop_heap(m_kept.begin(), m_kept.end(), better);
                m_kept.back() = {static_cast<TokenId>(firstId + i), run[i]};
                std::push_heap(m_kept.begin(), m_kept.end(), better);
            }
        }
    }

private:
    std::size_t m_wanted;
    std::vector<TokenLogprob>& m_kept;
};

} // namespace

void RowPeaks::measure(std::span<const float> logits) {
    const LogitLoops& loops = logitLoops();
    runs.resize((logits.size() + kLogitRun - 1) / kLogitRun);
    finite = !logits.empty();
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const RunPeak peak = loops.peak(runAt(logits, run));
        runs[run] = peak.value;
        finite &= peak.finite;
    }
}

void RowPeaks::measureRun(std::span<const float> logits, std::size_t run) {
    runs[run] = logitLoops().peak(runAt(logits, run)).value;
}

LogitPeak peakOf(std::span<const float> logits, const RowPeaks& peaks) {
    const auto best = std::max_element(peaks.runs.begin(), peaks.runs.end()); // the first of equal ones
    const auto run = static_cast<std::size_t>(best - peaks.runs.begin());
    const auto values = runAt(logits, run);
    const auto index = std::find(values.begin(), values.end(), *best) - values.begin();
    return {*best, static_cast<TokenId>(run * kLogitRun + static_cast<std::size_t>(index))};
}

double logSumExp(std::span<const float> logits, const RowPeaks& peaks) {
    const float shift = *std::max_element(peaks.runs.begin(), peaks.runs.end());
    double sum = 0;
    for (std::size_t run = 0; run < peaks.runs.size(); ++run)
        sum += logitLoops().sumExp(runAt(logits, run), shift, 1.0F);
    return static_cast<double>(shift) + std::log(sum);
}

void keepBest(std::span<const float> logits, const RowPeaks& peaks, std::size_t wanted,
              std::vector<TokenLogprob>& best) {
    constexpr std::size_t kMostInHeap = 512;
    wanted = std::min(wanted, logits.size());
    if (wanted <= kMostInHeap) {
        BestOf keeper(wanted, best);
        for (std::size_t run = 0; run < peaks.runs.size(); ++run)
            keeper.look(runAt(logits, run), run * kLogitRun, peaks.runs[run]);
    } else {
        best.resize(logits.size());
        for (std::size_t i = 0; i < logits.size(); ++i)
            best[i] = {static_cast<TokenId>(i), logits[i]};
        const auto edge = best.begin() + static_cast<std::ptrdiff_t>(wanted);
        if (edge != best.end())
            std::nth_element(best.begin(), edge, best.end(), better);
        best.erase(edge, best.end());
    }
    std::sort(best.begin(), best.end(), better);
}

void gatherFrom(std::span<const float> logits, const RowPeaks& peaks, float least,
                std::vector<TokenLogprob>& gathered) {
    gathered.clear();
    for (std::size_t run = 0; run < peaks.runs.size(); ++run) {
        if (peaks.runs[run] < least)
            continue;
        const auto values = runAt(logits, run);
        for (std::size_t i = 0; i < values.size(); ++i)
            if (values[i] >= least)
                gathered.push_back({static_cast<TokenId>(run * kLogitRun + i), values[i]});
    }
}

void sumExpByRuns(std::span<const float> logits, const RowPeaks& peaks, float shift, float scale,
                  std::vector<double>& sums) {
    sums.clear();
    for (std::size_t run = 0; run < peaks.runs.size(); ++run) {
        const bool nothing = expOfNegative((peaks.runs[run] - shift) * scale) == 0.0F;
        sums.push_back(nothing ? 0 : logitLoops().sumExp(runAt(logits, run), shift, scale));
    }
}

} // namespace decodescope::engine
