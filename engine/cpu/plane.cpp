#include "engine/cpu/plane.h"

#include "engine/cpu/plane_layout.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <string>

namespace decodescope::engine {

namespace {

constexpr std::uint64_t kAlignment = 64;

std::optional<PlaneKind> kindOf(std::uint32_t typeId) noexcept {
    switch (static_cast<TensorType>(typeId)) {
    case TensorType::f32:
        return PlaneKind::f32;
    case TensorType::f16:
        return PlaneKind::f16;
    case TensorType::bf16:
        return PlaneKind::bf16;
    case TensorType::q4_0:
        return PlaneKind::q4_0;
    case TensorType::q4_1:
        return PlaneKind::q4_1;
    case TensorType::q5_0:
        return PlaneKind::q5_0;
    case TensorType::q5_1:
        return PlaneKind::q5_1;
    case TensorType::q8_0:
        return PlaneKind::q8_0;
    case TensorType::q4_k:
        return PlaneKind::q4_k;
    case TensorType::q5_k:
        return PlaneKind::q5_k;
    case TensorType::q6_k:
        return PlaneKind::q6_k;
    }
    return std::nullopt;
}

std::string typeName(std::uint32_t typeId) {
    const TensorTypeInfo* info = tensorTypeInfo(typeId);
    return info != nullptr ? std::string(info->name) : fmt::format("type {}", typeId);
}

} // namespace

Result<Plane> describePlane(const TensorView& tensor, Isa isa) {
    const std::string name = visible(tensor.name);
    const std::optional<PlaneKind> kind = kindOf(tensor.typeId);
    if (!kind)
        return fail(ErrorCode::unsupported,
                    fmt::format("The tensor {} is of type {}, which the engine cannot multiply by: take the model in "
                                "another quantisation, such as Q4_K_M or Q8_0.",
                                name, typeName(tensor.typeId)));
    const std::uint64_t rows = tensor.rows();
    const std::uint64_t cols = tensor.rowElements();
    const TensorTypeInfo& info = tensorTypeInfo(tensor.type());
    constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
    if (rows == 0 || cols == 0 || rows > kMost || cols > kMost || cols % info.blockElements != 0 ||
        tensor.rowBytes() != cols / info.blockElements * info.blockBytes)
        return fail(ErrorCode::malformed, fmt::format("The tensor {} of type {} has a shape of {} x {} that does not "
                                                      "agree with its {} bytes.",
                                                      name, info.name, cols, rows, tensor.bytes));
    Plane plane;
    plane.kind = *kind;
    plane.isa = isa;
    plane.rows = static_cast<std::uint32_t>(rows);
    plane.cols = static_cast<std::uint32_t>(cols);
    const std::uint32_t lanes = rowsPerGroup(isa);
    plane.groups = (plane.rows + lanes - 1) / lanes;
    // Below 2^31 inputs of at most 4 bytes in 16 rows: no overflow.
    plane.groupBytes = (packedRowBytes(*kind, cols) * lanes + kAlignment - 1) / kAlignment * kAlignment;
    return plane;
}

} // namespace decodescope::engine
