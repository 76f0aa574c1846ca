#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

/// The tensor types of GGUF (ids and block layouts: ggml's gguf.md and ggml-common.h).
namespace decodescope::engine {

enum class TensorType : std::uint32_t {
    f32 = 0,
    f16 = 1,
    q4_0 = 2,
    q4_1 = 3,
    q5_0 = 6,
    q5_1 = 7,
    q8_0 = 8,
    q4_k = 12,
    q5_k = 13,
    q6_k = 14,
    bf16 = 30
};

struct TensorTypeInfo {
    std::uint32_t id = 0;
    std::string_view name;           ///< as people write it: "Q4_K"
    std::uint32_t blockElements = 1; ///< elements along the contiguous dimension that share a block
    std::uint32_t blockBytes = 0;
    bool supported = false; ///< whether the engine decodes it; known but unsupported types are refused by this name
};

/// Null for an id that no version of the format gave a meaning (or whose type was removed).
[[nodiscard]] const TensorTypeInfo* tensorTypeInfo(std::uint32_t id) noexcept;
[[nodiscard]] const TensorTypeInfo& tensorTypeInfo(TensorType type) noexcept;

} // namespace decodescope::engine
