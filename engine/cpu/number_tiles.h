#pragma once

#include "engine/cpu/kernels.h"
#include "engine/cpu/prefetch.h"
#include "engine/cpu/unrolled.h"

/// The kernels of f16, bf16 and f32 planes, written once for every width of vector: weights widened to f32, inputs
/// broadcast, everything summed in f32. `V` says what a vector is; it comes from an unnamed namespace, so that each
/// instruction set has an instance of its own.
namespace decodescope::engine {

template <PlaneKind kind> inline constexpr std::uint32_t kNumberBytes = kind == PlaneKind::f32 ? 4 : 2;

/// Every output is kNumberSums sums of its own: input i goes to sum i modulo kNumberSums, those that are left at the
/// end to the first, and the sums are added in order. Both ways below keep to that, so a row's results are the same
/// bits whatever rows and groups are worked on with it.
inline constexpr int kNumberSums = 4;

/// R rows of inputs from row `first` times G groups.
template <class V, PlaneKind kind, int R, int G> struct NumberTile {
    static constexpr std::uint32_t kBytes = kNumberBytes<kind> * V::kLanes;
    using Sums = typename V::Floats[G][R];

    static void clear(Sums& sums) {
        unrolled<G>([&]<int g>() { unrolled<R>([&]<int r>() { sums[g][r] = V::zero(); }); });
    }
    /// Adds to `sums` one input's part.
    [[gnu::always_inline]] static void column(const TileTask& task, const std::byte* from, const float* x, Sums& sums) {
        typename V::Floats weights[G];
        unrolled<G>([&]<int g>() { weights[g] = V::template weights<kind>(from + g * task.groupBytes); });
        unrolled<R>([&]<int r>() {
            const typename V::Floats input = V::broadcast(x[r * task.valueStride]);
            unrolled<G>([&]<int g>() { sums[g][r] = V::multiplyAdd(weights[g], input, sums[g][r]); });
        });
    }
    static void add(Sums& totals, const Sums& sums) {
        unrolled<G>([&]<int g>() { unrolled<R>([&]<int r>() { totals[g][r] = V::add(totals[g][r], sums[g][r]); }); });
    }
    static void store(const TileTask& task, std::uint32_t first, std::uint32_t group, const Sums& totals) {
        unrolled<G>([&]<int g>() {
            const std::uint32_t output = (group + g) * V::kLanes;
            unrolled<R>([&]<int r>() {
                V::store(task.y + (first + r) * task.yStride + output, task.outputs - output, totals[g][r]);
            });
        });
    }
    /// All sums at once: an addition need not wait for the one before it, and the weights are one stream.
    static void atOnce(const TileTask& task, std::uint32_t first, std::uint32_t group) {
        const std::byte* from = task.weights + group * task.groupBytes;
        const float* x = task.values + first * task.valueStride;
        Sums sums[kNumberSums];
        unrolled<kNumberSums>([&]<int u>() { clear(sums[u]); });
        std::uint32_t left = task.cols;
        for (; left >= kNumberSums; left -= kNumberSums, from += kNumberSums * kBytes, x += kNumberSums) {
            for (int g = 0; g < G; ++g)
                prefetch<R, kNumberSums * kBytes>(from + g * task.groupBytes);
            unrolled<kNumberSums>([&]<int u>() { column(task, from + u * kBytes, x + u, sums[u]); });
        }
        for (; left > 0; --left, from += kBytes, ++x)
            column(task, from, x, sums[0]);
        unrolled<kNumberSums - 1>([&]<int u>() { add(sums[0], sums[u + 1]); });
        store(task, first, group, sums[0]);
    }
    /// One sum after another, over weights that the first pass brought into the cache: for so many rows that the
    /// registers hold one sum of each.
    static void inTurn(const TileTask& task, std::uint32_t first, std::uint32_t group) {
        const std::byte* const weights = task.weights + group * task.groupBytes;
        const float* const x = task.values + first * task.valueStride;
        const std::uint32_t whole = task.cols / kNumberSums * kNumberSums;
        Sums totals;
        for (std::uint32_t u = 0; u < kNumberSums; ++u) {
            Sums sums;
            clear(sums);
            for (std::uint32_t i = u; i < whole; i += kNumberSums) {
                const std::byte* const from = weights + std::size_t{i} * kBytes;
                for (int g = 0; u == 0 && g < G; ++g)
                    prefetch<R, kNumberSums * kBytes>(from + g * task.groupBytes);
                column(task, from, x + i, sums);
            }
            for (std::uint32_t i = whole; u == 0 && i < task.cols; ++i)
                column(task, weights + std::size_t{i} * kBytes, x + i, sums);
            if (u == 0)
                clear(totals);
            add(totals, sums);
        }
        store(task, first, group, totals);
    }
};

template <class V, PlaneKind kind, int R> [[gnu::flatten]] void multiplyNumberTile(const TileTask& task) {
    constexpr int parts = (R + V::kRowsTogether - 1) / V::kRowsTogether;
    // Few rows wait for memory, and one stream of weights is read best; many rows share what they loaded.
    constexpr bool many = R * kNumberSums > V::kRowsTogether * 3;
    std::uint32_t group = 0;
    const auto run = [&]<int G>() {
        for (; group + G <= task.groups; group += G) {
            unrolled<parts>([&]<int part>() {
                constexpr int first = part * V::kRowsTogether;
                constexpr int rows = R - first < V::kRowsTogether ? R - first : V::kRowsTogether;
                if constexpr (many)
                    NumberTile<V, kind, rows, G>::inTurn(task, first, group);
                else
                    NumberTile<V, kind, rows, G>::atOnce(task, first, group);
            });
        }
    };
    if constexpr (many)
        run.template operator()<3>();
    run.template operator()<1>();
}

/// The kernels of all heights of a tile.
template <class V, PlaneKind kind>
constexpr TileKernel kNumberTilesOf[kTileRows] = {multiplyNumberTile<V, kind, 1>, multiplyNumberTile<V, kind, 2>,
                                                  multiplyNumberTile<V, kind, 3>, multiplyNumberTile<V, kind, 4>,
                                                  multiplyNumberTile<V, kind, 5>, multiplyNumberTile<V, kind, 6>,
                                                  multiplyNumberTile<V, kind, 7>, multiplyNumberTile<V, kind, 8>};

} // namespace decodescope::engine
