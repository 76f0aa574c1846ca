#pragma once

#include "engine/base/error.h"
#include "engine/model/model_keys.h"
#include "engine/model/model_plan.h"

#include <cstdint>
#include <vector>

namespace decodescope::engine {

/// The numbers that every transformer has, each within its cap and in agreement with the others. Tensors are checked
/// against them when they are bound.
struct ModelNumbers {
    std::uint32_t layers = 0;
    std::uint32_t embedding = 0;
    std::uint32_t heads = 0;
    std::uint32_t kvHeads = 0;
    std::uint32_t headSize = 0;
    std::vector<std::uint32_t> feedForward; ///< one a layer
    std::uint32_t vocabulary = 0;
    std::uint32_t contextLength = 0;
    float epsilon = 0;
    Rope rope; ///< dimensions, base and linear scale; the style is the architecture's
};

/// Caps on what a file may claim: no model of today is near any of them.
inline constexpr std::uint32_t kMaxLayers = 1024;
inline constexpr std::uint32_t kMaxEmbedding = 1U << 17U;
inline constexpr std::uint32_t kMaxHeads = 4096;
inline constexpr std::uint32_t kMaxHeadSize = 4096;
inline constexpr std::uint32_t kMaxFeedForward = 1U << 20U;
inline constexpr std::uint32_t kMaxVocabulary = 4U << 20U;
inline constexpr std::uint32_t kMaxContext = 1U << 30U;

/// ErrorCode::unsupported names the feature that the numbers ask for and that no plan of ours has: experts, YaRN and
/// other rope scalings, softcapping, scales of other architectures, layers with different numbers of heads.
[[nodiscard]] Result<ModelNumbers> readModelNumbers(const ModelKeys& keys);

} // namespace decodescope::engine
