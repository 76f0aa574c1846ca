#pragma once

#include "app/session_report.h"
#include "core/base/error.h"

#include <vector>

namespace decodescope {

/// The exit statuses of cli.md.
enum class ExitStatus : int {
    ok = 0,
    internal = 1,
    usage = 2,
    noResponse = 3,  ///< unreachable, TLS, HTTP status, redirect, wrong content, no token at all
    refused = 4,     ///< 401, 403
    streamEnded = 5, ///< a stream that had begun ended abnormally
    lanesDiffer = 6,
    thresholdMissed = 7,
    disk = 8,
    interrupted = 130
};

[[nodiscard]] ExitStatus exitStatusOf(const RunRecord& record);
/// One lane: ok when all its runs were, else the gravest of its runs.
[[nodiscard]] ExitStatus exitStatusOf(const ReportedLane& lane);
/// All lanes: their common status, or lanesDiffer.
[[nodiscard]] ExitStatus exitStatusOf(const std::vector<ReportedLane>& lanes);
[[nodiscard]] ExitStatus exitStatusOf(const Error& error);

} // namespace decodescope
