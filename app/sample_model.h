#pragma once

#include "core/base/error.h"

#include <string>

namespace decodescope {

/// Gets the sample model through the engine and gives its path: at once when it was fetched before, else it is
/// downloaded, with progress on stderr. Turns an event loop of its own: for the command line, before a run. Every
/// failure has ErrorCode::network, as there is nobody who could answer then.
[[nodiscard]] Result<std::string> fetchSampleModel();

/// The sample model's file if it was fetched before; empty otherwise.
[[nodiscard]] std::string fetchedSampleModel();

} // namespace decodescope
