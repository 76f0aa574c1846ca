#pragma once

#include "engine/base/error.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace decodescope::engine {

struct ChildResult {
    int status = 0;     ///< as of exit(); 127 when the program is not there
    std::string output; ///< the last 64 KiB of stdout and stderr
};

/// Runs a program of the PATH to its end, its output gathered. `tick` is called several times a second; when it gives
/// false the child is ended and ErrorCode::cancelled is the result. The child does not outlive us.
[[nodiscard]] Result<ChildResult> runChild(const std::vector<std::string>& words,
                                           const std::vector<std::pair<std::string, std::string>>& environment,
                                           const std::function<bool()>& tick);

} // namespace decodescope::engine
