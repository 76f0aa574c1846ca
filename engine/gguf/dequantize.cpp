#include "engine/gguf/dequantize.h"

#include <bit>
#include <cstring>
#include <utility>

namespace decodescope::engine {

namespace {

// One block of each type to f32. Names of the format: d and m (dmin) are the block's f16 scale and minimum, q the
// packed integers, s the packed 6-bit pairs of sub-block scales and minima.

std::uint8_t at(const std::byte* p, int i) noexcept {
    return std::to_integer<std::uint8_t>(p[i]);
}

int low(std::uint8_t byte) noexcept {
    return byte & 15;
}

int high(std::uint8_t byte) noexcept {
    return byte >> 4;
}

float halfAt(const std::byte* p) noexcept {
    std::uint16_t bits = 0;
    std::memcpy(&bits, p, sizeof bits);
    return halfToFloat(bits);
}

std::uint32_t wordAt(const std::byte* p) noexcept {
    std::uint32_t bits = 0;
    std::memcpy(&bits, p, sizeof bits);
    return bits;
}

/// Elements 0..15 are the low nibbles, 16..31 the high ones.
int nibble(const std::byte* q, int i) noexcept {
    return i < 16 ? low(at(q, i)) : high(at(q, i - 16));
}

void blockQ4_0(const std::byte* b, float* out) noexcept {
    const float d = halfAt(b);
    for (int i = 0; i < 32; ++i)
        out[i] = d * static_cast<float>(nibble(b + 2, i) - 8);
}

void blockQ4_1(const std::byte* b, float* out) noexcept {
    const float d = halfAt(b);
    const float m = halfAt(b + 2);
    for (int i = 0; i < 32; ++i)
        out[i] = d * static_cast<float>(nibble(b + 4, i)) + m;
}

void blockQ5_0(const std::byte* b, float* out) noexcept {
    const float d = halfAt(b);
    const std::uint32_t fifth = wordAt(b + 2);
    for (int i = 0; i < 32; ++i)
        out[i] = d * static_cast<float>(nibble(b + 6, i) + 16 * static_cast<int>(fifth >> i & 1U) - 16);
}

void blockQ5_1(const std::byte* b, float* out) noexcept {
    const float d = halfAt(b);
    const float m = halfAt(b + 2);
    const std::uint32_t fifth = wordAt(b + 4);
    for (int i = 0; i < 32; ++i)
        out[i] = d * static_cast<float>(nibble(b + 8, i) + 16 * static_cast<int>(fifth >> i & 1U)) + m;
}

void blockQ8_0(const std::byte* b, float* out) noexcept {
    const float d = halfAt(b);
    for (int i = 0; i < 32; ++i)
        out[i] = d * static_cast<float>(static_cast<std::int8_t>(at(b + 2, i)));
}

/// The 6-bit scale and minimum of sub-block k = 0..7 out of the 12 bytes that Q4_K and Q5_K share.
std::pair<int, int> scaleAndMinimum(const std::byte* s, int k) noexcept {
    if (k < 4)
        return {at(s, k) & 63, at(s, k + 4) & 63};
    return {low(at(s, k + 4)) + 16 * (at(s, k - 4) >> 6), high(at(s, k + 4)) + 16 * (at(s, k) >> 6)};
}

void blockQ4_K(const std::byte* b, float* out) noexcept {
    const float d = halfAt(b);
    const float m = halfAt(b + 2);
    for (int k = 0; k < 8; ++k) {
        const auto [scale, minimum] = scaleAndMinimum(b + 4, k);
        const std::byte* const q = b + 16 + 32 * (k / 2);
        for (int l = 0; l < 32; ++l) {
            const int u = k % 2 == 0 ? low(at(q, l)) : high(at(q, l));
            out[32 * k + l] = d * static_cast<float>(scale) * static_cast<float>(u) - m * static_cast<float>(minimum);
        }
    }
}

void blockQ5_K(const std::byte* b, float* out) noexcept {
    const float d = halfAt(b);
    const float m = halfAt(b + 2);
    const std::byte* const fifth = b + 16; // bit k of byte l belongs to element l of sub-block k
    for (int k = 0; k < 8; ++k) {
        const auto [scale, minimum] = scaleAndMinimum(b + 4, k);
        const std::byte* const q = b + 48 + 32 * (k / 2);
        for (int l = 0; l < 32; ++l) {
            const int u = (k % 2 == 0 ? low(at(q, l)) : high(at(q, l))) + 16 * (at(fifth, l) >> k & 1);
            out[32 * k + l] = d * static_cast<float>(scale) * static_cast<float>(u) - m * static_cast<float>(minimum);
        }
    }
}

void blockQ6_K(const std::byte* b, float* out) noexcept {
    const float d = halfAt(b + 208);
    for (int half = 0; half < 2; ++half) {
        const std::byte* const lows = b + 64 * half;
        const std::byte* const highs = b + 128 + 32 * half;
        const std::byte* const scales = b + 192 + 8 * half;
        for (int group = 0; group < 4; ++group) {
            for (int l = 0; l < 32; ++l) {
                const std::uint8_t packed = at(lows, l + 32 * (group % 2));
                const int u = (group < 2 ? low(packed) : high(packed)) + 16 * (at(highs, l) >> (2 * group) & 3);
                const auto scale = static_cast<std::int8_t>(at(scales, 2 * group + l / 16));
                out[128 * half + 32 * group + l] = d * static_cast<float>(scale) * static_cast<float>(u - 32);
            }
        }
    }
}

template <class Block>
void eachBlock(TensorType type, const std::byte* blocks, std::span<float> out, Block block) noexcept {
    const TensorTypeInfo& info = tensorTypeInfo(type);
    for (std::size_t done = 0; done + info.blockElements <= out.size(); done += info.blockElements) {
        block(blocks, out.data() + done);
        blocks += info.blockBytes;
    }
}

} // namespace

void dequantize(TensorType type, const std::byte* blocks, std::span<float> out) noexcept {
    switch (type) {
    case TensorType::f32:
        std::memcpy(out.data(), blocks, out.size_bytes());
        return;
    case TensorType::f16:
        return eachBlock(type, blocks, out, [](const std::byte* b, float* to) { *to = halfAt(b); });
    case TensorType::bf16:
        return eachBlock(type, blocks, out, [](const std::byte* b, float* to) {
            std::uint16_t bits = 0;
            std::memcpy(&bits, b, sizeof bits);
            *to = bfloatToFloat(bits);
        });
    case TensorType::q4_0:
        return eachBlock(type, blocks, out, blockQ4_0);
    case TensorType::q4_1:
        return eachBlock(type, blocks, out, blockQ4_1);
    case TensorType::q5_0:
        return eachBlock(type, blocks, out, blockQ5_0);
    case TensorType::q5_1:
        return eachBlock(type, blocks, out, blockQ5_1);
    case TensorType::q8_0:
        return eachBlock(type, blocks, out, blockQ8_0);
    case TensorType::q4_k:
        return eachBlock(type, blocks, out, blockQ4_K);
    case TensorType::q5_k:
        return eachBlock(type, blocks, out, blockQ5_K);
    case TensorType::q6_k:
        return eachBlock(type, blocks, out, blockQ6_K);
    }
}

float halfToFloat(std::uint16_t half) noexcept {
    const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
    const std::uint32_t exponent = half >> 10 & 31U;
    const std::uint32_t fraction = half & 0x3FFU;
    if (exponent == 31)
        return std::bit_cast<float>(sign | 0x7F800000U | fraction << 13);
    if (exponent != 0)
        return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
    // Subnormal halves are multiples of 2^-24, all of them normal as f32.
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
}

std::uint16_t floatToHalf(float value) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000U);
    const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
    if (magnitude > 0x7F800000U) // NaN stays NaN, quiet, with the upper bits of its payload
        return static_cast<std::uint16_t>(sign | 0x7E00U | (magnitude >> 13 & 0x1FFU));
    if (magnitude >= 0x477FF000U) // 65520 and more round to infinity
        return static_cast<std::uint16_t>(sign | 0x7C00U);
    if (magnitude < 0x38800000U) { // below 2^-14: subnormal; adding 0.5 leaves the multiple of 2^-24, rounded to even
        const float rounded = std::bit_cast<float>(magnitude) + 0.5F;
        return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(rounded) - 0x3F000000U));
    }
    const std::uint32_t odd = magnitude >> 13 & 1U;
    return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000U + 0xFFFU + odd) >> 13));
}

float bfloatToFloat(std::uint16_t value) noexcept {
    return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
}

} // namespace decodescope::engine
