#include "engine/cpu/kernels.h"
#include "engine/cpu/plane_layout.h"
#include "engine/gguf/dequantize.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

/// Plain C++ over the same planes: for processors without AVX2, and what the other kernels are checked against. The
/// inner loops run over the 16 rows of a group, which compilers turn into whatever vectors the target has.
namespace decodescope::engine {

namespace {

constexpr std::size_t kLanes = 16;

std::uint16_t halfAt(const std::byte* from, std::size_t index) noexcept {
    std::uint16_t value;
    std::memcpy(&value, from + 2 * index, 2);
    return value;
}

int byteAt(const std::byte* from, std::size_t index) noexcept {
    return std::to_integer<int>(from[index]);
}

/// One step of 32 inputs of a group, as integers and their scales.
struct Step {
    std::int16_t weights[32][kLanes];
    float scales[2][kLanes]; ///< of inputs 0-15 and 16-31
    float minima[kLanes];    ///< added per unit of input
};

/// f16 scales and minima that a superblock's steps share.
struct Head {
    float scales[kLanes];
    float minima[kLanes];
};

template <PlaneKind kind> void readHead(const std::byte* from, Head& head) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        head.scales[lane] = halfToFloat(halfAt(from, lane));
        head.minima[lane] = kind == PlaneKind::q6_k ? 0 : halfToFloat(halfAt(from, kLanes + lane));
    }
}

template <PlaneKind kind> void readScales(const std::byte* from, const Head& head, Step& step) {
    constexpr bool hasMinima = kind == PlaneKind::q4_1 || kind == PlaneKind::q5_1;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        step.minima[lane] = 0;
        if constexpr (kind == PlaneKind::q4_k || kind == PlaneKind::q5_k) {
            step.scales[0][lane] = head.scales[lane] * static_cast<float>(byteAt(from, lane));
            step.minima[lane] = -(head.minima[lane] * static_cast<float>(byteAt(from, kLanes + lane)));
            step.scales[1][lane] = step.scales[0][lane];
        } else if constexpr (kind == PlaneKind::q6_k) {
            for (std::size_t half = 0; half < 2; ++half) {
                const auto scale = static_cast<std::int8_t>(byteAt(from, half * kLanes + lane));
                step.scales[half][lane] = head.scales[lane] * static_cast<float>(scale);
            }
        } else {
            step.scales[0][lane] = halfToFloat(halfAt(from, lane));
            step.scales[1][lane] = step.scales[0][lane];
            if constexpr (hasMinima)
                step.minima[lane] = halfToFloat(halfAt(from, kLanes + lane));
        }
    }
}

/// The number that a kind's unsigned weights are too large by.
constexpr int offsetOf(PlaneKind kind) noexcept {
    switch (kind) {
    case PlaneKind::q4_0:
        return 8;
    case PlaneKind::q5_0:
        return 16;
    case PlaneKind::q6_k:
        return 32;
    case PlaneKind::q8_0:
        return 128;
    default:
        return 0;
    }
}

template <PlaneKind kind> void readWeights(const std::byte* quants, Step& step) {
    constexpr StepLayout layout = layoutOf(kind);
    const std::byte* high = quants + layout.quantBytes * kLanes;
    for (std::size_t v = 0; v < 8; ++v) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            for (std::size_t b = 0; b < 4; ++b) {
                int weight = 0;
                if constexpr (kind == PlaneKind::q8_0) {
                    weight = byteAt(quants, (v * kLanes + lane) * 4 + b);
                } else {
                    const int both = byteAt(quants, (v % 4 * kLanes + lane) * 4 + b);
                    weight = v < 4 ? both & 15 : both >> 4;
                }
                if constexpr (layout.highBytes == 4)
                    weight += ((byteAt(high, lane * 4 + b) >> v) & 1) << 4;
                if constexpr (layout.highBytes == 8)
                    weight += ((byteAt(high, (v / 4 * kLanes + lane) * 4 + b) >> (2 * (v % 4))) & 3) << 4;
                step.weights[4 * v + b][lane] = static_cast<std::int16_t>(weight - offsetOf(kind));
            }
        }
    }
}

void addProducts(const Step& step, const ActivationBlock& x, float (&sums)[kLanes]) {
    for (std::size_t half = 0; half < 2; ++half) {
        std::int32_t dots[kLanes] = {};
        for (std::size_t k = 16 * half; k < 16 * half + 16; ++k)
            for (std::size_t lane = 0; lane < kLanes; ++lane)
                dots[lane] += std::int32_t{step.weights[k][lane]} * x.quants[k];
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            sums[lane] += static_cast<float>(dots[lane]) * (step.scales[half][lane] * x.scale);
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane)
        sums[lane] += step.minima[lane] * x.scaledSum;
}

void storeSums(const TileTask& task, std::uint32_t group, const float (&sums)[kTileRows][kLanes]) {
    const auto from = static_cast<std::size_t>(group) * kLanes;
    const std::size_t count = std::min<std::size_t>(kLanes, task.outputs - from);
    for (std::uint32_t row = 0; row < task.rows; ++row)
        std::copy_n(sums[row], count, task.y + row * task.yStride + from);
}

