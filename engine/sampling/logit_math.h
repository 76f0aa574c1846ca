#pragma once

#include "engine/sampling/sampler.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Passes over a row of logits (up to some 262,000 of them, for every token): plain loops that the compiler turns
/// into vector instructions, no sort, each reading memory once.
namespace decodescope::engine {

/// Values are looked at in runs of this many, which stay in the first-level cache.
inline constexpr std::size_t kLogitRun = 1024;

/// The best of a row: the greatest value, of equal ones the lowest id.
struct LogitPeak {
    float value = 0;
    TokenId id = 0;
    bool finite = false; ///< all of the row is
};
[[nodiscard]] LogitPeak findPeak(std::span<const float> logits);

/// log(sum(exp(x))) of a finite row, and with `best` its `wanted` greatest values, best first, of equal ones the
/// lowest id.
[[nodiscard]] double logSumExp(std::span<const float> logits, std::size_t wanted, std::vector<TokenLogprob>* best);

/// The `wanted` greatest values, best first, of equal ones the lowest id.
void keepBest(std::span<const float> logits, std::size_t wanted, std::vector<TokenLogprob>& best);

/// exp((x - shift) * scale) summed over each run of kLogitRun values; x <= shift, minus infinity counts as nothing.
void sumExpByRuns(std::span<const float> logits, float shift, float scale, std::vector<double>& sums);

/// Whether `a` comes before `b` in the order of choice.
[[nodiscard]] inline bool better(const TokenLogprob& a, const TokenLogprob& b) noexcept {
    return a.logprob > b.logprob || (a.logprob == b.logprob && a.id < b.id);
}

/// e^x for x <= 0, to 2e-7 of the value; 0 below -87. Choices are made on whole numbers, because comparisons of floats
/// keep the compiler from vectorising the loops around it.
[[nodiscard]] inline float expOfNegative(float x) noexcept {
    constexpr float kRounding = 12582912.0F; // 1.5 * 2^23: adding it leaves the nearest whole number in the low bits
    constexpr auto kLowest = std::bit_cast<std::int32_t>(87.0F);
    const std::int32_t magnitude = std::bit_cast<std::int32_t>(x) & 0x7FFFFFFF;
    const float clamped = -std::bit_cast<float>(std::min(magnitude, kLowest));
    const float shifted = clamped * 1.44269504F + kRounding;
    const float whole = shifted - kRounding;
    const float rest = (clamped - whole * 0.693359375F) - whole * -2.12194440e-4F; // ln 2 in two parts
    float p = 1.0F / 720.0F;
    p = p * rest + 1.0F / 120.0F;
    p = p * rest + 1.0F / 24.0F;
    p = p * rest + 1.0F / 6.0F;
    p = p * rest + 0.5F;
    p = p * rest + 1.0F;
    p = p * rest + 1.0F;
    const std::uint32_t exponent = std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(kRounding);
    const std::uint32_t seen = magnitude > kLowest ? 0U : ~0U;
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(p) + (exponent << 23)) & seen);
}

} // namespace decodescope::engine
