#include "engine/cpu/kernels.h"
#include "engine/cpu/number_tiles.h"
#include "engine/cpu/plane_layout.h"
#include "engine/cpu/prefetch.h"
#include "engine/cpu/unrolled.h"

#include <immintrin.h>

/// Quantised planes by AVX-512 VNNI: vpdpbusd multiplies 64 unsigned weights, four of each of 16 rows, by four signed
/// inputs that are broadcast. What a kind's unsigned weights are too large by times the sum of the inputs is taken off
/// where the accumulator starts.
namespace decodescope::engine {

namespace {

constexpr int kLanes = 16;
constexpr int kVectorBytes = 64;

/// 32-bit numbers by AVX-512, for the kernels of f16, bf16 and f32.
struct Numbers {
    using Floats = __m512;
    static constexpr int kLanes = 16;
    static constexpr int kRowsTogether = 8;

    [[gnu::always_inline]] static Floats zero() { return _mm512_setzero_ps(); }
    [[gnu::always_inline]] static Floats broadcast(float value) { return _mm512_set1_ps(value); }
    [[gnu::always_inline]] static Floats add(Floats a, Floats b) { return _mm512_add_ps(a, b); }
    [[gnu::always_inline]] static Floats multiplyAdd(Floats a, Floats b, Floats c) { return _mm512_fmadd_ps(a, b, c); }
    template <PlaneKind kind> [[gnu::always_inline]] static Floats weights(const std::byte* from) {
        if constexpr (kind == PlaneKind::f32)
            return _mm512_loadu_ps(reinterpret_cast<const float*>(from));
        const __m256i packed = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
        if constexpr (kind == PlaneKind::f16)
            return _mm512_cvtph_ps(packed);
        return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(packed), 16));
    }
    /// The first `count` lanes, if that is not all.
    [[gnu::always_inline]] static void store(float* to, std::uint32_t count, Floats value) {
        const auto mask = static_cast<__mmask16>(count >= kLanes ? 0xFFFFU : (1U << count) - 1);
        _mm512_mask_storeu_ps(to, mask, value);
    }
};

template <PlaneKind kind> struct Traits {
    static constexpr StepLayout layout = layoutOf(kind);
    static constexpr int stepBytes = static_cast<int>(layout.stepBytes()) * kLanes;
    static constexpr int headBytes = static_cast<int>(layout.headBytes) * kLanes;
    static constexpr int scaleBytes = static_cast<int>(layout.scaleBytes) * kLanes;
    static constexpr int quantBytes = static_cast<int>(layout.quantBytes) * kLanes;
    static constexpr bool superblocks = layout.headBytes != 0;
    static constexpr bool minima =
        kind == PlaneKind::q4_1 || kind == PlaneKind::q5_1 || kind == PlaneKind::q4_k || kind == PlaneKind::q5_k;
    /// 2^offsetBits is what the unsigned weights are too large by.
    static constexpr int offsetBits = kind == PlaneKind::q4_0   ? 3
                                      : kind == PlaneKind::q5_0 ? 4
                                      : kind == PlaneKind::q6_k ? 5
                                      : kind == PlaneKind::q8_0 ? 7
                                                                : 0;
};

[[gnu::always_inline]] inline __m512i loadVector(const std::byte* from) {
    return _mm512_loadu_si512(from);
}

[[gnu::always_inline]] inline __m512 halves(const std::byte* from) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}

/// Four inputs to every lane.
[[gnu::always_inline]] inline __m512i fourInputs(const ActivationBlock& x, int v) {
    int four;
    __builtin_memcpy(&four, x.quants + 4 * v, sizeof(four));
    return _mm512_set1_epi32(four);
}

/// The 32 x 16 weights of a step as unsigned bytes: vector v holds inputs 4v ... 4v + 3.
template <PlaneKind kind> [[gnu::always_inline]] inline void unpack(const std::byte* quants, __m512i (&weights)[8]) {
    using T = Traits<kind>;
    const std::byte* high = quants + T::quantBytes;
    if constexpr (kind == PlaneKind::q8_0) {
        unrolled<8>([&]<int v>() { weights[v] = loadVector(quants + v * kVectorBytes); });
    } else {
        const __m512i low = _mm512_set1_epi8(15);
        unrolled<4>([&]<int j>() {
            const __m512i both = loadVector(quants + j * kVectorBytes);
            weights[j] = _mm512_and_si512(both, low);
            weights[j + 4] = _mm512_and_si512(_mm512_srli_epi16(both, 4), low);
        });
    }
    // a | (b & c)
    constexpr int orAnd = 0xF8;
    if constexpr (T::layout.highBytes == 4) {
        const __m512i bits = loadVector(high);
        const __m512i fifth = _mm512_set1_epi8(16);
        unrolled<8>([&]<int v>() {
            const __m512i moved =
                v < 4 ? _mm512_slli_epi16(bits, v < 4 ? 4 - v : 0) : _mm512_srli_epi16(bits, v < 4 ? 0 : v - 4);
            weights[v] = _mm512_ternarylogic_epi32(weights[v], moved, fifth, orAnd);
        });
    }
    if constexpr (T::layout.highBytes == 8) {
        const __m512i sixth = _mm512_set1_epi8(48);
        unrolled<8>([&]<int v>() {
            constexpr int field = v % 4;
            const __m512i bits = loadVector(high + v / 4 * kVectorBytes);
            const __m512i moved = field < 2 ? _mm512_slli_epi16(bits, field < 2 ? 4 - 2 * field : 0)
                                            : _mm512_srli_epi16(bits, field < 2 ? 0 : 2 * field - 4);
            weights[v] = _mm512_ternarylogic_epi32(weights[v], moved, sixth, orAnd);
        });
    }
}

