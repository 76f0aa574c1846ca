#pragma once

#include "engine/cli/model_facts.h"

#include <string>

namespace decodescope::engine {

/// `inspect --json`: one object, one line.
[[nodiscard]] std::string factsAsJson(const ModelFacts& facts);
/// A page for people, names on the left.
[[nodiscard]] std::string factsAsPage(const ModelFacts& facts);

/// "98.4 MB": decimal units, three digits.
[[nodiscard]] std::string bytesInWords(std::uint64_t bytes);
/// "134.5 M": as models are called.
[[nodiscard]] std::string countInWords(std::uint64_t count);

} // namespace decodescope::engine
