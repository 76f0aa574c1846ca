#pragma once

#include "core/metrics/metrics.h"
#include "core/record/recording.h"
#include "core/session/session.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

/// What a session came to: the one form that live runs and recordings are brought into before anything is printed,
/// so that both print the same.
namespace decodescope {

struct ReportedRun {
    std::shared_ptr<const RunRecord> record;
    RunSummary summary;
};

struct ReportedLane {
    std::string name;
    RunSpec spec;                  ///< without its key
    std::vector<ReportedRun> runs; ///< warm-ups included, in order

    /// Raw gaps between the arrivals of all runs in statistics, in seconds, ascending; without those that are laid to a
    /// hiccup of ours.
    [[nodiscard]] std::vector<double> pooledGaps() const;
    /// Whether the slowest runs in statistics raise the scheduler/memory flag (metrics.md section 5).
    [[nodiscard]] bool slowTail() const;
};

struct SessionReport {
    std::string startedUtc;
    std::string machineJson;
    std::optional<std::string> recording; ///< path
    std::vector<ReportedLane> lanes;
};

/// The lanes of a live session as they stand.
[[nodiscard]] std::vector<ReportedLane> reportLanes(const Session& session);
/// Seconds between the first and the last `sent` of the runs that were released at one instant most recently; absent
/// when no two were.
[[nodiscard]] std::optional<double> releaseSpreadS(const SessionReport& report);

/// Everything recomputed from a recording.
[[nodiscard]] SessionReport reportRecording(const Recording& recording);

} // namespace decodescope