/// Scales of inputs 0-15 and 16-31 (the same but for q6_k) and what is added per unit of input.
struct Scales {
    __m512 first, second, minimum;
};

template <PlaneKind kind>
[[gnu::always_inline]] inline Scales readScales(const std::byte* from, __m512 headScale, __m512 headMinimum) {
    using T = Traits<kind>;
    Scales scales;
    scales.minimum = _mm512_setzero_ps();
    if constexpr (T::superblocks) {
        const __m128i first = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
        const __m128i second = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + kLanes));
        if constexpr (kind == PlaneKind::q6_k) {
            scales.first = _mm512_mul_ps(headScale, _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(first)));
            scales.second = _mm512_mul_ps(headScale, _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(second)));
        } else {
            scales.first = _mm512_mul_ps(headScale, _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(first)));
            scales.second = scales.first;
            scales.minimum = _mm512_mul_ps(headMinimum, _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(second)));
        }
    } else {
        scales.first = halves(from);
        scales.second = scales.first;
        if constexpr (T::minima)
            scales.minimum = halves(from + 2 * kLanes);
    }
    return scales;
}

template <PlaneKind kind> [[gnu::always_inline]] inline __m512i startAt(const std::int32_t& minusSum) {
    constexpr int bits = Traits<kind>::offsetBits;
    if constexpr (bits == 0)
        return _mm512_setzero_si512();
    else
        return _mm512_slli_epi32(_mm512_set1_epi32(minusSum), bits);
}

/// sum + one step's products with one row's inputs.
template <PlaneKind kind>
[[gnu::always_inline]] inline __m512 addProducts(__m512 sum, const __m512i (&weights)[8], const Scales& scales,
                                                 const ActivationBlock& x) {
    const __m512 xScale = _mm512_set1_ps(x.scale);
    if constexpr (kind == PlaneKind::q6_k) {
        __m512i first = startAt<kind>(x.minusHalf[0]);
        __m512i second = startAt<kind>(x.minusHalf[1]);
        unrolled<4>([&]<int v>() {
            first = _mm512_dpbusd_epi32(first, weights[v], fourInputs(x, v));
            second = _mm512_dpbusd_epi32(second, weights[v + 4], fourInputs(x, v + 4));
        });
        const __m512 both = _mm512_fmadd_ps(_mm512_cvtepi32_ps(second), scales.second,
                                            _mm512_mul_ps(_mm512_cvtepi32_ps(first), scales.first));
        return _mm512_fmadd_ps(both, xScale, sum);
    } else {
        __m512i dot = startAt<kind>(x.minusSum);
        unrolled<8>([&]<int v>() { dot = _mm512_dpbusd_epi32(dot, weights[v], fourInputs(x, v)); });
        if constexpr (Traits<kind>::minima) {
            const __m512 xSum = _mm512_set1_ps(x.scaledSum);
            sum = Traits<kind>::superblocks ? _mm512_fnmadd_ps(scales.minimum, xSum, sum)
                                            : _mm512_fmadd_ps(scales.minimum, xSum, sum);
        }
        return _mm512_fmadd_ps(_mm512_cvtepi32_ps(dot), _mm512_mul_ps(scales.first, xScale), sum);
    }
}

template <PlaneKind kind, int R>
[[gnu::always_inline]] inline void step(const std::byte* from, __m512 headScale, __m512 headMinimum,
                                        const ActivationBlock* x, __m512 (&sums)[R]) {
    using T = Traits<kind>;
    prefetch<R, T::stepBytes>(from);
    const Scales scales = readScales<kind>(from, headScale, headMinimum);
    __m512i weights[8];
    unpack<kind>(from + T::scaleBytes, weights);
    unrolled<R>([&]<int r>() { sums[r] = addProducts<kind>(sums[r], weights, scales, x[r]); });
}

