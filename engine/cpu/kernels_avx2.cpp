#include "engine/cpu/kernels.h"
#include "engine/cpu/number_tiles.h"
#include "engine/cpu/plane_layout.h"
#include "engine/cpu/prefetch.h"
#include "engine/cpu/unrolled.h"

#include <immintrin.h>

/// Quantised planes by AVX2: vpmaddubsw multiplies 32 unsigned weights, four of each of 8 rows, by four signed inputs
/// that are broadcast, and adds pairs in 16 bits, where small weights leave room for several such sums.
namespace decodescope::engine {

namespace {

constexpr std::uint32_t kLanes = 8;
constexpr std::uint32_t kVectorBytes = 32;
/// Rows that the registers have room for at a time.
constexpr int kRowsTogether = 4;

/// 32-bit numbers by AVX2, for the kernels of f16, bf16 and f32.
struct Numbers {
    using Floats = __m256;
    static constexpr int kLanes = 8;
    static constexpr int kRowsTogether = 4;

    [[gnu::always_inline]] static Floats zero() { return _mm256_setzero_ps(); }
    [[gnu::always_inline]] static Floats broadcast(float value) { return _mm256_set1_ps(value); }
    [[gnu::always_inline]] static Floats add(Floats a, Floats b) { return _mm256_add_ps(a, b); }
    [[gnu::always_inline]] static Floats multiplyAdd(Floats a, Floats b, Floats c) { return _mm256_fmadd_ps(a, b, c); }
    template <PlaneKind kind> [[gnu::always_inline]] static Floats weights(const std::byte* from) {
        if constexpr (kind == PlaneKind::f32)
            return _mm256_loadu_ps(reinterpret_cast<const float*>(from));
        const __m128i packed = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
        if constexpr (kind == PlaneKind::f16)
            return _mm256_cvtph_ps(packed);
        return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(packed), 16));
    }
    /// The first `count` lanes, if that is not all.
    [[gnu::always_inline]] static void store(float* to, std::uint32_t count, Floats value) {
        const int lanes = count < kLanes ? static_cast<int>(count) : kLanes;
        _mm256_maskstore_ps(to, _mm256_cmpgt_epi32(_mm256_set1_epi32(lanes), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)),
                            value);
    }
};

template <PlaneKind kind> struct Traits {
    static constexpr StepLayout layout = layoutOf(kind);
    static constexpr std::uint32_t stepBytes = layout.stepBytes() * kLanes;
    static constexpr std::uint32_t headBytes = layout.headBytes * kLanes;
    static constexpr std::uint32_t scaleBytes = layout.scaleBytes * kLanes;
    static constexpr std::uint32_t quantBytes = layout.quantBytes * kLanes;
    static constexpr bool superblocks = layout.headBytes != 0;
    /// Whether the file has minima; the others' come of the offset of their unsigned weights.
    static constexpr bool minima =
        kind == PlaneKind::q4_1 || kind == PlaneKind::q5_1 || kind == PlaneKind::q4_k || kind == PlaneKind::q5_k;
    static constexpr float offset = kind == PlaneKind::q4_0 ? 8 : kind == PlaneKind::q5_0 ? 16 : 0;
    /// Vectors whose products fit 16 bits together: 2 * 127 * the largest weight each.
    static constexpr int vectorsIn16Bits = kind == PlaneKind::q8_0   ? 1
                                           : kind == PlaneKind::q6_k ? 2
                                           : layout.highBytes != 0   ? 4
                                                                     : 8;
};

[[gnu::always_inline]] inline __m256i loadVector(const std::byte* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

[[gnu::always_inline]] inline __m256 halves(const std::byte* from) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}

[[gnu::always_inline]] inline __m128i eightBytes(const std::byte* from) {
    return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
}

/// Four inputs to every lane.
template <int v> [[gnu::always_inline]] inline __m256i fourInputs(const ActivationBlock& x) {
    int four;
    __builtin_memcpy(&four, x.quants + 4 * v, sizeof(four));
    return _mm256_set1_epi32(four);
}

