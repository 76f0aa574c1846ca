#pragma once

#include "app/run_command.h"

namespace decodescope {

/// The composition root of the command line: real sources over the network, real keys.
[[nodiscard]] RunServices realServices();

} // namespace decodescope
