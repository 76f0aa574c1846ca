#include "engine/cpu/plane.h"
#include "engine/cpu/plane_layout.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace decodescope::engine {

namespace {

/// The rows of a group where they lie in the file.
struct SourceRows {
    const std::byte* first = nullptr;
    std::size_t stride = 0;
    std::uint32_t count = 0;

    [[nodiscard]] const std::byte* operator[](std::uint32_t lane) const noexcept { return first + lane * stride; }
};

template <class T> T load(const std::byte* from) noexcept {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
}

template <class T> void store(std::byte* to, T value) noexcept {
    std::memcpy(to, &value, sizeof(T));
}

/// Bit 4v + b of a row's 32 high bits goes to bit v of byte b: the five bits of the index rotated by two places, as
/// four exchanges of two index bits each.
std::uint32_t spreadHighBits(std::uint32_t bits) noexcept {
    const auto exchange = [&bits](std::uint32_t mask, int distance) {
        const std::uint32_t moved = (bits ^ (bits >> distance)) & mask;
        bits ^= moved ^ (moved << distance);
    };
    exchange(0x0000CCCC, 14); // index bits 1 and 4
    exchange(0x00AA00AA, 7);  // 0 and 3
    exchange(0x0C0C0C0C, 2);  // 1 and 2
    exchange(0x22222222, 1);  // 0 and 1
    return bits;
}

/// The kinds of 32 weights a block: f16 scale (and minimum), high bits, quants.
template <PlaneKind kind, std::uint32_t W> void packBlocks(const SourceRows& rows, std::uint32_t cols, std::byte* to) {
    constexpr StepLayout layout = layoutOf(kind);
    constexpr std::uint32_t sourceBytes = layout.stepBytes();
    constexpr std::uint32_t words = layout.quantBytes / 4;
    for (std::uint32_t step = 0; step < cols / 32; ++step, to += layout.stepBytes() * W) {
        for (std::uint32_t lane = 0; lane < rows.count; ++lane) {
            const std::byte* from = rows[lane] + step * sourceBytes;
            for (std::uint32_t i = 0; i < layout.scaleBytes / 2; ++i, from += 2)
                store(to + (i * W + lane) * 2, load<std::uint16_t>(from));
            std::byte* quants = to + layout.scaleBytes * W;
            if constexpr (layout.highBytes != 0) {
                store(quants + layout.quantBytes * W + lane * 4, spreadHighBits(load<std::uint32_t>(from)));
                from += 4;
            }
            for (std::uint32_t j = 0; j < words; ++j) {
                // Signed bytes plus 128, without a carry from byte to byte.
                constexpr std::uint32_t bias = kind == PlaneKind::q8_0 ? 0x80808080U : 0;
                store(quants + (j * W + lane) * 4, load<std::uint32_t>(from + 4 * j) ^ bias);
            }
        }
    }
}

constexpr std::uint32_t kLowNibbles = 0x0F0F0F0F;

/// Quants of one row and a step whose inputs 0-15 and 16-31 are the low or the high nibbles of 32 bytes.
template <std::uint32_t W> void packNibbles(const std::byte* from, bool highNibbles, std::byte* to) {
    for (std::uint32_t j = 0; j < 4; ++j) {
        const auto first = load<std::uint32_t>(from + 4 * j);
        const auto second = load<std::uint32_t>(from + 16 + 4 * j);
        store(to + j * W * 4, highNibbles ? ((first >> 4) & kLowNibbles) | (second & ~kLowNibbles)
                                          : (first & kLowNibbles) | ((second & kLowNibbles) << 4));
    }
}

/// The eight 6-bit scales and minima of a q4_k or q5_k superblock.
void unpackScales(const std::byte* packed, std::array<std::uint8_t, 8>& scales, std::array<std::uint8_t, 8>& minima) {
    const auto at = [packed](std::uint32_t i) { return std::to_integer<std::uint32_t>(packed[i]); };
    for (std::uint32_t k = 0; k < 4; ++k) {
        scales[k] = static_cast<std::uint8_t>(at(k) & 63);
        minima[k] = static_cast<std::uint8_t>(at(k + 4) & 63);
        scales[k + 4] = static_cast<std::uint8_t>((at(k + 8) & 15) | ((at(k) >> 6) << 4));
        minima[k + 4] = static_cast<std::uint8_t>((at(k + 8) >> 4) | ((at(k + 4) >> 6) << 4));
    }
}

template <PlaneKind kind, std::uint32_t W>
void packSuperblocks(const SourceRows& rows, std::uint32_t cols, std::byte* to) {
    static_assert(kind == PlaneKind::q4_k || kind == PlaneKind::q5_k);
    constexpr StepLayout layout = layoutOf(kind);
    constexpr std::uint32_t sourceBytes = kind == PlaneKind::q5_k ? 176 : 144;
    constexpr std::uint32_t quantsAt = kind == PlaneKind::q5_k ? 48 : 16;
    constexpr std::size_t superblockBytes = (layout.headBytes + kStepsPerSuperblock * layout.stepBytes()) * W;
    for (std::uint32_t block = 0; block < cols / 256; ++block, to += superblockBytes) {
        for (std::uint32_t lane = 0; lane < rows.count; ++lane) {
            const std::byte* from = rows[lane] + block * sourceBytes;
            store(to + lane * 2, load<std::uint16_t>(from));
            store(to + (W + lane) * 2, load<std::uint16_t>(from + 2));
            std::array<std::uint8_t, 8> scales;
            std::array<std::uint8_t, 8> minima;
            unpackScales(from + 4, scales, minima);
            std::byte* step = to + layout.headBytes * W;
            for (std::uint32_t s = 0; s < kStepsPerSuperblock; ++s, step += layout.stepBytes() * W) {
                store(step + lane, scales[s]);
                store(step + W + lane, minima[s]);
                packNibbles<W>(from + quantsAt + s / 2 * 32, s % 2 != 0, step + layout.scaleBytes * W + lane * 4);
                if constexpr (kind == PlaneKind::q5_k) {
                    std::uint32_t high = 0; // bit s of byte 4v + b to bit v of byte b
                    for (std::uint32_t v = 0; v < 8; ++v)
                        high |= ((load<std::uint32_t>(from + 16 + 4 * v) >> s) & 0x01010101U) << v;
                    store(step + (layout.scaleBytes + layout.quantBytes) * W + lane * 4, high);
                }
            }
        }
    }
}

template <std::uint32_t W> void packQ6K(const SourceRows& rows, std::uint32_t cols, std::byte* to) {
    constexpr StepLayout layout = layoutOf(PlaneKind::q6_k);
    constexpr std::uint32_t sourceBytes = 210;
    constexpr std::size_t superblockBytes = (layout.headBytes + kStepsPerSuperblock * layout.stepBytes()) * W;
    for (std::uint32_t block = 0; block < cols / 256; ++block, to += superblockBytes) {
        for (std::uint32_t lane = 0; lane < rows.count; ++lane) {
            const std::byte* from = rows[lane] + block * sourceBytes;
            store(to + lane * 2, load<std::uint16_t>(from + 208));
            std::byte* step = to + layout.headBytes * W;
            for (std::uint32_t s = 0; s < kStepsPerSuperblock; ++s, step += layout.stepBytes() * W) {
                const std::uint32_t half = s / 4;
                const std::uint32_t quarter = s % 4;
                store(step + lane, from[192 + 2 * s]);
                store(step + W + lane, from[192 + 2 * s + 1]);
                std::byte* quants = step + layout.scaleBytes * W;
                packNibbles<W>(from + 64 * half + 32 * (quarter % 2), quarter >= 2, quants + lane * 4);
                for (std::uint32_t h = 0; h < 2; ++h) {
                    std::uint32_t high = 0;
                    for (std::uint32_t f = 0; f < 4; ++f) {
                        const auto word = load<std::uint32_t>(from + 128 + 32 * half + 16 * h + 4 * f);
                        high |= ((word >> (2 * quarter)) & 0x03030303U) << (2 * f);
                    }
                    store(quants + layout.quantBytes * W + h * W * 4 + lane * 4, high);
                }
            }
        }
    }
}

typedef std::uint16_t Halves __attribute__((vector_size(16)));
typedef std::uint32_t Words __attribute__((vector_size(16)));

/// Eight inputs of eight rows, transposed: rows lie `stride` bytes apart, inputs of the result `outStride`.
void transpose8x8(const std::byte* from, std::size_t stride, std::byte* to, std::size_t outStride) {
    std::array<Halves, 8> a;
    std::array<Halves, 8> b;
    for (std::size_t i = 0; i < 8; ++i)
        a[i] = load<Halves>(from + i * stride);
    const auto mix = [](const std::array<Halves, 8>& in, std::array<Halves, 8>& out) {
        for (std::size_t i = 0; i < 4; ++i) {
            out[2 * i] = __builtin_shufflevector(in[i], in[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
            out[2 * i + 1] = __builtin_shufflevector(in[i], in[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
        }
    };
    mix(a, b);
    mix(b, a);
    mix(a, b);
    for (std::size_t i = 0; i < 8; ++i)
        store(to + i * outStride, b[i]);
}

void transpose4x4(const std::byte* from, std::size_t stride, std::byte* to, std::size_t outStride) {
    std::array<Words, 4> a;
    std::array<Words, 4> b;
    for (std::size_t i = 0; i < 4; ++i)
        a[i] = load<Words>(from + i * stride);
    const auto mix = [](const std::array<Words, 4>& in, std::array<Words, 4>& out) {
        for (std::size_t i = 0; i < 2; ++i) {
            out[2 * i] = __builtin_shufflevector(in[i], in[i + 2], 0, 4, 1, 5);
            out[2 * i + 1] = __builtin_shufflevector(in[i], in[i + 2], 2, 6, 3, 7);
        }
    };
    mix(a, b);
    mix(b, a);
    for (std::size_t i = 0; i < 4; ++i)
        store(to + i * outStride, a[i]);
}

/// f16, bf16 and f32: transposed, by squares of 16 bytes where the group is full.
template <class Element, std::uint32_t W> void packNumbers(const SourceRows& rows, std::uint32_t cols, std::byte* to) {
    constexpr std::uint32_t square = 16 / sizeof(Element);
    constexpr std::size_t outStride = W * sizeof(Element);
    std::uint32_t col = 0;
    if (rows.count == W) {
        for (; col + square <= cols; col += square) {
            for (std::uint32_t lane = 0; lane < W; lane += square) {
                const std::byte* from = rows[lane] + col * sizeof(Element);
                std::byte* out = to + col * outStride + lane * sizeof(Element);
                if constexpr (sizeof(Element) == 2)
                    transpose8x8(from, rows.stride, out, outStride);
                else
                    transpose4x4(from, rows.stride, out, outStride);
            }
        }
    }
    for (; col < cols; ++col)
        for (std::uint32_t lane = 0; lane < rows.count; ++lane)
            store(to + col * outStride + lane * sizeof(Element), load<Element>(rows[lane] + col * sizeof(Element)));
}

template <std::uint32_t W> void packGroup(PlaneKind kind, const SourceRows& rows, std::uint32_t cols, std::byte* to) {
    switch (kind) {
    case PlaneKind::q4_0:
        return packBlocks<PlaneKind::q4_0, W>(rows, cols, to);
    case PlaneKind::q4_1:
        return packBlocks<PlaneKind::q4_1, W>(rows, cols, to);
    case PlaneKind::q5_0:
        return packBlocks<PlaneKind::q5_0, W>(rows, cols, to);
    case PlaneKind::q5_1:
        return packBlocks<PlaneKind::q5_1, W>(rows, cols, to);
    case PlaneKind::q8_0:
        return packBlocks<PlaneKind::q8_0, W>(rows, cols, to);
    case PlaneKind::q4_k:
        return packSuperblocks<PlaneKind::q4_k, W>(rows, cols, to);
    case PlaneKind::q5_k:
        return packSuperblocks<PlaneKind::q5_k, W>(rows, cols, to);
    case PlaneKind::q6_k:
        return packQ6K<W>(rows, cols, to);
    case PlaneKind::f16:
    case PlaneKind::bf16:
        return packNumbers<std::uint16_t, W>(rows, cols, to);
    case PlaneKind::f32:
        return packNumbers<std::uint32_t, W>(rows, cols, to);
    }
}

} // namespace

void packPlane(const TensorView& tensor, const Plane& plane, std::byte* base, std::uint32_t begin, std::uint32_t end) {
    const std::uint32_t lanes = rowsPerGroup(plane.isa);
    const auto rowBytes = static_cast<std::size_t>(tensor.rowBytes());
    const std::size_t used = packedRowBytes(plane.kind, plane.cols) * lanes;
    for (std::uint32_t group = begin; group < std::min(end, plane.groups); ++group) {
        const std::uint32_t firstRow = group * lanes;
        const SourceRows rows{tensor.data + firstRow * rowBytes, rowBytes, std::min(lanes, plane.rows - firstRow)};
        std::byte* to = base + group * plane.groupBytes;
        if (rows.count < lanes)
            std::memset(to, 0, used); // rows that are not there: zero scales, whatever the quants
        std::memset(to + used, 0, plane.groupBytes - used);
        if (lanes == 8)
            packGroup<8>(plane.kind, rows, plane.cols, to);
        else
            packGroup<16>(plane.kind, rows, plane.cols, to);
    }
}

} // namespace decodescope::engine
