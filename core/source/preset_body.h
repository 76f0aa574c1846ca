#pragma once

#include "core/base/error.h"
#include "core/source/run_spec.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace decodescope {

/// Adds what the endpoint's preset and its chosen options ask for. What the body holds already stays as it is: the
/// user's own word comes before a preset's. Nothing happens without a preset.
[[nodiscard]] Result<void> applyPresetToBody(const RunSpec& spec, nlohmann::ordered_json& body);

/// The fields of the request that not every server of its API knows, as paths ("stream_options.include_usage").
[[nodiscard]] std::vector<std::string> unusualFields(const RunSpec& spec);

} // namespace decodescope
