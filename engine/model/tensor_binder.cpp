#include "engine/model/tensor_binder.h"

#include "engine/gguf/tensor_type.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <utility>

namespace decodescope::engine {

namespace {

std::string shapeOf(const TensorView& tensor) {
    std::string text;
    for (int i = 0; i < tensor.dimensions; ++i)
        text += fmt::format("{}{}", i ? " x " : "", tensor.shape[static_cast<std::size_t>(i)]);
    return text;
}

std::string typeName(std::uint32_t id) {
    const TensorTypeInfo* const info = tensorTypeInfo(id);
    return info ? std::string(info->name) : fmt::format("number {}", id);
}

} // namespace

TensorBinder::TensorBinder(const GgufFile& file, std::string_view architecture)
    : m_file(file)
    , m_architecture(architecture) {}

void TensorBinder::refuse(ErrorCode code, std::string message) {
    if (!m_error)
        m_error = Error{code, std::move(message)};
}

const TensorView* TensorBinder::find(const std::string& name) {
    if (m_error)
        return nullptr;
    const TensorView* const tensor = m_file.tensor(name);
    if (tensor)
        m_bound.insert(tensor);
    return tensor;
}

const TensorView* TensorBinder::required(const std::string& name) {
    const TensorView* const tensor = find(name);
    if (!tensor)
        refuse(ErrorCode::malformed, fmt::format("The model file lacks the tensor {}.", name));
    return tensor;
}

bool TensorBinder::checkShape(const TensorView& tensor, std::uint64_t inputs, std::uint64_t outputs) {
    const std::array<std::uint64_t, 4> wanted{inputs, outputs, 1, 1};
    if (tensor.shape == wanted)
        return true;
    refuse(ErrorCode::malformed,
           fmt::format("The model file's tensor {} is {}; its other numbers want {}.", visible(tensor.name),
                       shapeOf(tensor),
                       outputs == 1 ? std::to_string(inputs) : fmt::format("{} x {}", inputs, outputs)));
    return false;
}

bool TensorBinder::checkPlain(const TensorView& tensor, std::uint64_t elements) {
    if (!checkShape(tensor, elements, 1))
        return false;
    if (tensor.typeId == static_cast<std::uint32_t>(TensorType::f32))
        return true;
    refuse(ErrorCode::unsupported, fmt::format("The model file's tensor {} is of type {}; norms, biases and factors "
                                               "must be F32.",
                                               visible(tensor.name), typeName(tensor.typeId)));
    return false;
}

Linear TensorBinder::linear(const std::string& name, std::uint64_t inputs, std::uint64_t outputs, Bias bias) {
    if (!required(name + ".weight"))
        return {};
    return optionalLinear(name, inputs, outputs, bias);
}

Linear TensorBinder::optionalLinear(const std::string& name, std::uint64_t inputs, std::uint64_t outputs, Bias bias) {
    Linear out;
    const TensorView* const weight = find(name + ".weight");
    if (!weight || !checkShape(*weight, inputs, outputs))
        return {};
    const TensorTypeInfo* const type = tensorTypeInfo(weight->typeId);
    if (!type || !type->supported) {
        refuse(ErrorCode::unsupported,
               fmt::format("The model file's tensor {} is of type {}, which this engine does not decode. Try the "
                           "model in another quantisation, for instance Q4_K_M or Q8_0.",
                           visible(weight->name), typeName(weight->typeId)));
        return {};
    }
    out.weight = weight;
    if (bias == Bias::none)
        return out;
    const std::string biasName = name + ".bias";
    const TensorView* const values = bias == Bias::required ? required(biasName) : find(biasName);
    if (values && checkPlain(*values, outputs))
        out.bias = values;
    return out;
}

RmsNorm TensorBinder::norm(const std::string& name, std::uint64_t width, float epsilon) {
    const TensorView* const weight = required(name + ".weight");
    if (!weight || !checkPlain(*weight, width))
        return {};
    return {weight, epsilon};
}

const TensorView* TensorBinder::optionalFactors(const std::string& name, std::uint64_t elements) {
    const TensorView* const factors = find(name + ".weight");
    if (!factors || !checkPlain(*factors, elements))
        return nullptr;
    for (std::uint64_t i = 0; i < elements; ++i) {
        float factor = 0;
        std::memcpy(&factor, factors->data + i * sizeof(float), sizeof(float));
        if (!std::isfinite(factor) || !(factor > 0)) {
            refuse(ErrorCode::malformed, fmt::format("The model file's tensor {} has the factor {} at {}; factors must "
                                                     "be above 0.",
                                                     visible(factors->name), factor, i));
            return nullptr;
        }
    }
    return factors;
}

Result<void> TensorBinder::finish() {
    if (m_error)
        return tl::unexpected(*m_error);
    for (const TensorView& tensor : m_file.tensors())
        if (!m_bound.contains(&tensor))
            return fail(ErrorCode::unsupported,
                        fmt::format("The model file has the tensor {}, which this engine's {} models do not have.",
                                    visible(tensor.name), m_architecture));
    return {};
}

} // namespace decodescope::engine
