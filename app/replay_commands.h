#pragma once

#include "app/exit_status.h"

#include <string>

namespace decodescope {

/// The flags of `replay` and `report`.
struct RecordingFlags {
    std::string file;
    bool json = false;
    bool jsonLines = false;
    bool text = false;
    double speed = 1;
    std::string png; ///< where `report` draws to; empty: nowhere
};

/// `decodescope replay FILE`: plays it at its true pace and prints the scoreboard; with --json the result at once.
[[nodiscard]] ExitStatus replayCommand(const RecordingFlags& flags);
/// `decodescope report FILE`: the result recomputed from the recording, printed or drawn.
[[nodiscard]] ExitStatus reportCommand(const RecordingFlags& flags);

} // namespace decodescope
