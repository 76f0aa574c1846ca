#pragma once

#include "core/base/error.h"
#include "core/net/floor_run.h"
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
    bool tls = false;
    double intervalS = 0;
    std::size_t tokens = 0;
    std::size_t merged = 0;
    std::size_t rejected = 0; ///< kernel stamps that were not believed
    std::optional<FloorErrors> stamp;
    std::optional<FloorErrors> gap;    ///< absent where every gap began or ended in a merged read
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

    /// Whether anything was stamped by the kernel.
    [[nodiscard]] bool kernelStamps() const;
    /// Under load, the best clock's measurement that has gaps; null when there is none.
    [[nodiscard]] const MeasuredFloor* best(bool tls = false) const;
    /// Gaps below this are not known to a tenth of themselves: ten times the 99th percentile of the gaps' error.
    [[nodiscard]] std::optional<double> gapFloorS(bool tls = false) const;
};

/// The figures of streams that ran to their end, into what was asked of them.
void addFigures(MeasuredFloor& floor, const std::vector<FloorStream>& streams);

/// Measures for about `seconds` with streams of servers in processes of their own, in the clear and under TLS. Fails
/// when the former cannot be started.
/// Needs a QCoreApplication. To be called while this process has one thread.
[[nodiscard]] Result<MachineFloor> measureMachineFloor(double seconds);

} // namespace decodescope
