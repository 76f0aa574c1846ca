#pragma once

#include "engine/base/error.h"

#include <optional>
#include <string>

namespace decodescope::engine::test {

/// How far a model file came when everything was done with it that is done before weights are read.
struct Survey {
    std::optional<Error> opening;   ///< why it was not opened; then nothing else was tried
    std::optional<Error> plan;      ///< why it has no plan
    std::optional<Error> tokenizer; ///< why it has no tokenizer
    std::optional<Error> chat;      ///< why it does not chat; of models with a tokenizer
    int tokens = 0;                 ///< of a text with words, digits, wide characters, control spellings, broken UTF-8

    [[nodiscard]] bool runs() const noexcept { return !opening && !plan && !tokenizer; }
};

[[nodiscard]] Survey surveyed(const std::string& path);

} // namespace decodescope::engine::test
