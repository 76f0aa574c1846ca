#pragma once

#include <cstddef>
#include <cstdint>

/// The vectors of row_kernels_scalar.cpp, which alone may include this: plain loops over a few numbers, for every
/// processor, and the check of the others.
namespace {

struct Vector {
    static constexpr std::uint32_t kLanes = 4;
    static constexpr std::uint32_t kTileRows = 2;
    float v[kLanes];

    template <class Each> static Vector make(Each each) {
        Vector out;
        for (std::uint32_t i = 0; i < kLanes; ++i)
            out.v[i] = each(i);
        return out;
    }
    static Vector zero() { return all(0); }
    static Vector all(float x) {
        return make([x](std::uint32_t) { return x; });
    }
    static Vector load(const float* p) {
        return make([p](std::uint32_t i) { return p[i]; });
    }
    static Vector load(const std::uint16_t* p) {
        return make([p](std::uint32_t i) { return fromHalf(p[i]); });
    }
    static Vector load(const std::int8_t* p) {
        return make([p](std::uint32_t i) { return static_cast<float>(p[i]); });
    }
    void store(float* p) const {
        for (std::uint32_t i = 0; i < kLanes; ++i)
            p[i] = v[i];
    }
    void store(std::uint16_t* p) const {
        for (std::uint32_t i = 0; i < kLanes; ++i)
            p[i] = toHalf(v[i]);
    }
    friend Vector operator+(Vector a, Vector b) {
        return make([&](std::uint32_t i) { return a.v[i] + b.v[i]; });
    }
    friend Vector operator-(Vector a, Vector b) {
        return make([&](std::uint32_t i) { return a.v[i] - b.v[i]; });
    }
    friend Vector operator*(Vector a, Vector b) {
        return make([&](std::uint32_t i) { return a.v[i] * b.v[i]; });
    }
    friend Vector operator/(Vector a, Vector b) {
        return make([&](std::uint32_t i) { return a.v[i] / b.v[i]; });
    }
    static Vector multiplyAdd(Vector a, Vector b, Vector c) { return a * b + c; }
    // The second operand is what a NaN comes out of.
    static Vector greater(Vector a, Vector b) {
        return make([&](std::uint32_t i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
    }
    static Vector lesser(Vector a, Vector b) {
        return make([&](std::uint32_t i) { return a.v[i] < b.v[i] ? a.v[i] : b.v[i]; });
    }
    static Vector absolute(Vector a) {
        return make([&](std::uint32_t i) { return __builtin_fabsf(a.v[i]); });
    }
    /// To the nearest whole number, for |a| < 2^22.
    static Vector round(Vector a) {
        constexpr float kMagic = 12582912.0F; // 1.5 * 2^23: adding it leaves no fraction bits
        return make([&](std::uint32_t i) { return (a.v[i] + kMagic) - kMagic; });
    }
    /// a * 2^n, n whole, -126 ... 127
    static Vector timesPowerOfTwo(Vector a, Vector n) {
        return make([&](std::uint32_t i) {
            // A NaN has no exponent: it comes out of the factor a.
            const std::int32_t whole = n.v[i] == n.v[i] ? static_cast<std::int32_t>(n.v[i]) : 0;
            return a.v[i] * __builtin_bit_cast(float, static_cast<std::uint32_t>(whole + 127) << 23U);
        });
    }
    /// a where x >= limit (or x is no number), else 0
    static Vector keepWhereAtLeast(Vector a, Vector x, Vector limit) {
        return make([&](std::uint32_t i) { return x.v[i] < limit.v[i] ? 0.0F : a.v[i]; });
    }
    float sum() const { return (v[0] + v[1]) + (v[2] + v[3]); }
    float greatest() const {
        float most = v[0];
        for (std::uint32_t i = 1; i < kLanes; ++i)
            most = v[i] > most ? v[i] : most;
        return most;
    }

private:
    static float fromHalf(std::uint16_t half) {
        const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16U;
        const std::uint32_t magnitude = half & 0x7FFFU;
        if (magnitude >= 0x7C00U)
            return __builtin_bit_cast(float, sign | 0x7F800000U | ((magnitude & 0x3FFU) << 13U));
        // The exponent is moved by a multiplication, which does subnormal numbers too.
        const float value = __builtin_bit_cast(float, magnitude << 13U) * 0x1p112F;
        return __builtin_bit_cast(float, sign | __builtin_bit_cast(std::uint32_t, value));
    }
    static std::uint16_t toHalf(float value) {
        const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, value);
        const auto sign = static_cast<std::uint16_t>((bits >> 16U) & 0x8000U);
        const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
        if (magnitude > 0x7F800000U)
            return static_cast<std::uint16_t>(sign | 0x7E00U);
        if (magnitude >= 0x477FF000U) // rounds to 65536 or more
            return static_cast<std::uint16_t>(sign | 0x7C00U);
        if (magnitude < 0x38800000U) { // below the smallest normal half: the adder rounds to its multiples
            const float shifted = __builtin_bit_cast(float, magnitude) + 0.5F;
            return static_cast<std::uint16_t>(sign | (__builtin_bit_cast(std::uint32_t, shifted) - 0x3F000000U));
        }
        const std::uint32_t rounded = magnitude + 0xFFFU + ((magnitude >> 13U) & 1U);
        return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000U) >> 13U));
    }
};

} // namespace
