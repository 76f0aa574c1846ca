#pragma once

#include "core/base/error.h"
#include "core/record/recording.h"

#include <string>
#include <vector>

namespace decodescope {

struct Composition;
struct WindowServices;

/// All that the window has over a real network.
[[nodiscard]] WindowServices liveServices(const Composition& composition);

/// Opens the window over a real network, with these recordings; returns when it is closed. The composition root of
/// the window.
[[nodiscard]] int runWindow(int argc, char** argv, const std::vector<std::string>& files);

/// Draws the Race view of a recording as a PNG file of 1600 x 1000 pixels. Needs no display: where none is named it
/// draws off screen. Fails with ErrorCode::io when the file cannot be written.
[[nodiscard]] Result<void> renderReport(int argc, char** argv, const Recording& recording, const std::string& pngPath);

} // namespace decodescope
