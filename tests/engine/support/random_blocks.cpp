#include "tests/engine/support/random_blocks.h"

#include "engine/gguf/dequantize.h"

#include <bit>
#include <cstring>

namespace decodescope::engine::test {

namespace {

/// What the packed integers of a type amount to when they are uniformly random: the deviation of one element at
/// scale 1, and the minimum (as a multiple of the scale) that centres it.
struct Shape {
    float deviation = 1;
    float centre = 0;
    int scaleAt = 0;
    int minimumAt = -1; ///< byte of the f16 minimum; negative: none
};

Shape shapeOf(TensorType type) {
    switch (type) {
    case TensorType::q4_0:
        return {4.6F, 0, 0, -1};
    case TensorType::q4_1:
        return {4.6F, -7.5F, 0, 2};
    case TensorType::q5_0:
        return {9.2F, 0, 0, -1};
    case TensorType::q5_1:
        return {9.2F, -15.5F, 0, 2};
    case TensorType::q8_0:
        return {74, 0, 0, -1};
    // The minimum of K types is subtracted, times a 6-bit factor of its own.
    case TensorType::q4_k:
        return {260, 7.5F, 0, 2};
    case TensorType::q5_k:
        return {530, 15.5F, 0, 2};
    case TensorType::q6_k:
        return {630, 0, 208, -1};
    default:
        return {};
    }
}

void putHalf(std::string& block, int at, float value) {
    const std::uint16_t bits = floatToHalf(value);
    std::memcpy(block.data() + at, &bits, sizeof bits);
}

std::string randomBytes(std::size_t size, RandomBits& random) {
    std::string out(size, '\0');
    for (char& c : out)
        c = static_cast<char>(random.next() & 0xFFU);
    return out;
}

std::string plainValues(TensorType type, std::uint64_t count, float deviation, RandomBits& random) {
    std::string out;
    out.reserve(count * 4);
    for (std::uint64_t i = 0; i < count; ++i) {
        const float value = deviation * random.bell();
        const auto bits = std::bit_cast<std::uint32_t>(value);
        const std::uint16_t narrow =
            type == TensorType::f16 ? floatToHalf(value) : static_cast<std::uint16_t>(bits >> 16);
        if (type == TensorType::f32)
            out.append(reinterpret_cast<const char*>(&bits), sizeof bits);
        else
            out.append(reinterpret_cast<const char*>(&narrow), sizeof narrow);
    }
    return out;
}

bool isPlain(TensorType type) {
    return tensorTypeInfo(type).blockElements == 1;
}

} // namespace

std::uint64_t RandomBits::next() {
    m_state += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = m_state;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ z >> 27) * 0x94D049BB133111EBULL;
    return z ^ z >> 31;
}

float RandomBits::uniform() {
    return static_cast<float>(next() >> 40) * 0x1p-24F;
}

float RandomBits::bell() {
    float sum = -6;
    for (int i = 0; i < 12; ++i)
        sum += uniform();
    return sum;
}

std::uint64_t RandomBits::below(std::uint64_t n) {
    return next() % n;
}

std::string randomBlocks(TensorType type, std::uint64_t elements, float deviation, RandomBits& random) {
    if (isPlain(type))
        return plainValues(type, elements, deviation, random);
    const TensorTypeInfo& info = tensorTypeInfo(type);
    const Shape shape = shapeOf(type);
    std::string out;
    for (std::uint64_t block = 0; block < elements / info.blockElements; ++block) {
        std::string bytes = randomBytes(info.blockBytes, random);
        if (type == TensorType::q6_k) // int8 scales near the ends of their range would drown the other sub-blocks
            for (int i = 192; i < 208; ++i)
                bytes[static_cast<std::size_t>(i)] = static_cast<char>(static_cast<int>(random.below(129)) - 64);
        const float scale = deviation / shape.deviation * (0.5F + random.uniform());
        putHalf(bytes, shape.scaleAt, scale);
        if (shape.minimumAt >= 0)
            putHalf(bytes, shape.minimumAt, scale * shape.centre);
        out += bytes;
    }
    return out;
}

std::string wildBlocks(TensorType type, std::uint64_t elements, RandomBits& random) {
    if (isPlain(type))
        return plainValues(type, elements, 1, random);
    const TensorTypeInfo& info = tensorTypeInfo(type);
    const Shape shape = shapeOf(type);
    std::string out;
    for (std::uint64_t block = 0; block < elements / info.blockElements; ++block) {
        std::string bytes = randomBytes(info.blockBytes, random);
        putHalf(bytes, shape.scaleAt, random.bell());
        if (shape.minimumAt >= 0)
            putHalf(bytes, shape.minimumAt, random.bell());
        out += bytes;
    }
    return out;
}

std::vector<float> randomFloats(std::uint64_t count, float mean, float deviation, RandomBits& random) {
    std::vector<float> out(count);
    for (float& value : out)
        value = mean + deviation * random.bell();
    return out;
}

const std::vector<TensorType>& supportedTypes() {
    static const std::vector<TensorType> types{TensorType::f32,  TensorType::f16,  TensorType::bf16, TensorType::q4_0,
                                               TensorType::q4_1, TensorType::q5_0, TensorType::q5_1, TensorType::q8_0,
                                               TensorType::q4_k, TensorType::q5_k, TensorType::q6_k};
    return types;
}

} // namespace decodescope::engine::test
