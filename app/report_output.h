#pragma once

#include "app/run_options.h"
#include "app/session_report.h"

namespace decodescope {

/// Prints the result on stdout: the scoreboard (with the texts below it where they are asked for), the JSON object,
/// or the same object as the last of the JSON lines. False when stdout did not take it all.
[[nodiscard]] bool printReport(const SessionReport& report, OutputForm form, TextExport text);

} // namespace decodescope
