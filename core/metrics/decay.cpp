#include "core/metrics/decay.h"

#include "core/metrics/order_statistics.h"

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

constexpr std::uint64_t kBinTokens = 32;
constexpr std::size_t kFewestBins = 16;
/// All pairs of bins have a slope: beyond this many bins an even selection of them is used, so that a run of
/// 100,000 tokens costs no more than one of 16,000.
constexpr std::size_t kMostBins = 512;

/// The bin of the token in the middle of an arrival.
std::uint64_t binOf(const ArrivalLog& log, std::size_t i) {
    const double middle = (log.total(i - 1) + log.total(i) + 1) / 2;
    return static_cast<std::uint64_t>(std::max(0.0, middle - 1) / static_cast<double>(kBinTokens));
}

} // namespace

TheilSen theilSen(const std::vector<double>& x, const std::vector<double>& y) {
    std::vector<double> slopes;
    slopes.reserve(x.size() * (x.size() - 1) / 2);
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t j = i + 1; j < x.size(); ++j)
            slopes.push_back((y[j] - y[i]) / (x[j] - x[i]));
    const std::size_t count = slopes.size();
    const auto kth = [&](std::size_t k) {
        std::nth_element(slopes.begin(), slopes.begin() + static_cast<std::ptrdiff_t>(k), slopes.end());
        return slopes[k];
    };
    const auto n = static_cast<double>(x.size());
    const double sigma = std::sqrt(n * (n - 1) * (2 * n + 5) / 18);
    const double reach = 1.959963984540054 * sigma;
    const double lowRank = std::round((static_cast<double>(count) - reach) / 2) - 1;
    const double highRank = std::round((static_cast<double>(count) + reach) / 2);
    TheilSen line;
    line.slope = (kth((count - 1) / 2) + kth(count / 2)) / 2;
    line.low = kth(static_cast<std::size_t>(std::max(0.0, lowRank)));
    line.high = kth(std::min(count - 1, static_cast<std::size_t>(highRank)));
    return line;
}

void DecayBins::close() {
    if (!m_gaps.empty())
        m_bins.push_back({m_current, medianOf(std::move(m_gaps))});
    m_gaps.clear();
}

void DecayBins::add(const ArrivalLog& log, std::size_t i) {
    const std::int64_t gap = log.perTokenPs(i);
    if (gap <= 0)
        return;
    const std::uint64_t bin = binOf(log, i);
    if (bin != m_current) {
        close();
        m_current = bin;
    }
    m_gaps.push_back(gap);
}

std::optional<Decay> DecayBins::decay(const ArrivalLog& log) const {
    if (log.empty() || m_bins.size() + 2 < kFewestBins)
        return std::nullopt;
    DecayBins whole;
    whole.m_current = m_current;
    whole.m_gaps = m_gaps;
    whole.add(log, log.size() - 1);
    const auto end = static_cast<double>((whole.m_current + 1) * kBinTokens);
    if (log.total(log.size() - 1) > end - 1e-6)
        whole.close();

    const std::size_t all = m_bins.size() + whole.m_bins.size();
    if (all < kFewestBins)
        return std::nullopt;
    const double lastMedian = whole.m_bins.empty() ? m_bins.back().medianPs : whole.m_bins.back().medianPs;
    if (m_memory.bins == all && m_memory.lastMedianPs == lastMedian)
        return m_memory.decay;
    const std::size_t step = (all + kMostBins - 1) / kMostBins;
    std::vector<double> x;
    std::vector<double> y;
    for (std::size_t i = 0; i < all; i += step) {
        const Bin& bin = i < m_bins.size() ? m_bins[i] : whole.m_bins[i - m_bins.size()];
        x.push_back(static_cast<double>(bin.index * kBinTokens) + (kBinTokens + 1) / 2.0);
        y.push_back(std::log(bin.medianPs));
    }
    const TheilSen line = theilSen(x, y);
    const auto percent = [](double slope) { return 100 * (1 - std::exp(-1000 * slope)); };
    m_memory = {all, lastMedian, {percent(line.slope), percent(line.low), percent(line.high)}};
    return m_memory.decay;
}

} // namespace decodescope
