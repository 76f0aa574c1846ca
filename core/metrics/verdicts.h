#pragma once

#include "core/metrics/run_summary.h"

/// The flags of a run (metrics.md section 3, verdicts). Inside core/metrics only.
namespace decodescope {

/// In this order, each when it holds: no_tokens, not_streamed, not_really_streamed, short_run, not_steady_state,
/// steady, k_unknown, hidden_tokens, usage_mismatch, over_max_tokens, cached, tls_not_verified, the signs of buffering;
/// then the wire's own warnings.
[[nodiscard]] std::vector<std::string> verdicts(const RunRecord& record, const RunSummary& summary);

/// All came at once, whatever the framing says: generated first and framed afterwards, or replayed from a cache.
[[nodiscard]] bool notReallyStreamed(const RunRecord& record, const RunSummary& summary);

} // namespace decodescope
