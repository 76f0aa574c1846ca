#pragma once

#include "core/metrics/arrival_log.h"
#include "core/metrics/hiccup_index.h"

#include <cstddef>
#include <optional>
#include <string>

/// What a stall was (metrics.md section 4). Inside core/metrics only.
namespace decodescope {

/// What a stall is judged by besides the arrivals.
struct StallContext {
    const RunRecord& record;
    const HiccupIndex& hiccups;
    bool tokensKnown = false;   ///< otherwise the sentence speaks of events
    std::optional<Instant> now; ///< of a run that goes on
};

struct StallTelling {
    StallKind kind = StallKind::unknown;
    std::string evidence;
    StallEvidence data;
    bool settled = false; ///< nothing that is still to come can change it, hiccups apart
};

/// By what came with and after the gap before `arrival`: phase, delivery, generation, or unknown. Hiccups play no part.
[[nodiscard]] StallTelling tellByArrivals(const ArrivalLog& log, std::size_t arrival, const StallContext& context);

/// The part of the gap before `arrival` that makes it a client stall: what a hiccup in progress at its end took of it,
/// where the stamp is our own or, the kernel's, that of the last of several events that waited to be read.
/// Absent when it is none. `medianNs` as the stall was found.
[[nodiscard]] std::optional<Duration> clientPart(const ArrivalLog& log, std::size_t arrival,
                                                 std::optional<double> medianNs, const StallContext& context);

/// "812 ms", "1.24 s".
[[nodiscard]] std::string durationWords(double seconds);

} // namespace decodescope