/// Inputs 4v ... 4v + 3 of 8 rows as bytes: unsigned, but signed of q8_0.
template <PlaneKind kind, int v> [[gnu::always_inline]] inline __m256i weightsAt(const std::byte* quants) {
    using T = Traits<kind>;
    if constexpr (kind == PlaneKind::q8_0) {
        return _mm256_xor_si256(loadVector(quants + v * kVectorBytes), _mm256_set1_epi8(-128));
    } else {
        const __m256i both = loadVector(quants + v % 4 * kVectorBytes);
        const __m256i weights = _mm256_and_si256(v < 4 ? both : _mm256_srli_epi16(both, 4), _mm256_set1_epi8(15));
        if constexpr (T::layout.highBytes == 0) {
            return weights;
        } else {
            // A fifth bit of each vector, or two of the four vectors of a half: moved to bit 4 from where they are.
            constexpr bool two = T::layout.highBytes == 8;
            constexpr int place = two ? 2 * (v % 4) : v;
            const __m256i bits = loadVector(quants + T::quantBytes + (two ? v / 4 * kVectorBytes : 0));
            const __m256i moved = place < 4 ? _mm256_slli_epi16(bits, place < 4 ? 4 - place : 0)
                                            : _mm256_srli_epi16(bits, place < 4 ? 0 : place - 4);
            return _mm256_or_si256(weights, _mm256_and_si256(moved, _mm256_set1_epi8(two ? 48 : 16)));
        }
    }
}

/// Scales of inputs 0-15 and 16-31 (the same but for q6_k), and what is added per unit of input.
struct Scales {
    __m256 scale[2];
    __m256 minimum;
};

template <PlaneKind kind>
[[gnu::always_inline]] inline Scales readScales(const std::byte* from, __m256 headScale, __m256 headMinimum) {
    using T = Traits<kind>;
    Scales scales;
    if constexpr (kind == PlaneKind::q6_k) {
        unrolled<2>([&]<int half>() {
            const __m256i whole = _mm256_cvtepi8_epi32(eightBytes(from + half * kLanes));
            scales.scale[half] = _mm256_mul_ps(headScale, _mm256_cvtepi32_ps(whole));
        });
        scales.minimum = _mm256_setzero_ps();
        return scales;
    } else if constexpr (T::superblocks) {
        scales.scale[0] = _mm256_mul_ps(headScale, _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(eightBytes(from))));
        // The head's minimum is given with its sign turned.
        scales.minimum =
            _mm256_mul_ps(headMinimum, _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(eightBytes(from + kLanes))));
    } else {
        scales.scale[0] = halves(from);
        scales.minimum =
            T::minima ? halves(from + 2 * kLanes) : _mm256_mul_ps(scales.scale[0], _mm256_set1_ps(-T::offset));
    }
    scales.scale[1] = scales.scale[0];
    return scales;
}

/// One vector of weights times R rows, added to 16-bit sums (begun anew after each flush) and from there to 32-bit.
template <PlaneKind kind, int v, int R>
[[gnu::always_inline]] inline void addVector(const std::byte* quants, const ActivationBlock* x, __m256i (&sums16)[R],
                                             __m256i (&dots)[R]) {
    constexpr int together = Traits<kind>::vectorsIn16Bits;
    constexpr bool begins = v % together == 0;
    constexpr bool ends = v % together == together - 1;
    const __m256i weights = weightsAt<kind, v>(quants);
    unrolled<R>([&]<int r>() {
        __m256i inputs = fourInputs<v>(x[r]);
        __m256i products;
        if constexpr (kind == PlaneKind::q8_0) {
            inputs = _mm256_sign_epi8(inputs, weights);
            products = _mm256_maddubs_epi16(_mm256_abs_epi8(weights), inputs);
        } else {
            products = _mm256_maddubs_epi16(weights, inputs);
        }
        sums16[r] = begins ? products : _mm256_add_epi16(sums16[r], products);
        if constexpr (ends) {
            const __m256i wide = _mm256_madd_epi16(sums16[r], _mm256_set1_epi16(1));
            // The first of a step, of q6_k of each half, sets the dots.
            constexpr bool first = (kind == PlaneKind::q6_k ? v % 4 : v) < together;
            dots[r] = first ? wide : _mm256_add_epi32(dots[r], wide);
        }
    });
}

