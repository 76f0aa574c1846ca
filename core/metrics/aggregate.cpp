#include "core/metrics/metrics.h"
#include "core/metrics/order_statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace decodescope {

bool Aggregate::supports(double percentile) const {
    const double share = percentile > 1 ? percentile / 100 : percentile;
    const double tail = std::min(share, 1 - share);
    // The small slack is for 1 - 0.9, which is a little less than a tenth. A median needs one value.
    return n > 0 && (share == 0.5 || static_cast<double>(n) * tail >= 1 - 1e-9);
}

bool tailCollapses(const Aggregate& decodeTps) {
    return decodeTps.n > 1 && decodeTps.p99 < decodeTps.p50 / 2;
}

double quantileType7(const std::vector<double>& sorted, double q) {
    return quantileOf(
        sorted.size(), [&](std::size_t i) { return sorted[i]; }, std::clamp(q, 0.0, 1.0));
}

std::optional<Aggregate> aggregate(std::vector<double> values, bool lowTail) {
    std::erase_if(values, [](double v) { return !std::isfinite(v); });
    if (values.empty())
        return std::nullopt;
    std::sort(values.begin(), values.end());
    const auto tail = [&](double q) { return quantileType7(values, lowTail ? 1 - q : q); };
    Aggregate a;
    a.n = values.size();
    a.min = values.front();
    a.max = values.back();
    a.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    a.p50 = tail(0.50);
    a.p90 = tail(0.90);
    a.p95 = tail(0.95);
    a.p99 = tail(0.99);
    return a;
}

} // namespace decodescope
