#include "tests/engine/cpu/made_tensor.h"

#include "engine/gguf/dequantize.h"

#include <cmath>
#include <cstring>

namespace decodescope::engine::test {

namespace {

/// Where a block's 16-bit numbers are, scale first; -1: there is none.
struct HalfPlaces {
    int scale = -1;
    int minimum = -1;
};

HalfPlaces halfPlaces(TensorType type) {
    switch (type) {
    case TensorType::q4_1:
    case TensorType::q5_1:
    case TensorType::q4_k:
    case TensorType::q5_k:
        return {0, 2};
    case TensorType::q6_k:
        return {208, -1};
    case TensorType::f32:
    case TensorType::f16:
    case TensorType::bf16:
        return {};
    default:
        return {0, -1};
    }
}

void put(std::byte* to, std::uint16_t value) {
    std::memcpy(to, &value, sizeof(value));
}

std::uint16_t drawHalf(std::mt19937& draw, Scales scales) {
    const auto number = draw();
    const float sign = number & 1 ? -1.0F : 1.0F;
    if (scales == Scales::powersOfTwo)
        return floatToHalf(sign * std::ldexp(1.0F, -static_cast<int>(number >> 1 & 3)));
    if (number % 37 == 0)
        return 0;
    return floatToHalf(sign * (0.001F + 0.00001F * static_cast<float>(number >> 8 & 1023)));
}

} // namespace

MadeTensor::MadeTensor(TensorType type, std::uint32_t inputs, std::uint32_t outputs, std::uint32_t seed,
                       Scales scales) {
    const TensorTypeInfo& info = tensorTypeInfo(type);
    const std::size_t blocks = std::size_t{inputs} / info.blockElements * outputs;
    std::mt19937 draw(seed);
    bytes.resize(blocks * info.blockBytes);
    for (std::byte& byte : bytes)
        byte = static_cast<std::byte>(draw());
    const HalfPlaces places = halfPlaces(type);
    for (std::size_t i = 0; i < blocks; ++i) {
        std::byte* block = bytes.data() + i * info.blockBytes;
        if (places.scale >= 0)
            put(block + places.scale, drawHalf(draw, scales));
        if (places.minimum >= 0)
            put(block + places.minimum, drawHalf(draw, scales));
        // Small whole numbers: exact in every float type, and so are their sums.
        const float number = static_cast<float>(static_cast<int>(draw() % 33) - 16);
        const float value = scales == Scales::powersOfTwo ? number : number * 0.0123F;
        if (type == TensorType::f32)
            std::memcpy(block, &value, sizeof(value));
        if (type == TensorType::f16)
            put(block, floatToHalf(value));
        if (type == TensorType::bf16) {
            std::uint32_t bits;
            std::memcpy(&bits, &value, sizeof(bits));
            put(block, static_cast<std::uint16_t>(bits >> 16));
        }
    }
    view.name = name;
    view.typeId = static_cast<std::uint32_t>(type);
    view.shape = {inputs, outputs, 1, 1};
    view.dimensions = 2;
    view.data = bytes.data();
    view.bytes = bytes.size();
}

std::vector<float> MadeTensor::row(std::uint32_t output) const {
    std::vector<float> values(view.rowElements());
    dequantize(view.type(), view.data + output * view.rowBytes(), values);
    return values;
}

void MadeTensor::setScale(std::uint32_t output, std::uint32_t block, std::uint16_t half) {
    const int place = halfPlaces(view.type()).scale;
    if (place >= 0)
        put(bytes.data() + output * view.rowBytes() + block * tensorTypeInfo(view.type()).blockBytes + place, half);
}

} // namespace decodescope::engine::test
