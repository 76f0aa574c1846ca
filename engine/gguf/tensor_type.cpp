#include "engine/gguf/tensor_type.h"

#include <algorithm>
#include <array>

namespace decodescope::engine {

namespace {

// Ordered by id. Ids that are not here were never given out or their types were removed from the format.
constexpr std::array kTypes{
    TensorTypeInfo{0, "F32", 1, 4, true},          TensorTypeInfo{1, "F16", 1, 2, true},
    TensorTypeInfo{2, "Q4_0", 32, 18, true},       TensorTypeInfo{3, "Q4_1", 32, 20, true},
    TensorTypeInfo{6, "Q5_0", 32, 22, true},       TensorTypeInfo{7, "Q5_1", 32, 24, true},
    TensorTypeInfo{8, "Q8_0", 32, 34, true},       TensorTypeInfo{9, "Q8_1", 32, 36, false},
    TensorTypeInfo{10, "Q2_K", 256, 84, false},    TensorTypeInfo{11, "Q3_K", 256, 110, false},
    TensorTypeInfo{12, "Q4_K", 256, 144, true},    TensorTypeInfo{13, "Q5_K", 256, 176, true},
    TensorTypeInfo{14, "Q6_K", 256, 210, true},    TensorTypeInfo{15, "Q8_K", 256, 292, false},
    TensorTypeInfo{16, "IQ2_XXS", 256, 66, false}, TensorTypeInfo{17, "IQ2_XS", 256, 74, false},
    TensorTypeInfo{18, "IQ3_XXS", 256, 98, false}, TensorTypeInfo{19, "IQ1_S", 256, 50, false},
    TensorTypeInfo{20, "IQ4_NL", 32, 18, false},   TensorTypeInfo{21, "IQ3_S", 256, 110, false},
    TensorTypeInfo{22, "IQ2_S", 256, 82, false},   TensorTypeInfo{23, "IQ4_XS", 256, 136, false},
    TensorTypeInfo{24, "I8", 1, 1, false},         TensorTypeInfo{25, "I16", 1, 2, false},
    TensorTypeInfo{26, "I32", 1, 4, false},        TensorTypeInfo{27, "I64", 1, 8, false},
    TensorTypeInfo{28, "F64", 1, 8, false},        TensorTypeInfo{29, "IQ1_M", 256, 56, false},
    TensorTypeInfo{30, "BF16", 1, 2, true},        TensorTypeInfo{34, "TQ1_0", 256, 54, false},
    TensorTypeInfo{35, "TQ2_0", 256, 66, false},   TensorTypeInfo{39, "MXFP4", 32, 17, false},
    TensorTypeInfo{40, "NVFP4", 64, 36, false},    TensorTypeInfo{41, "Q1_0", 128, 18, false},
    TensorTypeInfo{42, "Q2_0", 64, 18, false},
};

} // namespace

const TensorTypeInfo* tensorTypeInfo(std::uint32_t id) noexcept {
    const auto at = std::lower_bound(kTypes.begin(), kTypes.end(), id,
                                     [](const TensorTypeInfo& info, std::uint32_t wanted) { return info.id < wanted; });
    return at != kTypes.end() && at->id == id ? &*at : nullptr;
}

const TensorTypeInfo& tensorTypeInfo(TensorType type) noexcept {
    const TensorTypeInfo* const info = tensorTypeInfo(static_cast<std::uint32_t>(type));
    return info != nullptr ? *info : kTypes.front();
}

} // namespace decodescope::engine
