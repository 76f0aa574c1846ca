#pragma once

#include "core/metrics/run_summary.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace decodescope {

/// One read that completed at least one token event (metrics.md section 1).
struct Arrival {
    Instant at{};
    std::uint32_t read = 0;
    std::uint32_t firstEvent = 0; ///< index in RunRecord::events
    std::uint32_t eventCount = 0;
    double tokens = 0; ///< sum of k over its events; 0 with basis none
};

[[nodiscard]] TokenCount countTokens(const RunRecord& record);
[[nodiscard]] std::vector<Arrival> arrivals(const RunRecord& record, const TokenCount& tokens);
/// The whole of metrics.md sections 2 to 4 for one run.
[[nodiscard]] RunSummary summarize(const RunRecord& record, const MetricSettings& settings = {});

/// Rate at each whole position from 2 on: x = token position, y = tok/s over the window around it. `provisional`
/// is the index from which on points may still change while the run goes on.
struct RateCurve {
    std::vector<float> tps; ///< tps[i] belongs to position first + i; NaN where undefined
    std::uint32_t first = 1;
    std::uint32_t provisionalFrom = 0;
};
[[nodiscard]] RateCurve rateCurve(const RunRecord& record, const TokenCount& tokens,
                                  const MetricSettings& settings = {});

/// The incremental twin of summarize(): after the last event its summary equals the batch result exactly.
/// update() costs O(new rows); summary() is cheap enough for ten times a second at 100,000 tokens a lane.
class LiveMetrics {
public:
    explicit LiveMetrics(MetricSettings settings = {});
    ~LiveMetrics();
    LiveMetrics(LiveMetrics&&) noexcept;
    LiveMetrics& operator=(LiveMetrics&&) noexcept;

    /// Takes in the rows that are new since the last call; the record only ever grows.
    void update(const RunRecord& record);
    /// The figures so far. `now` is the run's own now: an open stall is told from it.
    [[nodiscard]] RunSummary summary(const RunRecord& record, std::optional<Instant> now = {}) const;
    /// The rate at every position so far, as rateCurve() gives it, kept up to date by update(): nothing to compute.
    [[nodiscard]] const RateCurve& rateCurve() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

/// A metric over several runs (metrics.md section 5). For rates p90..p99 are of the low tail.
struct Aggregate {
    std::uint64_t n = 0;
    double min = 0, p50 = 0, p90 = 0, p95 = 0, p99 = 0, max = 0, mean = 0;
    /// Whether n supports the percentile (0.9 or 90): p90 from 10, p95 from 20, p99 from 100 values.
    [[nodiscard]] bool supports(double percentile) const;
};

/// Whether the slowest runs are so much slower that the server's scheduler or memory is to be looked at: p99 of TPS,
/// the rate that 99% of runs reach, is less than half of p50 (metrics.md section 5).
[[nodiscard]] bool tailCollapses(const Aggregate& decodeTps);

/// Type 7: linear interpolation between order statistics. `sorted` ascending, not empty; q in [0, 1].
[[nodiscard]] double quantileType7(const std::vector<double>& sorted, double q);
[[nodiscard]] std::optional<Aggregate> aggregate(std::vector<double> values, bool lowTail);

/// Ratio of medians b / a with a seeded bootstrap 95% interval. Absent when either has fewer than two values (one
/// value has no spread to draw from) or a median is not above 0.
struct MedianRatio {
    double ratio = 1, low = 1, high = 1;
    [[nodiscard]] bool differs() const { return low > 1 || high < 1; }
};
[[nodiscard]] std::optional<MedianRatio> medianRatio(const std::vector<double>& a, const std::vector<double>& b);

/// metrics.md section 8: from which answer length on the other lane finishes first.
[[nodiscard]] std::optional<double> breakEven(double ttftA, double tpsA, double ttftB, double tpsB);

/// metrics.md section 7, the reader at one instant.
struct ReadingState {
    double wordsArrived = 0, wordsRead = 0;
    double leadWords = 0;
    double starvedS = 0;                      ///< so far
    std::uint32_t readOffset = 0;             ///< byte in the transcript up to which was read
    std::uint32_t wordBegin = 0, wordEnd = 0; ///< the current word in the transcript
    std::optional<double> perceivedTps;       ///< min(decode rate, reading rate in this text's tokens)
};
/// Incremental: keeps the words and their arrival instants of one run's answer.
class ReadingPace {
public:
    explicit ReadingPace(double wordsPerMinute = 238);
    ~ReadingPace();
    ReadingPace(ReadingPace&&) noexcept;
    ReadingPace& operator=(ReadingPace&&) noexcept;

    void setWordsPerMinute(double wpm); ///< 80 ... 1000
    [[nodiscard]] double wordsPerMinute() const;
    void update(const RunRecord& record);
    [[nodiscard]] ReadingState at(const RunRecord& record, const RunSummary& summary, Instant now) const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace decodescope
