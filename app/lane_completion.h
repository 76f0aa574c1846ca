#pragma once

#include "core/base/error.h"
#include "core/record/recording_shelf.h"
#include "core/session/session.h"

#include <functional>
#include <string>
#include <vector>

namespace decodescope {

/// Gets the sample model and gives its path; may take minutes the first time.
using SampleLoader = std::function<Result<std::string>()>;

/// Fills in what lanes only name: the sample model's file, and what recorded lanes were asked. A message names the
/// lane.
[[nodiscard]] Result<void> completeLanes(std::vector<LaneConfig>& lanes, RecordingShelf& recordings,
                                         const SampleLoader& sample);

} // namespace decodescope
