#pragma once

#include "engine/gguf/gguf_file.h"

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace decodescope::engine::test {

/// How the scales of a made tensor look.
enum class Scales : std::uint8_t {
    ordinary,   ///< of both signs, some zero, of the size that weights have
    powersOfTwo ///< so that no product of them rounds
};

/// A tensor of one type in memory, blocks filled from a seed: every bit pattern of the quants occurs.
struct MadeTensor {
    std::vector<std::byte> bytes;
    std::string name = "blk.0.ffn_up.weight";
    TensorView view;

    MadeTensor(TensorType type, std::uint32_t inputs, std::uint32_t outputs, std::uint32_t seed,
               Scales scales = Scales::ordinary);
    MadeTensor(const MadeTensor&) = delete;
    MadeTensor& operator=(const MadeTensor&) = delete;

    /// The row as the oracle reads it.
    [[nodiscard]] std::vector<float> row(std::uint32_t output) const;
    /// The 16-bit number that scales block `block` of a row (quantised types).
    void setScale(std::uint32_t output, std::uint32_t block, std::uint16_t half);
};

/// All types that planes are made of.
inline constexpr TensorType kPlaneTypes[] = {TensorType::f32,  TensorType::f16,  TensorType::bf16, TensorType::q4_0,
                                             TensorType::q4_1, TensorType::q5_0, TensorType::q5_1, TensorType::q8_0,
                                             TensorType::q4_k, TensorType::q5_k, TensorType::q6_k};

} // namespace decodescope::engine::test
