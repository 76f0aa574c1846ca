#pragma once

#include "engine/cpu/row_kernels.h"

/// The row kernels over whatever `Vector` the including file has: norms, rotation, activations and stores. No
/// standard library here: an inline function of it, compiled with this file's flags, could end up in the whole
/// program and stop it on older processors.
namespace {

using namespace decodescope::engine;

/// e^x within 2e-7 of it, relatively; 0 below -87.3, e^88.3 above that; NaN stays NaN.
inline Vector exponential(Vector x) {
    const Vector lowest = Vector::all(-87.3F);
    const Vector bounded = Vector::lesser(Vector::all(88.3F), Vector::greater(lowest, x));
    const Vector n = Vector::round(bounded * Vector::all(1.44269504F));
    // ln 2 in two parts, the first with few bits, so that n times it is exact.
    Vector r = Vector::multiplyAdd(n, Vector::all(-0.693359375F), bounded);
    r = Vector::multiplyAdd(n, Vector::all(2.12194440e-4F), r);
    Vector sum = Vector::all(1.0F / 5040);
    sum = Vector::multiplyAdd(sum, r, Vector::all(1.0F / 720));
    sum = Vector::multiplyAdd(sum, r, Vector::all(1.0F / 120));
    sum = Vector::multiplyAdd(sum, r, Vector::all(1.0F / 24));
    sum = Vector::multiplyAdd(sum, r, Vector::all(1.0F / 6));
    sum = Vector::multiplyAdd(sum, r, Vector::all(0.5F));
    sum = Vector::multiplyAdd(sum, r, Vector::all(1.0F));
    sum = Vector::multiplyAdd(sum, r, Vector::all(1.0F));
    return Vector::keepWhereAtLeast(Vector::timesPowerOfTwo(sum, n), x, lowest);
}

/// y[i] = each(a[i], b[i]); the rest that fills no vector goes through a padded one.
template <class Each> void zip(const float* a, const float* b, std::uint32_t size, float* y, Each each) {
    std::uint32_t i = 0;
    for (; i + Vector::kLanes <= size; i += Vector::kLanes)
        each(Vector::load(a + i), Vector::load(b + i)).store(y + i);
    if (i == size)
        return;
    float left[Vector::kLanes] = {};
    float right[Vector::kLanes] = {};
    for (std::uint32_t k = i; k < size; ++k) {
        left[k - i] = a[k];
        right[k - i] = b[k];
    }
    each(Vector::load(left), Vector::load(right)).store(left);
    for (std::uint32_t k = i; k < size; ++k)
        y[k] = left[k - i];
}

void rmsNorm(const float* x, const float* weight, float epsilon, std::uint32_t size, float* y) {
    Vector sums[4] = {Vector::zero(), Vector::zero(), Vector::zero(), Vector::zero()};
    std::uint32_t i = 0;
    for (; i + 4 * Vector::kLanes <= size; i += 4 * Vector::kLanes) {
        for (std::uint32_t k = 0; k < 4; ++k) {
            const Vector part = Vector::load(x + i + k * Vector::kLanes);
            sums[k] = Vector::multiplyAdd(part, part, sums[k]);
        }
    }
    float squares = ((sums[0] + sums[1]) + (sums[2] + sums[3])).sum();
    for (; i < size; ++i)
        squares += x[i] * x[i];
    const Vector factor = Vector::all(1.0F / __builtin_sqrtf(squares / static_cast<float>(size) + epsilon));
    zip(x, weight, size, y, [factor](Vector value, Vector scale) { return value * factor * scale; });
}

void add(float* x, const float* y, std::uint32_t size) {
    zip(x, y, size, x, [](Vector a, Vector b) { return a + b; });
}

void scale(float* x, float factor, std::uint32_t size) {
    zip(x, x, size, x, [factor](Vector a, Vector) { return a * Vector::all(factor); });
}

void silu(const float* gate, const float* up, std::uint32_t size, float* y) {
    zip(gate, up, size, y, [](Vector g, Vector u) {
        const Vector one = Vector::all(1.0F);
        return g / (one + exponential(Vector::zero() - g)) * u;
    });
}

void geluTanh(const float* gate, const float* up, std::uint32_t size, float* y) {
    zip(gate, up, size, y, [](Vector g, Vector u) {
        // (1 + tanh(t)) / 2 = 1 / (1 + e^(-2t)) with t = sqrt(2 / pi) (g + 0.044715 g^3)
        const Vector one = Vector::all(1.0F);
        const Vector inner = Vector::multiplyAdd(g * g, Vector::all(0.044715F), one) * g;
        return g / (one + exponential(inner * Vector::all(-1.59576912F))) * u;
    });
}

void rotateAdjacent(float* x, const float* cosines, const float* sines, std::uint32_t pairs) {
    for (std::uint32_t i = 0; i < pairs; ++i) {
        const float a = x[2 * i];
        const float b = x[2 * i + 1];
        x[2 * i] = a * cosines[i] - b * sines[i];
        x[2 * i + 1] = a * sines[i] + b * cosines[i];
    }
}

void rotateHalves(float* x, const float* cosines, const float* sines, std::uint32_t pairs) {
    for (std::uint32_t i = 0; i < pairs; ++i) {
        const float a = x[i];
        const float b = x[i + pairs];
        x[i] = a * cosines[i] - b * sines[i];
        x[i + pairs] = a * sines[i] + b * cosines[i];
    }
}

/// kTile elements of a head from `at` on, zeros behind its end.
inline void headPart(const float* head, std::uint32_t headSize, std::uint32_t at, float* out) {
    for (std::uint32_t i = 0; i < kTile; ++i)
        out[i] = at + i < headSize ? head[at + i] : 0.0F;
}

/// kTile elements as f16, those too large for it at its greatest: an infinity would become NaN in the softmax.
inline void toHalves(const float* in, std::uint16_t* out) {
    for (std::uint32_t i = 0; i < kTile; i += Vector::kLanes) {
        const Vector bounded =
            Vector::lesser(Vector::all(65504.0F), Vector::greater(Vector::all(-65504.0F), Vector::load(in + i)));
        bounded.store(out + i);
    }
}

void storeHalf(const float* key, const float* value, std::uint32_t headSize, const KvHead& head, std::byte* block,
               std::uint32_t slot) {
    auto* const keys = reinterpret_cast<std::uint16_t*>(block);
    auto* const values = reinterpret_cast<std::uint16_t*>(block + head.valuesOffset) + slot * head.paddedHead;
    float part[kTile];
    std::uint16_t halves[kTile];
    for (std::uint32_t at = 0; at < head.paddedHead; at += kTile) {
        headPart(key, headSize, at, part);
        toHalves(part, halves);
        for (std::uint32_t i = 0; i < kTile; ++i)
            keys[(at + i) * kTile + slot] = halves[i];
        headPart(value, headSize, at, part);
        toHalves(part, values + at);
    }
}

/// kTile elements as int8 times the scale that is returned.
inline float toBytes(const float* in, std::int8_t* out) {
    Vector most = Vector::zero();
    for (std::uint32_t i = 0; i < kTile; i += Vector::kLanes)
        most = Vector::greater(most, Vector::absolute(Vector::load(in + i)));
    const float greatest = most.greatest();
    const float inverse = greatest > 0 ? 127.0F / greatest : 0.0F;
    float scaled[kTile];
    for (std::uint32_t i = 0; i < kTile; i += Vector::kLanes)
        Vector::round(Vector::load(in + i) * Vector::all(inverse)).store(scaled + i);
    for (std::uint32_t i = 0; i < kTile; ++i) // out of range only for a NaN or an infinity, which become 0
        out[i] = scaled[i] >= -127.0F && scaled[i] <= 127.0F ? static_cast<std::int8_t>(scaled[i]) : std::int8_t{0};
    return greatest / 127.0F;
}

void storeBytes(const float* key, const float* value, std::uint32_t headSize, const KvHead& head, std::byte* block,
                std::uint32_t slot) {
    auto* const keys = reinterpret_cast<std::int8_t*>(block);
    auto* const keyScales = reinterpret_cast<float*>(block + head.scalesOffset);
    auto* const values = reinterpret_cast<std::int8_t*>(block + head.valuesOffset) + slot * head.paddedHead;
    auto* const valueScales = reinterpret_cast<float*>(block + head.valuesOffset + head.scalesOffset);
    float part[kTile];
    std::int8_t bytes[kTile];
    for (std::uint32_t at = 0; at < head.paddedHead; at += kTile) {
        headPart(key, headSize, at, part);
        keyScales[at + slot] = toBytes(part, bytes);
        for (std::uint32_t i = 0; i < kTile; ++i)
            keys[(at + i) * kTile + slot] = bytes[i];
        headPart(value, headSize, at, part);
        valueScales[at + slot] = toBytes(part, values + at);
    }
}

std::uint64_t foldBytes(const std::byte* from, std::size_t bytes) {
    constexpr std::size_t kWords = 32;
    std::uint64_t folded[kWords] = {};
    std::size_t at = 0;
    for (; at + sizeof folded <= bytes; at += sizeof folded) {
        std::uint64_t words[kWords];
        __builtin_memcpy(words, from + at, sizeof words);
        for (std::size_t i = 0; i < kWords; ++i)
            folded[i] ^= words[i];
    }
    for (; at < bytes; at += sizeof folded[0]) {
        std::uint64_t word = 0;
        __builtin_memcpy(&word, from + at, sizeof word);
        folded[0] ^= word;
    }
    std::uint64_t all = 0;
    for (const std::uint64_t word : folded)
        all ^= word;
    return all;
}

} // namespace
