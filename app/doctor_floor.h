#pragma once

#include "core/base/error.h"
#include "core/wire/stream_event.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace decodescope {

/// How far stamps and gaps lay from the truth in one measurement, seconds.
struct FloorErrors {
    double p50 = 0;
    double p99 = 0;
    double max = 0;
};

/// One way of stamping under one load.
struct MeasuredFloor {
    ClockSource asked = ClockSource::user; ///< what the transport promises
    ClockSource clock = ClockSource::user; ///< what the stamps really were
    int streams = 1;
    double intervalS = 0;
    std::size_t tokens = 0;
    std::size_t merged = 0;
    std::size_t rejected = 0; ///< kernel stamps that were not believed
    FloorErrors stamp;
    FloorErrors gap;
    std::optional<double> errorBoundS; ///< what runs state as their error bound, the largest
    double networkLagS = 0;
    std::string failure; ///< why there are no figures; empty when there are
};

/// What this machine can measure at best.
struct MachineFloor {
    std::vector<MeasuredFloor> floors;
    std::size_t hiccups = 0; ///< while all of this was measured
    std::optional<double> largestHiccupS;
    double clockResolutionS = 0;
    double sleepLateP50S = 0; ///< of sleeps of a millisecond
    double sleepLateP99S = 0;
    /// What turning a kernel's stamp into an instant may be wrong by; absent where the kernel stamps nothing.
    std::optional<double> clockOffsetErrorS;

    /// The measurement of this clock at so many streams, if it has figures.
    [[nodiscard]] const MeasuredFloor* floor(ClockSource clock, int streams) const;
    /// Under load, the best clock's figures; null when nothing could be measured.
    [[nodiscard]] const MeasuredFloor* best() const;
    /// Gaps below this are not known to a tenth of themselves: ten times the 99th percentile of the gaps' error.
    [[nodiscard]] std::optional<double> gapFloorS() const;
};

/// Measures for about `seconds` with streams of a server in a process of its own. Fails when that cannot be started.
/// Needs a QCoreApplication. To be called while this process has one thread.
[[nodiscard]] Result<MachineFloor> measureMachineFloor(double seconds);

} // namespace decodescope