template <PlaneKind kind> void multiplyQuants(const TileTask& task) {
    constexpr StepLayout layout = layoutOf(kind);
    for (std::uint32_t group = 0; group < task.groups; ++group) {
        const std::byte* from = task.weights + group * task.groupBytes;
        float sums[kTileRows][kLanes] = {};
        Head head{};
        Step step;
        for (std::uint32_t s = 0; s < task.cols / 32; ++s, from += layout.stepBytes() * kLanes) {
            if (layout.headBytes != 0 && s % kStepsPerSuperblock == 0) {
                readHead<kind>(from, head);
                from += layout.headBytes * kLanes;
            }
            readScales<kind>(from, head, step);
            readWeights<kind>(from + layout.scaleBytes * kLanes, step);
            for (std::uint32_t row = 0; row < task.rows; ++row)
                addProducts(step, task.blocks[s * task.rows + row], sums[row]);
        }
        storeSums(task, group, sums);
    }
}

template <PlaneKind kind> void multiplyNumbers(const TileTask& task) {
    for (std::uint32_t group = 0; group < task.groups; ++group) {
        const std::byte* from = task.weights + group * task.groupBytes;
        float sums[kTileRows][kLanes] = {};
        for (std::uint32_t col = 0; col < task.cols; ++col) {
            float weights[kLanes];
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                if constexpr (kind == PlaneKind::f32)
                    std::memcpy(&weights[lane], from + (col * kLanes + lane) * 4, 4);
                else if constexpr (kind == PlaneKind::f16)
                    weights[lane] = halfToFloat(halfAt(from, col * kLanes + lane));
                else
                    weights[lane] = bfloatToFloat(halfAt(from, col * kLanes + lane));
            }
            for (std::uint32_t row = 0; row < task.rows; ++row) {
                const float x = task.values[row * task.valueStride + col];
                for (std::size_t lane = 0; lane < kLanes; ++lane)
                    sums[row][lane] += weights[lane] * x;
            }
        }
        storeSums(task, group, sums);
    }
}

void quantizeBlock(const float* values, std::uint32_t count, ActivationBlock& out) {
    // As integers, so that NaN is the largest of all.
    std::uint32_t largestBits = 0;
    for (std::uint32_t i = 0; i < count; ++i)
        largestBits = std::max(largestBits, std::bit_cast<std::uint32_t>(values[i]) & 0x7FFFFFFFU);
    const bool finite = largestBits < 0x7F800000U;
    const float largest = finite ? std::bit_cast<float>(largestBits) : 0;
    const float inverse = largest < kSmallestScaled ? 0 : 127 / largest;
    std::int32_t sums[2] = {};
    std::memset(out.quants, 0, sizeof(out.quants));
    for (std::uint32_t i = 0; i < count && inverse > 0; ++i) {
        const auto quant = static_cast<std::int8_t>(std::lrint(values[i] * inverse));
        out.quants[i] = quant;
        sums[i / 16] += quant;
    }
    out.scale = finite ? largest / 127 : std::numeric_limits<float>::quiet_NaN();
    out.scaledSum = out.scale * static_cast<float>(sums[0] + sums[1]);
    out.minusSum = -(sums[0] + sums[1]);
    out.minusHalf[0] = -sums[0];
    out.minusHalf[1] = -sums[1];
}

void quantizeRow(const float* values, std::uint32_t cols, std::uint32_t height, ActivationBlock* out) {
    for (std::uint32_t col = 0; col < cols; col += 32, out += height)
        quantizeBlock(values + col, std::min(cols - col, 32U), *out);
}

/// One function does for all heights of a tile.
template <PlaneKind kind>
constexpr TileKernel kQuantTiles[kTileRows] = {multiplyQuants<kind>, multiplyQuants<kind>, multiplyQuants<kind>,
                                               multiplyQuants<kind>, multiplyQuants<kind>, multiplyQuants<kind>,
                                               multiplyQuants<kind>, multiplyQuants<kind>};
template <PlaneKind kind>
constexpr TileKernel kNumberTiles[kTileRows] = {multiplyNumbers<kind>, multiplyNumbers<kind>, multiplyNumbers<kind>,
                                                multiplyNumbers<kind>, multiplyNumbers<kind>, multiplyNumbers<kind>,
                                                multiplyNumbers<kind>, multiplyNumbers<kind>};

} // namespace

const KernelSet& scalarKernels() noexcept {
    static constexpr KernelSet set{
        quantizeRow,
        {kQuantTiles<PlaneKind::q4_0>, kQuantTiles<PlaneKind::q4_1>, kQuantTiles<PlaneKind::q5_0>,
         kQuantTiles<PlaneKind::q5_1>, kQuantTiles<PlaneKind::q8_0>, kQuantTiles<PlaneKind::q4_k>,
         kQuantTiles<PlaneKind::q5_k>, kQuantTiles<PlaneKind::q6_k>, kNumberTiles<PlaneKind::f16>,
         kNumberTiles<PlaneKind::bf16>, kNumberTiles<PlaneKind::f32>}};
    return set;
}

} // namespace decodescope::engine
