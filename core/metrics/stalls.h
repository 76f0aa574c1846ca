#pragma once

#include "core/metrics/arrival_log.h"
#include "core/metrics/order_statistics.h"
#include "core/metrics/stall_kinds.h"

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

/// Finding stalls and telling their kinds (metrics.md section 4). Inside core/metrics only.
namespace decodescope {

class StallScan {
public:
    explicit StallScan(const MetricSettings& settings)
        : m_settings(settings) {}

    /// The log's last arrival is new (and may still grow): takes in the gap before it.
    void addGap(const ArrivalLog& log);
    /// The words of the sentences changed (events became tokens): all is told anew.
    void forgetKinds() { m_told.clear(); }
    /// The arrivals that ended client stalls, ascending.
    [[nodiscard]] std::vector<std::size_t> clientArrivals(const ArrivalLog& log, const StallContext& context) const;
    /// All stalls in order, an open one last.
    [[nodiscard]] std::vector<Stall> stalls(const ArrivalLog& log, const StallContext& context) const;

private:
    /// A gap by the number of the arrival that ended it, with the median it was compared with.
    struct Found {
        std::size_t arrival = 0;
        std::optional<double> medianNs;
    };
    [[nodiscard]] double thresholdNs(std::optional<double> medianNs) const;
    [[nodiscard]] std::optional<double> earlyMedian(const ArrivalLog& log, std::size_t skip) const;
    [[nodiscard]] std::vector<Found> found(const ArrivalLog& log) const;
    [[nodiscard]] StallTelling tell(const ArrivalLog& log, const Found& gap, const StallContext& context) const;
    [[nodiscard]] std::optional<Stall> pending(const ArrivalLog& log, const StallContext& context) const;

    MetricSettings m_settings;
    RunningMedian m_median;                             ///< of all gaps so far
    std::vector<Found> m_late;                          ///< from the ninth gap on
    mutable std::map<std::size_t, StallTelling> m_told; ///< settled ones, by arrival
};

/// Marks three or more stalls in a row whose distance in time or in tokens varies by less than 10%. Those that hiccups
/// of ours made are left out: they are no work of the stream's.
void markPeriodic(std::vector<Stall>& stalls);

} // namespace decodescope
