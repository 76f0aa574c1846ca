#pragma once

#include "core/metrics/metrics.h"
#include "core/record/run_record.h"
#include "ui/charts/engine_curves.h"
#include "ui/charts/min_max_pyramid.h"
#include "ui/view_state.h"

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace decodescope {

/// Counts of gaps in fine logarithmic bins, from which every coarser histogram is added up exactly.
struct GapHistogram {
    static constexpr int kPerDecade = 48;
    static constexpr int kFirstDecade = -2; ///< 0.01 ms
    static constexpr int kDecades = 8;      ///< up to 1000 s
    std::array<std::uint32_t, kPerDecade * kDecades> bins{};
    std::uint64_t total = 0;

    void add(double gapS);
    /// One that was added.
    void remove(double gapS);
    [[nodiscard]] static std::size_t binOf(double gapS);
    /// Lower edge of a bin as log10 of milliseconds.
    [[nodiscard]] static double edge(int bin) { return kFirstDecade + static_cast<double>(bin) / kPerDecade; }
};

/// Everything the charts draw of one run, kept once and shared by all of them: 21 bytes an arrival with all
/// pyramids. Grows with the record; update() costs O(new rows), save when the way of counting tokens changes.
class LaneCurves {
public:
    /// Takes in the new rows. `tokens` is the latest count (null: none yet, events are counted); `rates` is the
    /// run's own rate curve, shown as it is while the unit is tokens.
    void update(const RunRecord& record, const TokenCount* tokens, const RateCurve& rates, RateUnit unit);
    void clear();

    [[nodiscard]] std::size_t arrivals() const { return m_times.size(); }
    /// Seconds from t0 to arrival i, ascending.
    [[nodiscard]] const ChunkedArray<float>& times() const { return m_times; }
    /// gaps().at(i): seconds between arrival i and i + 1.
    [[nodiscard]] const MinMaxPyramid& gaps() const { return m_gaps; }
    [[nodiscard]] const GapHistogram& histogram() const { return m_histogram; }
    /// Tokens (events when nothing tells tokens) that had arrived with arrival i.
    [[nodiscard]] const ChunkedArray<float>& tokens() const { return m_tokens; }
    /// The same in the shown unit: tokens, characters or words.
    [[nodiscard]] const ChunkedArray<float>& amounts() const { return amountsOf(m_unit); }
    /// rates().at(i): amount a second at token position i + 1 (metrics.md section 3); NaN where undefined.
    [[nodiscard]] const MinMaxPyramid& rates() const { return m_rates; }
    /// Index in rates() from which on values may still change while the run goes on.
    [[nodiscard]] std::size_t provisionalFrom() const { return m_stableRates; }
    /// What our own engine tells beside; empty for other servers.
    [[nodiscard]] const EngineCurves& engine() const { return m_engine; }
    [[nodiscard]] bool countsTokens() const { return m_basis != TokenBasis::none; }

    /// Index of the gap that covers `seconds` after t0; nullopt outside of the stream.
    [[nodiscard]] std::optional<std::size_t> gapAt(double seconds) const;
    /// First event of arrival i.
    [[nodiscard]] static std::uint32_t eventOf(const RunRecord& record, double arrivalS);
    /// Bytes held, spare room included.
    [[nodiscard]] std::size_t bytes() const;

private:
    [[nodiscard]] const ChunkedArray<float>& amountsOf(RateUnit unit) const {
        return unit == RateUnit::tokens ? m_tokens : m_amounts;
    }
    void addEvents(const RunRecord& record, const TokenCount* tokens);
    void takeRates(const RateCurve& rates);
    void addRates();
    [[nodiscard]] float rateAt(double position, std::size_t& low, std::size_t& high) const;
    [[nodiscard]] double amountOf(const RunRecord& record, std::size_t event);

    ChunkedArray<float> m_times;
    MinMaxPyramid m_gaps;
    ChunkedArray<float> m_tokens;
    ChunkedArray<float> m_amounts; // only while the unit is not tokens
    MinMaxPyramid m_rates;
    GapHistogram m_histogram;
    EngineCurves m_engine;

    std::size_t m_events = 0; // events taken in
    std::uint32_t m_lastRead = 0;
    Instant m_lastAt{};
    std::size_t m_stableRates = 0; // rates that will not change any more
    std::size_t m_low = 1, m_high = 1;
    bool m_inWord = false;
    TokenBasis m_basis = TokenBasis::none;
    TokenSourceKind m_source = TokenSourceKind::none;
    double m_perEvent = 1; // tokens of an event where only the average is known
    RateUnit m_unit = RateUnit::tokens;
};

} // namespace decodescope
