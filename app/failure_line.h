#pragma once

#include "core/record/run_record.h"

#include <string>

namespace decodescope {

/// Why a run brought no result, on one line for a person: what, where, and what to try. Holds no key and may hold words
/// of the server. Empty for a run that ended well.
[[nodiscard]] std::string failureLine(const RunRecord& record);

} // namespace decodescope
