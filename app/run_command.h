#pragma once

#include "app/exit_status.h"
#include "app/lane_completion.h"
#include "app/run_options.h"

namespace decodescope {

/// What `run` needs from the composition root.
struct RunServices {
    SourceFactory sources;
    KeyLoader loadKey;
    std::shared_ptr<RecordingShelf> recordings; ///< what recorded lanes play from
    SampleLoader sampleModel;
    std::shared_ptr<HiccupLog> hiccups; ///< of this process
};

/// `decodescope run`: measures, prints the result on stdout, records when asked to. Needs a QCoreApplication.
[[nodiscard]] ExitStatus runCommand(const RunFlags& flags, const RunServices& services);

} // namespace decodescope
