#pragma once

#include "core/metrics/arrival_log.h"
#include "core/metrics/order_statistics.h"

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

/// Finding stalls and telling their kinds (metrics.md section 4). Inside core/metrics only.
namespace decodescope {

/// What a stall is judged by besides the arrivals.
struct StallContext {
    const RunRecord& record;
    bool tokensKnown = false;   ///< otherwise the sentence speaks of events
    std::optional<Instant> now; ///< of a run that goes on
};

class StallScan {
public:
    explicit StallScan(const MetricSettings& settings)
        : m_settings(settings) {}

    /// The log's last arrival is new (and may still grow): takes in the gap before it.
    void addGap(const ArrivalLog& log);
    /// The words of the sentences changed (events became tokens): all is told anew.
    void forgetKinds() { m_told.clear(); }
    /// All stalls in order, an open one last.
    [[nodiscard]] std::vector<Stall> stalls(const ArrivalLog& log, const StallContext& context) const;

private:
    /// A gap by the number of the arrival that ended it, with the median it was compared with.
    struct Found {
        std::size_t arrival = 0;
        double medianNs = 0;
    };
    struct Telling {
        StallKind kind = StallKind::unknown;
        std::string evidence;
        bool settled = false; ///< nothing that is still to come can change it
    };
    [[nodiscard]] bool exceeds(double gapNs, std::optional<double> medianNs) const;
    [[nodiscard]] std::optional<double> earlyMedian(const ArrivalLog& log, std::size_t skip) const;
    [[nodiscard]] std::vector<Found> found(const ArrivalLog& log) const;
    [[nodiscard]] Telling tell(const ArrivalLog& log, std::size_t arrival, const StallContext& context) const;
    [[nodiscard]] std::optional<Stall> pending(const ArrivalLog& log, const StallContext& context) const;

    MetricSettings m_settings;
    RunningMedian m_median;                        ///< of all gaps so far
    std::vector<Found> m_late;                     ///< from the ninth gap on
    mutable std::map<std::size_t, Telling> m_told; ///< settled ones, by arrival
};

/// Marks three or more stalls in a row whose distance in time or in tokens varies by less than 10%.
void markPeriodic(std::vector<Stall>& stalls);

} // namespace decodescope
