#pragma once

#include "core/source/model_finder.h"

#include <string>

/// Where this user's files are, by the XDG variables or else under the home folder. Nothing is made here.
namespace decodescope {

/// A variable of this process's environment; empty when it is not set.
[[nodiscard]] std::string environmentVariable(const char* name);

[[nodiscard]] std::string settingsFolder(const Environment& environment = environmentVariable);
/// Recordings and models.
[[nodiscard]] std::string dataFolder(const Environment& environment = environmentVariable);

} // namespace decodescope
