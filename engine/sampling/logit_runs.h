#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

/// The innermost loops over logits, for runs of at most kLogitRun of them: in vectors as wide as the processor has
/// them, with the same results on every processor.
namespace decodescope::engine {

/// Values are looked at in runs of this many, which stay in the first-level cache.
inline constexpr std::size_t kLogitRun = 1024;

struct RunPeak {
    float value = 0;
    bool finite = true; ///< the whole run is
};

struct LogitLoops {
    /// The greatest value of a run that is not empty; 0 for the zero that is written -0.
    RunPeak (*peak)(std::span<const float> run);
    /// exp((x - shift) * scale) summed; x <= shift, minus infinity counts as nothing.
    double (*sumExp)(std::span<const float> run, float shift, float scale);
};

/// Those for this processor.
[[nodiscard]] const LogitLoops& logitLoops() noexcept;
/// Those for any: what the others are checked against.
[[nodiscard]] const LogitLoops& plainLogitLoops() noexcept;

/// e^x for x <= 0, to 3e-7 of the value; 0 below -87. Choices are made on whole numbers, because comparisons of floats
/// keep the compiler from vectorising the loops around it.
[[nodiscard, gnu::always_inline]] inline float expOfNegative(float x) noexcept {
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
