#include "core/metrics/gaps.h"

#include <cmath>

namespace decodescope {

void GrowingDistribution::add(std::int64_t value) {
    m_sorted.insert(value);
    m_sum += value;
    m_squares += static_cast<WideInt>(value) * value;
}

void GrowingDistribution::remove(std::int64_t value) {
    m_sorted.erase(value);
    m_sum -= value;
    m_squares -= static_cast<WideInt>(value) * value;
}

std::optional<Distribution> GrowingDistribution::distribution() const {
    const std::size_t n = m_sorted.size();
    if (n == 0)
        return std::nullopt;
    const auto at = [this](std::size_t i) { return m_sorted.at(i); };
    Distribution d;
    d.n = n;
    d.mean = static_cast<double>(m_sum) / static_cast<double>(n) * m_unit;
    d.min = static_cast<double>(at(0)) * m_unit;
    d.max = static_cast<double>(at(n - 1)) * m_unit;
    d.p50 = quantileOf(n, at, 0.50) * m_unit;
    d.p90 = quantileOf(n, at, 0.90) * m_unit;
    d.p95 = quantileOf(n, at, 0.95) * m_unit;
    d.p99 = quantileOf(n, at, 0.99) * m_unit;
    return d;
}

double GrowingDistribution::stdev() const {
    const auto n = static_cast<WideInt>(m_sorted.size());
    if (n == 0)
        return 0;
    // n sum(x^2) - sum(x)^2 without rounding: the difference of two huge numbers loses nothing.
    const WideInt spread = n * m_squares - m_sum * m_sum;
    return std::sqrt(static_cast<double>(spread)) / static_cast<double>(n) * m_unit;
}

double GrowingDistribution::mad() const {
    const std::size_t n = m_sorted.size();
    const auto at = [this](std::size_t i) { return m_sorted.at(i); };
    const double centre = quantileOf(n, at, 0.5);
    const double low = kthDistance(n, at, centre, (n - 1) / 2);
    const double high = kthDistance(n, at, centre, n / 2);
    return (low + high) / 2 * m_unit;
}

void GapStatistics::add(std::int64_t gapNs) {
    m_gaps.add(gapNs);
    addRunning(gapNs);
}

void GapStatistics::restartRunning() {
    m_previous.reset();
    m_rfc3550 = 0;
}

void GapStatistics::addRunning(std::int64_t gapNs) {
    if (m_previous)
        m_rfc3550 += (std::abs(static_cast<double>(gapNs - *m_previous)) - m_rfc3550) / 16;
    m_previous = gapNs;
}

std::optional<Jitter> GapStatistics::jitter() const {
    if (m_gaps.count() < 2)
        return std::nullopt;
    const std::size_t n = m_gaps.count();
    const auto at = [this](std::size_t i) { return m_gaps.sorted().at(i); };
    Jitter j;
    j.stdev = m_gaps.stdev();
    j.mad = m_gaps.mad();
    j.p99MinusP50 = (quantileOf(n, at, 0.99) - quantileOf(n, at, 0.50)) * 1e-9;
    j.rfc3550 = m_rfc3550 * 1e-9;
    return j;
}

} // namespace decodescope
