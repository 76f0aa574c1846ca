#include "engine/sampling/logit_runs.h"

namespace decodescope::engine {
namespace {

/// Floats in an order of integers: whole-number maxima are vectorised, those of floats are not (a NaN forbids it).
[[gnu::always_inline]] inline std::int32_t orderOf(float x) noexcept {
    const auto bits = std::bit_cast<std::int32_t>(x + 0.0F); // -0 becomes 0: they are equal
    return bits ^ ((bits >> 31) & 0x7FFFFFFF);
}

[[gnu::always_inline]] inline RunPeak peakBody(std::span<const float> run) noexcept {
    std::int32_t order = INT32_MIN;
    std::int32_t magnitude = 0; // the greatest absolute value, as bits
    for (const float x : run) {
        const std::int32_t own = orderOf(x);
        const std::int32_t size = std::bit_cast<std::int32_t>(x) & 0x7FFFFFFF;
        order = order > own ? order : own;
        magnitude = magnitude > size ? magnitude : size;
    }
    return {std::bit_cast<float>(order ^ ((order >> 31) & 0x7FFFFFFF)), magnitude < 0x7F800000};
}

[[gnu::always_inline]] inline double sumExpBody(std::span<const float> run, float shift, float scale) noexcept {
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

RunPeak peakPlain(std::span<const float> run) {
    return peakBody(run);
}
double sumExpPlain(std::span<const float> run, float shift, float scale) {
    return sumExpBody(run, shift, scale);
}

#if defined(__x86_64__)
// Without fused multiply-add, which would round differently.
[[gnu::target("avx2")]] RunPeak peakAvx2(std::span<const float> run) {
    return peakBody(run);
}
[[gnu::target("avx2")]] double sumExpAvx2(std::span<const float> run, float shift, float scale) {
    return sumExpBody(run, shift, scale);
}
#endif

LogitLoops loopsHere() noexcept {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return {peakAvx2, sumExpAvx2};
#endif
    return plainLogitLoops();
}

} // namespace

const LogitLoops& plainLogitLoops() noexcept {
    static constexpr LogitLoops kPlain{peakPlain, sumExpPlain};
    return kPlain;
}

const LogitLoops& logitLoops() noexcept {
    static const LogitLoops kHere = loopsHere();
    return kHere;
}

} // namespace decodescope::engine
