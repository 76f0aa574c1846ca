#pragma once

#include "engine/gguf/tensor_type.h"

#include <cstdint>
#include <string>
#include <vector>

namespace decodescope::engine::test {

/// A small generator with the same numbers everywhere (SplitMix64).
class RandomBits {
public:
    explicit RandomBits(std::uint64_t seed)
        : m_state(seed) {}
    std::uint64_t next();
    float uniform();                      ///< [0, 1)
    float bell();                         ///< mean 0, deviation 1, between -6 and 6
    std::uint64_t below(std::uint64_t n); ///< 0 .. n - 1

private:
    std::uint64_t m_state;
};

/// Random weights of any supported type, mean about 0 and deviation about `deviation`. The packed integers take all
/// their values; scales are small and finite, a little different from block to block. `elements` is a multiple of the
/// type's block.
[[nodiscard]] std::string randomBlocks(TensorType type, std::uint64_t elements, float deviation, RandomBits& random);

/// Wholly random bytes but for the f16 scales, which are finite: what only an exact decoder reads alike.
[[nodiscard]] std::string wildBlocks(TensorType type, std::uint64_t elements, RandomBits& random);

/// Values mean + deviation * bell.
[[nodiscard]] std::vector<float> randomFloats(std::uint64_t count, float mean, float deviation, RandomBits& random);

/// All types that the engine decodes.
[[nodiscard]] const std::vector<TensorType>& supportedTypes();

} // namespace decodescope::engine::test
