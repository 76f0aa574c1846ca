#pragma once

#include "core/metrics/run_summary.h"

namespace decodescope {

/// Whether a run that ended in good order brought nothing: not a fragment, and no count of tokens that were not shown.
/// Such a 200 is no success (flag no_tokens).
[[nodiscard]] bool broughtNothing(const RunRecord& record, const TokenCount& tokens);

} // namespace decodescope
