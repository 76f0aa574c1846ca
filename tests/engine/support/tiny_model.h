#pragma once

#include "engine/gguf/tensor_type.h"
#include "tests/engine/support/gguf_writer.h"
#include "tests/engine/support/tiny_vocabulary.h"

#include <cstdint>
#include <optional>
#include <string>

namespace decodescope::engine::test {

enum class HeadKind : std::uint8_t { tied, own };

/// A random model of a few thousand weights that a real runtime loads: numbers, vocabulary and tensors as the
/// converters of the architecture write them. Norms and biases are f32, all matrices of `type`.
struct TinyModel {
    std::string architecture = "llama"; ///< llama, qwen2, qwen3, gemma3
    TensorType type = TensorType::f32;
    std::uint32_t layers = 2;
    std::uint32_t embedding = 64;
    std::uint32_t heads = 4;
    std::uint32_t kvHeads = 2;
    std::uint32_t headSize = 16;
    std::uint32_t feedForward = 128;
    std::uint32_t contextLength = 512;
    std::uint32_t slidingWindow = 0; ///< written when not 0
    float ropeBase = 10000;
    HeadKind head = HeadKind::own;
    bool ropeFactors = false; ///< rope_freqs, as Llama 3.1 has them
    TinyVocabulary vocabulary;
    std::string chatTemplate; ///< empty: none
    std::uint64_t seed = 1;

    /// The architecture's own ways (head, vocabulary, window, template) with sizes that suit the type: rows are
    /// multiples of its block. Everything may be changed before writing.
    [[nodiscard]] static TinyModel of(const std::string& architecture, TensorType type = TensorType::f32);

    [[nodiscard]] GgufWriter writer() const;
    [[nodiscard]] std::string bytes() const { return writer().bytes(); }
    [[nodiscard]] bool write(const std::string& path) const { return writer().write(path); }
};

} // namespace decodescope::engine::test
