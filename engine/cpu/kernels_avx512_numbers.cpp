#include "engine/cpu/kernels.h"
#include "engine/cpu/unrolled.h"

#include <immintrin.h>

/// f16, bf16 and f32 planes by AVX-512: weights widened to f32, inputs broadcast, everything summed in f32.
namespace decodescope::engine {

namespace {

constexpr std::uint32_t kLanes = 16;
constexpr int kPrefetchBytes = 4096;

template <PlaneKind kind> constexpr int kColumnBytes = kind == PlaneKind::f32 ? 64 : 32;

/// One input's weights, of 16 rows.
template <PlaneKind kind> [[gnu::always_inline]] inline __m512 weightsAt(const std::byte* from) {
    if constexpr (kind == PlaneKind::f32)
        return _mm512_loadu_ps(from);
    const __m256i packed = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    if constexpr (kind == PlaneKind::f16)
        return _mm512_cvtph_ps(packed);
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(packed), 16));
}

/// R rows of inputs times G groups, U inputs at a time, each with sums of its own: enough of them that an addition
/// need not wait for the one before it.
template <PlaneKind kind, int R, int G, int U> void multiplyGroups(const TileTask& task, std::uint32_t group) {
    constexpr int bytes = kColumnBytes<kind>;
    const std::byte* from = task.weights + group * task.groupBytes;
    const float* x = task.values;
    __m512 sums[U][G][R];
    unrolled<U>([&]<int u>() {
        unrolled<G>([&]<int g>() { unrolled<R>([&]<int r>() { sums[u][g][r] = _mm512_setzero_ps(); }); });
    });
    const auto column = [&]<int u>() {
        __m512 weights[G];
        unrolled<G>([&]<int g>() { weights[g] = weightsAt<kind>(from + g * task.groupBytes + u * bytes); });
        unrolled<R>([&]<int r>() {
            const __m512 input = _mm512_set1_ps(x[r * task.valueStride + u]);
            unrolled<G>([&]<int g>() { sums[u][g][r] = _mm512_fmadd_ps(weights[g], input, sums[u][g][r]); });
        });
    };
    std::uint32_t left = task.cols;
    for (; left >= U; left -= U, from += U * bytes, x += U) {
        if constexpr (G == 1) {
            unrolled<(U * bytes + 63) / 64>([&]<int line>() {
                _mm_prefetch(reinterpret_cast<const char*>(from) + kPrefetchBytes + 64 * line, _MM_HINT_T0);
            });
        }
        unrolled<U>(column);
    }
    for (; left > 0; --left, from += bytes, ++x)
        column.template operator()<0>();
    unrolled<G>([&]<int g>() {
        const std::uint32_t first = (group + g) * kLanes;
        const std::uint32_t rows = task.outputs - first;
        const auto mask = static_cast<__mmask16>(rows >= kLanes ? 0xFFFFU : (1U << rows) - 1);
        unrolled<R>([&]<int r>() {
            __m512 sum = sums[0][g][r];
            unrolled<U - 1>([&]<int u>() { sum = _mm512_add_ps(sum, sums[u + 1][g][r]); });
            _mm512_mask_storeu_ps(task.y + r * task.yStride + first, mask, sum);
        });
    });
}

template <PlaneKind kind, int R> void multiplyTile(const TileTask& task) {
    constexpr int together = R > 2 ? 3 : 1;
    constexpr int unroll = R == 1 ? 4 : R < 4 ? 2 : 1;
    std::uint32_t group = 0;
    for (; group + together <= task.groups; group += together)
        multiplyGroups<kind, R, together, together == 1 ? unroll : 1>(task, group);
    for (; group < task.groups; ++group)
        multiplyGroups<kind, R, 1, unroll>(task, group);
}

} // namespace

#define DECODESCOPE_TILES(kind)                                                                                        \
    {                                                                                                                  \
        multiplyTile<kind, 1>, multiplyTile<kind, 2>, multiplyTile<kind, 3>, multiplyTile<kind, 4>,                    \
            multiplyTile<kind, 5>, multiplyTile<kind, 6>, multiplyTile<kind, 7>, multiplyTile<kind, 8>                 \
    }
const TileKernel kAvx512F16Tiles[kTileRows] = DECODESCOPE_TILES(PlaneKind::f16);
const TileKernel kAvx512Bf16Tiles[kTileRows] = DECODESCOPE_TILES(PlaneKind::bf16);
const TileKernel kAvx512F32Tiles[kTileRows] = DECODESCOPE_TILES(PlaneKind::f32);
#undef DECODESCOPE_TILES

} // namespace decodescope::engine
