#pragma once

#include "app/headless_run.h"
#include "core/record/recording.h"

namespace decodescope {

/// Plays a recording at its true pace (or `speed` times it) to the terminal: progress on stderr, with --jsonl the
/// events on stdout. Returns when it is over or the user interrupts. Needs a QCoreApplication.
[[nodiscard]] HeadlessRun::Result playRecording(const Recording& recording, double speed, OutputForm form);

} // namespace decodescope
