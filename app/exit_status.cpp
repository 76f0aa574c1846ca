#include "app/exit_status.h"

#include "core/metrics/metrics.h"
#include "core/metrics/no_tokens.h"

#include <algorithm>

namespace decodescope {

namespace {

/// A response under 200 had begun: from here on a failure is one of the stream.
bool streamHadBegun(const RunRecord& record) {
    return record.head && record.head->status >= 200 && record.head->status < 300;
}

} // namespace

ExitStatus exitStatusOf(const RunRecord& record) {
    switch (record.outcome) {
    case Outcome::running:
        return ExitStatus::internal;
    case Outcome::complete:
    case Outcome::notStreamed:
        return broughtNothing(record, countTokens(record)) ? ExitStatus::noResponse : ExitStatus::ok;
    case Outcome::cancelled:
        return ExitStatus::interrupted;
    case Outcome::truncated:
    case Outcome::interrupted:
    case Outcome::error:
    case Outcome::timeout:
        break;
    }
    switch (record.end ? record.end->kind : ErrorKind::connectionClosed) {
    case ErrorKind::auth:
        return ExitStatus::refused;
    case ErrorKind::httpStatus:
    case ErrorKind::rateLimited:
    case ErrorKind::loading:
    case ErrorKind::redirect:
    case ErrorKind::badContentType:
    case ErrorKind::unreachable:
    case ErrorKind::tls:
    case ErrorKind::timeoutConnect:
        return ExitStatus::noResponse;
    case ErrorKind::blocked:
    case ErrorKind::malformed:
        return record.events.empty() ? ExitStatus::noResponse : ExitStatus::streamEnded;
    case ErrorKind::truncated:
        return record.events.empty() ? ExitStatus::noResponse : ExitStatus::streamEnded; // an answer of nothing is none
    default:
        return streamHadBegun(record) ? ExitStatus::streamEnded : ExitStatus::noResponse;
    }
}

ExitStatus exitStatusOf(const ReportedLane& lane) {
    ExitStatus gravest = ExitStatus::ok;
    for (const ReportedRun& run : lane.runs)
        gravest = std::max(gravest, exitStatusOf(*run.record));
    return gravest;
}

ExitStatus exitStatusOf(const std::vector<ReportedLane>& lanes) {
    if (lanes.empty())
        return ExitStatus::ok;
    const ExitStatus first = exitStatusOf(lanes.front());
    const bool alike = std::all_of(lanes.begin(), lanes.end(), [&](const auto& l) { return exitStatusOf(l) == first; });
    return alike ? first : ExitStatus::lanesDiffer;
}

ExitStatus exitStatusOf(const Error& error) {
    switch (error.code) {
    case ErrorCode::usage:
    case ErrorCode::unsupported:
        return ExitStatus::usage;
    case ErrorCode::io:
    case ErrorCode::malformed:
        return ExitStatus::disk;
    case ErrorCode::network:
        return ExitStatus::noResponse;
    case ErrorCode::refused:
        return ExitStatus::refused;
    case ErrorCode::internal:
        break;
    }
    return ExitStatus::internal;
}

} // namespace decodescope
