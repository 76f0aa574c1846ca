#pragma once

#include "core/metrics/arrival_log.h"

#include <optional>
#include <vector>

/// How the rate falls as the answer grows (metrics.md section 3). Inside core/metrics only.
namespace decodescope {

/// Medians of the per-token gap in bins of 32 tokens. The last arrival may still grow, so arrivals are given one
/// late: everything but the last.
class DecayBins {
public:
    /// Arrival i is final.
    void add(const ArrivalLog& log, std::size_t i);
    /// With the log's last arrival, which was not added yet. Absent below 16 bins.
    [[nodiscard]] std::optional<Decay> decay(const ArrivalLog& log) const;

private:
    struct Bin {
        std::uint64_t index = 0;
        double medianPs = 0;
    };
    /// The last line drawn and what it was drawn through: it changes once in 32 tokens, and is asked for more often.
    struct Memory {
        std::size_t bins = 0;
        double lastMedianPs = 0;
        Decay decay;
    };
    void close();
    std::vector<Bin> m_bins;
    std::uint64_t m_current = 0;
    std::vector<std::int64_t> m_gaps; ///< of the bin being filled
    mutable Memory m_memory;
};

struct TheilSen {
    double slope = 0, low = 0, high = 0;
};
/// The median of all pairwise slopes with its 95% interval by Kendall's statistic. x strictly ascending, at least
/// two points.
[[nodiscard]] TheilSen theilSen(const std::vector<double>& x, const std::vector<double>& y);

} // namespace decodescope
