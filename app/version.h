#pragma once

#include <string>

namespace decodescope {

/// "decodescope 0.1.0": what recordings and reports say of their maker.
[[nodiscard]] std::string applicationName();
/// What --version prints: version, revision where the build knew it, Qt.
[[nodiscard]] std::string versionText();

} // namespace decodescope
