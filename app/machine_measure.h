#pragma once

#include "core/base/error.h"

#include <functional>
#include <string>

namespace decodescope {

/// Runs `decodescope doctor` in a process of its own, so that neither this program's threads nor its work are measured
/// with the machine. `answer` is called once, from the event loop, with what doctor prints or with why there is
/// nothing; calling what is returned ends the measurement without an answer.
[[nodiscard]] std::function<void()> measureMachine(std::function<void(Result<std::string>)> answer);

} // namespace decodescope
