#pragma once

#include "core/metrics/arrival_log.h"
#include "core/metrics/order_statistics.h"

#include <optional>

/// Gaps between arrivals: distribution and jitter (metrics.md section 3). Inside core/metrics only.
namespace decodescope {

/// A distribution of whole numbers that grows value by value. `unit` is the length of 1 in seconds.
class GrowingDistribution {
public:
    explicit GrowingDistribution(double unit)
        : m_unit(unit) {}

    void add(std::int64_t value);
    void remove(std::int64_t value);
    [[nodiscard]] std::size_t count() const noexcept { return m_sorted.size(); }
    /// In seconds; absent while empty.
    [[nodiscard]] std::optional<Distribution> distribution() const;
    [[nodiscard]] const SortedBlocks& sorted() const noexcept { return m_sorted; }
    /// Population standard deviation in seconds.
    [[nodiscard]] double stdev() const;
    /// Median absolute deviation from the median, raw, in seconds. Not to be asked while empty.
    [[nodiscard]] double mad() const;

private:
    SortedBlocks m_sorted;
    WideInt m_sum = 0;
    WideInt m_squares = 0;
    double m_unit;
};

/// The gaps of a run in their order.
class GapStatistics {
public:
    /// The next gap, in nanoseconds.
    void add(std::int64_t gapNs);
    /// One of those added is to be counted no more, or again. The running jitter goes by order: afterwards it is to be
    /// told anew, by restartRunning() and then every gap that counts.
    void leaveOut(std::int64_t gapNs) { m_gaps.remove(gapNs); }
    void takeBack(std::int64_t gapNs) { m_gaps.add(gapNs); }
    void restartRunning();
    void addRunning(std::int64_t gapNs);
    [[nodiscard]] std::optional<Distribution> itl() const { return m_gaps.distribution(); }
    /// Absent with fewer than two gaps: one gap has no spread.
    [[nodiscard]] std::optional<Jitter> jitter() const;

private:
    GrowingDistribution m_gaps{1e-9};
    std::optional<std::int64_t> m_previous;
    double m_rfc3550 = 0; // nanoseconds
};

} // namespace decodescope
