#pragma once

#include "tests/engine/support/tiny_model.h"

#include <cstdint>
#include <string>
#include <vector>

namespace decodescope::engine::test {

/// What has to become of a hostile file. Nothing may crash, whatever it is.
enum class Fate : std::uint8_t {
    notOpened,   ///< the reader refuses it
    noPlan,      ///< opened; its numbers and tensors make no model
    noTokenizer, ///< opened; its vocabulary is refused
    survives     ///< anything but a crash
};

struct HostileModel {
    std::string name;
    std::string bytes;
    Fate fate = Fate::survives;
};

/// A whole model in about 8 KB: few tokens, one layer.
[[nodiscard]] TinyModel smallestModel(TokenizerFamily family = TokenizerFamily::spm);

/// The ways in which files have broken readers of the format, each made out of a valid model by one change.
[[nodiscard]] std::vector<HostileModel> hostileModels();

/// Each number of the header set to each of the values that break arithmetic.
[[nodiscard]] std::vector<HostileModel> fieldMutations(const GgufWriter& writer);

} // namespace decodescope::engine::test
