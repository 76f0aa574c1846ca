#pragma once

#include "core/record/raw_log.h"
#include "core/record/run_record.h"

namespace decodescope {

/// Gives a sink all that a finished run was made of, as if it happened again: what a journal needs to keep a run that
/// only memory has. Reads for which `raw` had no room are not among it; raw.whole() tells.
void handOn(const RunRecord& record, const RawLog& raw, RawSink& sink);

} // namespace decodescope
