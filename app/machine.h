#pragma once

#include <string>

namespace decodescope {

/// The `machine` object of cli.md as JSON text: what a figure depends on (system, kernel, processor, cores,
/// memory) and nothing that names a person or a host.
[[nodiscard]] std::string machineJson();

} // namespace decodescope
