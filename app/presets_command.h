#pragma once

#include "app/exit_status.h"

namespace decodescope {

/// `decodescope presets`: the endpoint presets, and the endpoints that the environment names, with where each value
/// came from. Contacts nobody and prints no key.
[[nodiscard]] ExitStatus presetsCommand(bool json);

} // namespace decodescope
