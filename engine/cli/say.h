#pragma once

#include "engine/base/error.h"

#include <string_view>

namespace decodescope::engine {

/// Says the error on stderr and gives its exit status.
[[nodiscard]] int failed(const Error& error);
/// Writes the text to stdout: 0, or the status of a full disk or closed pipe.
[[nodiscard]] int printed(std::string_view text);

} // namespace decodescope::engine
