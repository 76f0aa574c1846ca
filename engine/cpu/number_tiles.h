#pragma once

#include "engine/cpu/kernels.h"
#include "engine/cpu/prefetch.h"
#include "engine/cpu/unrolled.h"

/// The kernels of f16, bf16 and f32 planes, written once for every width of vector: weights widened to f32, inputs
/// broadcast, everything summed in f32. `V` says what a vector is; it comes from an unnamed namespace, so that each
/// instruction set has an instance of its own.
namespace decodescope::engine {

template <PlaneKind kind> inline constexpr std::uint32_t kNumberBytes = kind == PlaneKind::f32 ? 4 : 2;

/// R rows of inputs from row `first` times G groups, U inputs at a time, each with sums of its own: enough of them
/// that an addition need not wait for the one before it.
template <class V, PlaneKind kind, int R, int G, int U>
void multiplyNumberGroups(const TileTask& task, std::uint32_t first, std::uint32_t group) {
    constexpr std::uint32_t bytes = kNumberBytes<kind> * V::kLanes;
    const std::byte* from = task.weights + group * task.groupBytes;
    const float* x = task.values + first * task.valueStride;
    typename V::Floats sums[U][G][R];
    unrolled<U>(
        [&]<int u>() { unrolled<G>([&]<int g>() { unrolled<R>([&]<int r>() { sums[u][g][r] = V::zero(); }); }); });
    const auto column = [&]<int u>() {
        typename V::Floats weights[G];
        unrolled<G>([&]<int g>() { weights[g] = V::template weights<kind>(from + g * task.groupBytes + u * bytes); });
        unrolled<R>([&]<int r>() {
            const typename V::Floats input = V::broadcast(x[r * task.valueStride + u]);
            unrolled<G>([&]<int g>() { sums[u][g][r] = V::multiplyAdd(weights[g], input, sums[u][g][r]); });
        });
    };
    std::uint32_t left = task.cols;
    for (; left >= U; left -= U, from += U * bytes, x += U) {
        for (int g = 0; g < G; ++g)
            prefetch<R, U * bytes>(from + g * task.groupBytes);
        unrolled<U>(column);
    }
    for (; left > 0; --left, from += bytes, ++x)
        column.template operator()<0>();
    unrolled<G>([&]<int g>() {
        const std::uint32_t output = (group + g) * V::kLanes;
        unrolled<R>([&]<int r>() {
            typename V::Floats sum = sums[0][g][r];
            unrolled<U - 1>([&]<int u>() { sum = V::add(sum, sums[u + 1][g][r]); });
            V::store(task.y + (first + r) * task.yStride + output, task.outputs - output, sum);
        });
    });
}

template <class V, PlaneKind kind, int R> [[gnu::flatten]] void multiplyNumberTile(const TileTask& task) {
    constexpr int parts = (R + V::kRowsTogether - 1) / V::kRowsTogether;
    // Few rows wait for memory, and one stream of weights is read best; many rows share what they loaded.
    constexpr int together = R * 2 > V::kRowsTogether ? 3 : 1;
    std::uint32_t group = 0;
    const auto run = [&]<int G>() {
        for (; group + G <= task.groups; group += G) {
            unrolled<parts>([&]<int part>() {
                constexpr int first = part * V::kRowsTogether;
                constexpr int rows = R - first < V::kRowsTogether ? R - first : V::kRowsTogether;
                // The same for one group as for three, so that results do not depend on who took which groups.
                constexpr int unroll = together > 1 ? 1 : rows == 1 ? 8 : rows == 2 ? 4 : 2;
                multiplyNumberGroups<V, kind, rows, G, unroll>(task, first, group);
            });
        }
    };
    run.template operator()<together>();
    if constexpr (together > 1)
        run.template operator()<1>();
}

/// The kernels of all heights of a tile.
template <class V, PlaneKind kind>
constexpr TileKernel kNumberTilesOf[kTileRows] = {multiplyNumberTile<V, kind, 1>, multiplyNumberTile<V, kind, 2>,
                                                  multiplyNumberTile<V, kind, 3>, multiplyNumberTile<V, kind, 4>,
                                                  multiplyNumberTile<V, kind, 5>, multiplyNumberTile<V, kind, 6>,
                                                  multiplyNumberTile<V, kind, 7>, multiplyNumberTile<V, kind, 8>};

} // namespace decodescope::engine
