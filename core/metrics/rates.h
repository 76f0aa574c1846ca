#pragma once

#include "core/metrics/arrival_log.h"

#include <optional>

/// Rates over the arrivals of a run (metrics.md section 3). Inside core/metrics only.
namespace decodescope {

/// (n_w - k_1) / (tn - t1) over the arrivals that brought tokens; absent when nothing came after the first of them
/// or no time passed.
[[nodiscard]] std::optional<double> decodeRate(const ArrivalLog& log, double visible);
/// (E - e_1) / (tn - t1): events after the first arrival.
[[nodiscard]] std::optional<double> eventRate(const ArrivalLog& log, std::uint64_t events);

/// The rate over the window around a token position (from 1); absent where the window is empty.
[[nodiscard]] std::optional<double> rateAtPosition(const ArrivalLog& log, std::uint32_t position, int windowTokens);
/// Whole token positions of the log.
[[nodiscard]] std::uint32_t positionsOf(const ArrivalLog& log);
/// Brings a curve up to date: points before `provisionalFrom` stay as they are. `over`: nothing more will come.
void extendRateCurve(RateCurve& curve, const ArrivalLog& log, int windowTokens, bool over);
/// 1, 100, 500, 1000, 2000, 4000, 8000 ... as far as the run goes.
[[nodiscard]] std::vector<RateAt> ratesAtMilestones(const ArrivalLog& log, int windowTokens);

} // namespace decodescope
