#pragma once

#include "engine/cpu/row_kernels_body.h"

/// Attention over the blocks of a sequence, with the softmax taken as it goes: a block of keys and values is read once
/// for all rows of a tile. Both halves of the work are the same small product of f32 rows with a block.
namespace {

/// Greatest score of a row that has seen nothing, and the score of a position that a row must not see. Both are
/// finite, the second far below the first, so that no infinities are subtracted.
constexpr float kNothingSeen = -1e30F;
constexpr float kMasked = -3e38F;

constexpr std::uint32_t kVectors = kTile / Vector::kLanes;

enum class Into : std::uint8_t { replace, addTo };

/// c[Rows][32] (+)= a[Rows][depth] b[depth][32]. Meanwhile the same part of the block that comes `ahead` bytes later is
/// asked for: blocks lie anywhere, and nobody else would.
template <std::uint32_t Rows, class Element>
inline void tileProductOf(const float* a, std::size_t aStride, const Element* b, std::size_t bStride,
                          std::uint32_t depth, float* c, std::size_t cStride, Into into, std::ptrdiff_t ahead) {
    Vector sums[Rows][kVectors];
    for (std::uint32_t row = 0; row < Rows; ++row)
        for (std::uint32_t j = 0; j < kVectors; ++j)
            sums[row][j] = into == Into::addTo ? Vector::load(c + row * cStride + j * Vector::kLanes) : Vector::zero();
    for (std::uint32_t k = 0; k < depth; ++k) {
        __builtin_prefetch(reinterpret_cast<const std::byte*>(b + k * bStride) + ahead);
        Vector part[kVectors];
        for (std::uint32_t j = 0; j < kVectors; ++j)
            part[j] = Vector::load(b + k * bStride + j * Vector::kLanes);
        for (std::uint32_t row = 0; row < Rows; ++row) {
            const Vector factor = Vector::all(a[row * aStride + k]);
            for (std::uint32_t j = 0; j < kVectors; ++j)
                sums[row][j] = Vector::multiplyAdd(factor, part[j], sums[row][j]);
        }
    }
    for (std::uint32_t row = 0; row < Rows; ++row)
        for (std::uint32_t j = 0; j < kVectors; ++j)
            sums[row][j].store(c + row * cStride + j * Vector::kLanes);
}

template <class Element, std::uint32_t Rows = Vector::kTileRows>
void tileProduct(std::uint32_t rows, const float* a, std::size_t aStride, const Element* b, std::size_t bStride,
                 std::uint32_t depth, float* c, std::size_t cStride, Into into, std::ptrdiff_t ahead) {
    if constexpr (Rows > 1) {
        if (rows < Rows)
            return tileProduct<Element, Rows - 1>(rows, a, aStride, b, bStride, depth, c, cStride, into, ahead);
    }
    tileProductOf<Rows>(a, aStride, b, bStride, depth, c, cStride, into, ahead);
}

/// What reads an f16 block.
struct HalfBlock {
    static void scores(const AttentionTile& tile, const KvHead& head, const std::byte* block, std::ptrdiff_t ahead,
                       float* out) {
        tileProduct(tile.rows, tile.queries, head.paddedHead, reinterpret_cast<const std::uint16_t*>(block), kTile,
                    head.paddedHead, out, kTile, Into::replace, ahead);
    }
    static void addValues(const AttentionTile& tile, const KvHead& head, const std::byte* block, const float* weights,
                          std::uint32_t positions, std::ptrdiff_t ahead) {
        const auto* const values = reinterpret_cast<const std::uint16_t*>(block + head.valuesOffset);
        for (std::uint32_t at = 0; at < head.paddedHead; at += kTile)
            tileProduct(tile.rows, weights, kTile, values + at, head.paddedHead, positions, tile.values + at,
                        head.paddedHead, Into::addTo, ahead);
    }
};

/// What reads a q8 block: the products are of whole numbers, the scales of positions come in outside of them.
struct ByteBlock {
    static void scores(const AttentionTile& tile, const KvHead& head, const std::byte* block, std::ptrdiff_t ahead,
                       float* out) {
        const auto* const keys = reinterpret_cast<const std::int8_t*>(block);
        const auto* const scales = reinterpret_cast<const float*>(block + head.scalesOffset);
        float part[kMaxTileRows * kTile];
        for (std::uint32_t at = 0; at < head.paddedHead; at += kTile) {
            tileProduct(tile.rows, tile.queries + at, head.paddedHead, keys + at * kTile, kTile, kTile, part, kTile,
                        Into::replace, ahead);
            for (std::uint32_t i = 0; i < tile.rows * kTile; i += Vector::kLanes) {
                const Vector before = at ? Vector::load(out + i) : Vector::zero();
                Vector::multiplyAdd(Vector::load(part + i), Vector::load(scales + at + i % kTile), before)
                    .store(out + i);
            }
        }
    }
    static void addValues(const AttentionTile& tile, const KvHead& head, const std::byte* block, const float* weights,
                          std::uint32_t positions, std::ptrdiff_t ahead) {
        const auto* const values = reinterpret_cast<const std::int8_t*>(block + head.valuesOffset);
        const auto* const scales = reinterpret_cast<const float*>(block + head.valuesOffset + head.scalesOffset);
        float scaled[kMaxTileRows * kTile];
        for (std::uint32_t at = 0; at < head.paddedHead; at += kTile) {
            for (std::uint32_t i = 0; i < tile.rows * kTile; i += Vector::kLanes)
                (Vector::load(weights + i) * Vector::load(scales + at + i % kTile)).store(scaled + i);
            tileProduct(tile.rows, scaled, kTile, values + at, head.paddedHead, positions, tile.values + at,
                        head.paddedHead, Into::addTo, ahead);
        }
    }
};

/// Hides what `row` must not see of the positions from `start` on.
inline void mask(const AttentionTile& tile, std::uint32_t row, std::uint32_t start, float* scores) {
    if (start >= tile.first[row] && start + (kTile - 1) <= tile.last[row])
        return;
    for (std::uint32_t i = 0; i < kTile; ++i)
        if (start + i < tile.first[row] || start + i > tile.last[row])
            scores[i] = kMasked;
}

template <class Block>
void attend(const AttentionTile& tile, const KvHead& head, const std::uint32_t* blocks, std::uint32_t begin,
            std::uint32_t end) {
    Vector weights[Vector::kTileRows];
    std::uint32_t lowest = tile.first[0];
    std::uint32_t highest = tile.last[0];
    for (std::uint32_t row = 0; row < tile.rows; ++row) {
        weights[row] = Vector::zero();
        tile.greatest[row] = kNothingSeen;
        lowest = tile.first[row] < lowest ? tile.first[row] : lowest;
        highest = tile.last[row] > highest ? tile.last[row] : highest;
    }
    for (std::uint32_t i = 0; i < tile.rows * head.paddedHead; i += Vector::kLanes)
        Vector::zero().store(tile.values + i);
    const std::uint32_t stop = highest + 1 < end ? highest + 1 : end;
    float scores[kMaxTileRows * kTile];
    for (std::uint32_t start = (lowest > begin ? lowest : begin) / kTile * kTile; start < stop; start += kTile) {
        const std::byte* const block = head.base + blocks[start / kTile] * head.blockStride;
        const std::ptrdiff_t ahead =
            start + kTile < stop ? head.base + blocks[start / kTile + 1] * head.blockStride - block : 0;
        Block::scores(tile, head, block, ahead, scores);
        for (std::uint32_t row = 0; row < tile.rows; ++row) {
            float* const own = scores + row * kTile;
            mask(tile, row, start, own);
            Vector most = Vector::load(own);
            for (std::uint32_t i = Vector::kLanes; i < kTile; i += Vector::kLanes)
                most = Vector::greater(most, Vector::load(own + i));
            const float greatest = most.greatest();
            if (greatest > tile.greatest[row]) {
                const Vector shrink = exponential(Vector::all(tile.greatest[row] - greatest));
                tile.greatest[row] = greatest;
                weights[row] = weights[row] * shrink;
                float* const values = tile.values + std::size_t{row} * head.paddedHead;
                for (std::uint32_t i = 0; i < head.paddedHead; i += Vector::kLanes)
                    (Vector::load(values + i) * shrink).store(values + i);
            }
            const Vector base = Vector::all(tile.greatest[row]);
            for (std::uint32_t i = 0; i < kTile; i += Vector::kLanes) {
                const Vector weight = exponential(Vector::load(own + i) - base);
                weight.store(own + i);
                weights[row] = weights[row] + weight;
            }
        }
        // What lies behind the last position was never written: not even a weight of 0 may touch it.
        Block::addValues(tile, head, block, scores, stop - start < kTile ? stop - start : kTile, ahead);
    }
    for (std::uint32_t row = 0; row < tile.rows; ++row)
        tile.weight[row] = weights[row].sum();
}

void merge(float* greatest, float* weight, float* values, float otherGreatest, float otherWeight,
           const float* otherValues, std::uint32_t size) {
    const float most = *greatest > otherGreatest ? *greatest : otherGreatest;
    const Vector own = exponential(Vector::all(*greatest - most));
    const Vector other = exponential(Vector::all(otherGreatest - most));
    float factors[2][Vector::kLanes];
    own.store(factors[0]);
    other.store(factors[1]);
    *greatest = most;
    *weight = *weight * factors[0][0] + otherWeight * factors[1][0];
    zip(values, otherValues, size, values,
        [own, other](Vector a, Vector b) { return Vector::multiplyAdd(b, other, a * own); });
}

constexpr RowKernels kRowKernels{rmsNorm,
                                 add,
                                 scale,
                                 silu,
                                 geluTanh,
                                 rotateAdjacent,
                                 rotateHalves,
                                 storeHalf,
                                 storeBytes,
                                 attend<HalfBlock>,
                                 attend<ByteBlock>,
                                 merge,
                                 foldBytes,
                                 Vector::kTileRows};

} // namespace
