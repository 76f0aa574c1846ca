#pragma once

#include "app/exit_status.h"

namespace decodescope {

/// `decodescope engine ...`: becomes decodescope-engine with the arguments from argv[2] on. Comes back only when there
/// is none, or it cannot be started. Needs a QCoreApplication.
[[nodiscard]] ExitStatus becomeEngine(int argc, char** argv);

} // namespace decodescope
