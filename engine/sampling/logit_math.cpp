#include "engine/sampling/logit_math.h"

#include <cmath>

namespace decodescope::engine {
namespace {

/// Floats in an order of integers: whole-number maxima are vectorised, those of floats are not (a NaN forbids it).
std::int32_t orderOf(float x) noexcept {
    const auto bits = std::bit_cast<std::int32_t>(x + 0.0F); // -0 becomes 0: they are equal
    return bits ^ ((bits >> 31) & 0x7FFFFFFF);
}

float valueOf(std::int32_t order) noexcept {
    return std::bit_cast<float>(order ^ ((order >> 31) & 0x7FFFFFFF));
}

struct RunPeak {
    std::int32_t order = INT32_MIN;
    std::int32_t magnitude = 0; // the greatest absolute value, as bits
};

RunPeak peakOfRun(std::span<const float> run) noexcept {
    RunPeak peak;
    for (const float x : run) {
        peak.order = std::max(peak.order, orderOf(x));
        peak.magnitude = std::max(peak.magnitude, std::bit_cast<std::int32_t>(x) & 0x7FFFFFFF);
    }
    return peak;
}

double sumExpOfRun(std::span<const float> run, float shift, float scale) noexcept {
    float weights[kLogitRun];
    for (std::size_t i = 0; i < run.size(); ++i)
        weights[i] = expOfNegative((run[i] - shift) * scale);
    constexpr std::size_t kLanes = 16; // partial sums side by side: the order of additions is part of the result
    float lanes[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= run.size(); i += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            lanes[lane] += weights[i + lane];
    double sum = 0;
    for (; i < run.size(); ++i)
        sum += static_cast<double>(weights[i]);
    for (const float lane : lanes)
        sum += static_cast<double>(lane);
    return sum;
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

    void sort() { std::sort(m_kept.begin(), m_kept.end(), better); }

private:
    std::size_t m_wanted;
    std::vector<TokenLogprob>& m_kept;
};

template <class Look> void forRuns(std::span<const float> logits, Look look) {
    for (std::size_t at = 0; at < logits.size(); at += kLogitRun)
        look(logits.subspan(at, std::min(kLogitRun, logits.size() - at)), at);
}

} // namespace

LogitPeak findPeak(std::span<const float> logits) {
    RunPeak whole;
    std::span<const float> where;
    std::size_t whereAt = 0;
    forRuns(logits, [&](std::span<const float> run, std::size_t at) {
        const RunPeak peak = peakOfRun(run);
        whole.magnitude = std::max(whole.magnitude, peak.magnitude);
        if (where.empty() || peak.order > whole.order) {
            whole.order = peak.order;
            where = run;
            whereAt = at;
        }
    });
    std::size_t index = 0;
    while (index < where.size() && orderOf(where[index]) != whole.order)
        ++index;
    return {valueOf(whole.order), static_cast<TokenId>(whereAt + index),
            !logits.empty() && whole.magnitude < 0x7F800000};
}

double logSumExp(std::span<const float> logits, std::size_t wanted, std::vector<TokenLogprob>* best) {
    float shift = -std::numeric_limits<float>::infinity();
    double sum = 0;
    std::vector<TokenLogprob> none;
    BestOf keeper(best ? std::min(wanted, logits.size()) : 0, best ? *best : none);
    forRuns(logits, [&](std::span<const float> run, std::size_t at) {
        const float peak = valueOf(peakOfRun(run).order);
        if (peak > shift) {
            sum = sum > 0 ? sum * std::exp(static_cast<double>(shift) - static_cast<double>(peak)) : 0;
            shift = peak;
        }
        sum += sumExpOfRun(run, shift, 1.0F);
        keeper.look(run, at, peak);
    });
    keeper.sort();
    return static_cast<double>(shift) + std::log(sum);
}

void keepBest(std::span<const float> logits, std::size_t wanted, std::vector<TokenLogprob>& best) {
    constexpr std::size_t kMostInHeap = 512;
    wanted = std::min(wanted, logits.size());
    if (wanted <= kMostInHeap) {
        BestOf keeper(wanted, best);
        forRuns(logits, [&](std::span<const float> run, std::size_t at) {
            keeper.look(run, at, valueOf(peakOfRun(run).order));
        });
        keeper.sort();
        return;
    }
    best.resize(logits.size());
    for (std::size_t i = 0; i < logits.size(); ++i)
        best[i] = {static_cast<TokenId>(i), logits[i]};
    const auto edge = best.begin() + static_cast<std::ptrdiff_t>(wanted);
    if (edge != best.end())
        std::nth_element(best.begin(), edge, best.end(), better);
    best.erase(edge, best.end());
    std::sort(best.begin(), best.end(), better);
}

void sumExpByRuns(std::span<const float> logits, float shift, float scale, std::vector<double>& sums) {
    sums.clear();
    forRuns(logits, [&](std::span<const float> run, std::size_t) { sums.push_back(sumExpOfRun(run, shift, scale)); });
}

} // namespace decodescope::engine