template <PlaneKind kind, int R> [[gnu::flatten]] void multiplyTile(const TileTask& task) {
    using T = Traits<kind>;
    const std::uint32_t steps = task.cols / 32;
    for (std::uint32_t group = 0; group < task.groups; ++group) {
        const std::byte* from = task.weights + group * task.groupBytes;
        const ActivationBlock* x = task.blocks;
        __m512 sums[R];
        unrolled<R>([&]<int r>() { sums[r] = _mm512_setzero_ps(); });
        if constexpr (T::superblocks) {
            for (std::uint32_t block = 0; block < steps / kStepsPerSuperblock; ++block) {
                const __m512 headScale = halves(from);
                const __m512 headMinimum = T::minima ? halves(from + 2 * kLanes) : _mm512_setzero_ps();
                from += T::headBytes;
                for (std::uint32_t s = 0; s < kStepsPerSuperblock; ++s, from += T::stepBytes, x += R)
                    step<kind, R>(from, headScale, headMinimum, x, sums);
            }
        } else {
            const __m512 none = _mm512_setzero_ps();
            for (std::uint32_t s = 0; s < steps; ++s, from += T::stepBytes, x += R)
                step<kind, R>(from, none, none, x, sums);
        }
        const std::uint32_t output = group * kLanes;
        unrolled<R>(
            [&]<int r>() { Numbers::store(task.y + r * task.yStride + output, task.outputs - output, sums[r]); });
    }
}

void quantizeRow(const float* values, std::uint32_t cols, std::uint32_t height, ActivationBlock* out) {
    for (std::uint32_t col = 0; col < cols; col += 32, out += height) {
        const std::uint32_t left = cols - col;
        const std::uint32_t mask = left >= 32 ? 0xFFFFFFFFU : (1U << left) - 1;
        const __m512 first = _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask & 0xFFFF), values + col);
        const __m512 second = _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask >> 16), values + col + 16);
        // As integers, so that NaN is the largest of all.
        const __m512i magnitude = _mm512_set1_epi32(0x7FFFFFFF);
        const std::uint32_t largestBits =
            _mm512_reduce_max_epu32(_mm512_max_epu32(_mm512_and_si512(_mm512_castps_si512(first), magnitude),
                                                     _mm512_and_si512(_mm512_castps_si512(second), magnitude)));
        const bool finite = largestBits < 0x7F800000U;
        const float largest = finite ? __builtin_bit_cast(float, largestBits) : 0;
        const float inverse = largest < kSmallestScaled ? 0 : 127 / largest;
        const __m512 by = _mm512_set1_ps(inverse);
        const __mmask16 keep = static_cast<__mmask16>(inverse > 0 ? 0xFFFF : 0);
        const __m512i firstQuants = _mm512_maskz_cvtps_epi32(keep, _mm512_mul_ps(first, by));
        const __m512i secondQuants = _mm512_maskz_cvtps_epi32(keep, _mm512_mul_ps(second, by));
        _mm_store_si128(reinterpret_cast<__m128i*>(out->quants), _mm512_cvtsepi32_epi8(firstQuants));
        _mm_store_si128(reinterpret_cast<__m128i*>(out->quants + 16), _mm512_cvtsepi32_epi8(secondQuants));
        const int sums[2] = {_mm512_reduce_add_epi32(firstQuants), _mm512_reduce_add_epi32(secondQuants)};
        out->scale = finite ? largest / 127 : __builtin_nanf("");
        out->scaledSum = out->scale * static_cast<float>(sums[0] + sums[1]);
        out->minusSum = -(sums[0] + sums[1]);
        out->minusHalf[0] = -sums[0];
        out->minusHalf[1] = -sums[1];
    }
}

template <PlaneKind kind>
constexpr TileKernel kTiles[kTileRows] = {multiplyTile<kind, 1>, multiplyTile<kind, 2>, multiplyTile<kind, 3>,
                                          multiplyTile<kind, 4>, multiplyTile<kind, 5>, multiplyTile<kind, 6>,
                                          multiplyTile<kind, 7>, multiplyTile<kind, 8>};

} // namespace

const KernelSet& avx512Kernels() noexcept {
    static constexpr KernelSet set{quantizeRow,
                                   {kTiles<PlaneKind::q4_0>, kTiles<PlaneKind::q4_1>, kTiles<PlaneKind::q5_0>,
                                    kTiles<PlaneKind::q5_1>, kTiles<PlaneKind::q8_0>, kTiles<PlaneKind::q4_k>,
                                    kTiles<PlaneKind::q5_k>, kTiles<PlaneKind::q6_k>,
                                    kNumberTilesOf<Numbers, PlaneKind::f16>, kNumberTilesOf<Numbers, PlaneKind::bf16>,
                                    kNumberTilesOf<Numbers, PlaneKind::f32>}};
    return set;
}

} // namespace decodescope::engine