template <PlaneKind kind, int R>
[[gnu::always_inline]] inline void step(const std::byte* from, __m256 headScale, __m256 headMinimum,
                                        const ActivationBlock* x, __m256 (&sums)[R]) {
    using T = Traits<kind>;
    prefetch<R, T::stepBytes>(from);
    const std::byte* quants = from + T::scaleBytes;
    const Scales scales = readScales<kind>(from, headScale, headMinimum);
    __m256i sums16[R];
    __m256i dots[R];
    const auto addScaled = [&]<int half>() {
        unrolled<R>([&]<int r>() {
            const __m256 scale = _mm256_mul_ps(scales.scale[half], _mm256_set1_ps(x[r].scale));
            sums[r] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(dots[r]), scale, sums[r]);
        });
    };
    if constexpr (kind == PlaneKind::q6_k) {
        unrolled<2>([&]<int half>() {
            unrolled<4>([&]<int v>() { addVector<kind, 4 * half + v, R>(quants, x, sums16, dots); });
            // Offsets in whole numbers: 32 times the half's sum.
            unrolled<R>(
                [&]<int r>() { dots[r] = _mm256_add_epi32(dots[r], _mm256_set1_epi32(x[r].minusHalf[half] * 32)); });
            addScaled.template operator()<half>();
        });
    } else {
        unrolled<8>([&]<int v>() { addVector<kind, v, R>(quants, x, sums16, dots); });
        addScaled.template operator()<0>();
        if constexpr (kind != PlaneKind::q8_0)
            unrolled<R>(
                [&]<int r>() { sums[r] = _mm256_fmadd_ps(scales.minimum, _mm256_set1_ps(x[r].scaledSum), sums[r]); });
    }
}

/// R rows of a tile of `height`, one group.
template <PlaneKind kind, int R>
[[gnu::always_inline]] inline void multiplyRows(const std::byte* from, std::uint32_t steps, const ActivationBlock* x,
                                                std::uint32_t height, __m256 (&sums)[R]) {
    using T = Traits<kind>;
    unrolled<R>([&]<int r>() { sums[r] = _mm256_setzero_ps(); });
    if constexpr (T::superblocks) {
        for (std::uint32_t block = 0; block < steps / kStepsPerSuperblock; ++block) {
            const __m256 headScale = halves(from);
            const __m256 headMinimum =
                T::minima ? _mm256_xor_ps(halves(from + 2 * kLanes), _mm256_set1_ps(-0.0F)) : _mm256_setzero_ps();
            from += T::headBytes;
            for (std::uint32_t s = 0; s < kStepsPerSuperblock; ++s, from += T::stepBytes, x += height)
                step<kind, R>(from, headScale, headMinimum, x, sums);
        }
    } else {
        const __m256 none = _mm256_setzero_ps();
        for (std::uint32_t s = 0; s < steps; ++s, from += T::stepBytes, x += height)
            step<kind, R>(from, none, none, x, sums);
    }
}

template <PlaneKind kind, int R> [[gnu::flatten]] void multiplyTile(const TileTask& task) {
    const std::uint32_t steps = task.cols / 32;
    for (std::uint32_t group = 0; group < task.groups; ++group) {
        const std::byte* from = task.weights + group * task.groupBytes;
        const std::uint32_t output = group * kLanes;
        unrolled<(R + kRowsTogether - 1) / kRowsTogether>([&]<int part>() {
            constexpr int first = part * kRowsTogether;
            constexpr int count = R - first < kRowsTogether ? R - first : kRowsTogether;
            __m256 sums[count];
            multiplyRows<kind, count>(from, steps, task.blocks + first, R, sums);
            unrolled<count>([&]<int r>() {
                Numbers::store(task.y + (first + r) * task.yStride + output, task.outputs - output, sums[r]);
            });
        });
    }
}

