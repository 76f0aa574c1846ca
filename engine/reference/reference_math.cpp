#include "engine/reference/reference_math.h"

#include "engine/gguf/dequantize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>

namespace decodescope::engine {

float dot(std::span<const float> a, std::span<const float> b) {
    constexpr std::size_t kSums = 16;
    std::array<float, kSums> sums{};
    std::size_t i = 0;
    for (; i + kSums <= a.size(); i += kSums)
        for (std::size_t j = 0; j < kSums; ++j)
            sums[j] += a[i + j] * b[i + j];
    for (std::size_t j = 0; i < a.size(); ++i, ++j)
        sums[j] += a[i] * b[i];
    double total = 0;
    for (const float sum : sums)
        total += sum;
    return static_cast<float>(total);
}

float elementOf(const TensorView& tensor, std::uint64_t index) {
    float value = 0;
    std::memcpy(&value, tensor.data + index * sizeof(float), sizeof(float));
    return value;
}

void applyNorm(const RmsNorm& norm, std::span<const float> in, std::span<float> out) {
    if (!norm.present()) {
        std::ranges::copy(in, out.begin());
        return;
    }
    const std::size_t width = norm.weight->elements();
    for (std::size_t row = 0; row + width <= in.size(); row += width) {
        double squares = 0;
        for (std::size_t i = 0; i < width; ++i)
            squares += static_cast<double>(in[row + i]) * in[row + i];
        const double mean = squares / static_cast<double>(width);
        const auto scale = static_cast<float>(1.0 / std::sqrt(mean + norm.epsilon));
        for (std::size_t i = 0; i < width; ++i)
            out[row + i] = in[row + i] * scale * elementOf(*norm.weight, i);
    }
}

void applyLinear(const Linear& linear, std::span<const float> in, std::span<float> out) {
    const std::size_t inputs = linear.inputs();
    const std::size_t outputs = linear.outputs();
    const std::size_t rows = in.size() / inputs;
    std::vector<float> weights(inputs);
    for (std::size_t output = 0; output < outputs; ++output) {
        dequantize(linear.weight->type(), linear.weight->data + output * linear.weight->rowBytes(), weights);
        const float bias = linear.bias ? elementOf(*linear.bias, output) : 0.0F;
        for (std::size_t row = 0; row < rows; ++row)
            out[row * outputs + output] = dot(weights, in.subspan(row * inputs, inputs)) + bias;
    }
}

void applyRope(const Rope& rope, std::uint32_t position, std::span<float> head) {
    if (rope.style == RopeStyle::none)
        return;
    const std::size_t pairs = rope.dimensions / 2;
    for (std::size_t i = 0; i < pairs; ++i) {
        const double exponent = -2.0 * static_cast<double>(i) / rope.dimensions;
        const double factor = rope.factors ? elementOf(*rope.factors, i) : 1.0;
        const double angle = position * std::pow(static_cast<double>(rope.base), exponent) / factor *
                             static_cast<double>(rope.frequencyScale);
        const std::size_t first = rope.style == RopeStyle::adjacent ? 2 * i : i;
        const std::size_t second = rope.style == RopeStyle::adjacent ? 2 * i + 1 : i + pairs;
        const auto cosine = static_cast<float>(std::cos(angle));
        const auto sine = static_cast<float>(std::sin(angle));
        const float x = head[first];
        const float y = head[second];
        head[first] = x * cosine - y * sine;
        head[second] = x * sine + y * cosine;
    }
}

void softmax(std::span<float> scores) {
    const float largest = *std::ranges::max_element(scores);
    double sum = 0;
    for (float& score : scores) {
        score = std::exp(score - largest);
        sum += score;
    }
    for (float& score : scores)
        score = static_cast<float>(score / sum);
}

float activate(Activation activation, float x) {
    switch (activation) {
    case Activation::silu:
        return x / (1.0F + std::exp(-x));
    case Activation::geluTanh: {
        const float slope = std::sqrt(2.0F * std::numbers::inv_pi_v<float>);
        return 0.5F * x * (1.0F + std::tanh(slope * (x + 0.044715F * x * x * x)));
    }
    }
    return x;
}

} // namespace decodescope::engine
