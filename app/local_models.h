#pragma once

#include "ui/window/local_models.h"

namespace decodescope {

/// The window's view of model files on this machine: the disk is searched on a thread of its own, files are read by the
/// engine in processes of its own.
[[nodiscard]] LocalModelServices localModelServices();

} // namespace decodescope