/// 32 numbers to one block.
void quantizeBlock(const float* values, ActivationBlock& out) {
    __m256 numbers[4];
    __m256i largest = _mm256_setzero_si256();
    unrolled<4>([&]<int i>() {
        numbers[i] = _mm256_loadu_ps(values + 8 * i);
        // As integers, so that NaN is the largest of all.
        largest =
            _mm256_max_epi32(largest, _mm256_and_si256(_mm256_castps_si256(numbers[i]), _mm256_set1_epi32(0x7FFFFFFF)));
    });
    __m128i most = _mm_max_epi32(_mm256_castsi256_si128(largest), _mm256_extracti128_si256(largest, 1));
    most = _mm_max_epi32(most, _mm_shuffle_epi32(most, 0x4E));
    most = _mm_max_epi32(most, _mm_shuffle_epi32(most, 0xB1));
    const auto bits = static_cast<std::uint32_t>(_mm_cvtsi128_si32(most));
    const bool finite = bits < 0x7F800000U;
    const float magnitude = finite ? __builtin_bit_cast(float, bits) : 0;
    const float inverse = magnitude < kSmallestScaled ? 0 : 127 / magnitude;
    __m256i quants[4];
    unrolled<4>([&]<int i>() {
        const __m256i whole = _mm256_cvtps_epi32(_mm256_mul_ps(numbers[i], _mm256_set1_ps(inverse)));
        quants[i] = inverse > 0 ? whole : _mm256_setzero_si256();
    });
    // Packing works within 128-bit halves: afterwards groups of four lie in the order 0 2 4 6 1 3 5 7.
    const __m256i packed =
        _mm256_packs_epi16(_mm256_packs_epi32(quants[0], quants[1]), _mm256_packs_epi32(quants[2], quants[3]));
    const __m256i ordered = _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    _mm256_store_si256(reinterpret_cast<__m256i*>(out.quants), ordered);
    const auto sumOf = [](__m256i eight) {
        __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
        sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4E));
        return _mm_cvtsi128_si32(_mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xB1)));
    };
    const int first = sumOf(_mm256_add_epi32(quants[0], quants[1]));
    const int second = sumOf(_mm256_add_epi32(quants[2], quants[3]));
    out.scale = finite ? magnitude / 127 : __builtin_nanf("");
    out.scaledSum = out.scale * static_cast<float>(first + second);
    out.minusSum = -(first + second);
    out.minusHalf[0] = -first;
    out.minusHalf[1] = -second;
}

void quantizeRow(const float* values, std::uint32_t cols, std::uint32_t height, ActivationBlock* out) {
    std::uint32_t col = 0;
    for (; col + 32 <= cols; col += 32, out += height)
        quantizeBlock(values + col, *out);
    if (col < cols) {
        float filled[32] = {};
        for (std::uint32_t i = 0; col + i < cols; ++i)
            filled[i] = values[col + i];
        quantizeBlock(filled, *out);
    }
}

template <PlaneKind kind>
constexpr TileKernel kTiles[kTileRows] = {multiplyTile<kind, 1>, multiplyTile<kind, 2>, multiplyTile<kind, 3>,
                                          multiplyTile<kind, 4>, multiplyTile<kind, 5>, multiplyTile<kind, 6>,
                                          multiplyTile<kind, 7>, multiplyTile<kind, 8>};

} // namespace

const KernelSet& avx2Kernels() noexcept {
    static constexpr KernelSet set{quantizeRow,
                                   {kTiles<PlaneKind::q4_0>, kTiles<PlaneKind::q4_1>, kTiles<PlaneKind::q5_0>,
                                    kTiles<PlaneKind::q5_1>, kTiles<PlaneKind::q8_0>, kTiles<PlaneKind::q4_k>,
                                    kTiles<PlaneKind::q5_k>, kTiles<PlaneKind::q6_k>,
                                    kNumberTilesOf<Numbers, PlaneKind::f16>, kNumberTilesOf<Numbers, PlaneKind::bf16>,
                                    kNumberTilesOf<Numbers, PlaneKind::f32>}};
    return set;
}

} // namespace decodescope::engine
