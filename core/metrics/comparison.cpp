#include "core/metrics/metrics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace decodescope {
namespace {

constexpr int kResamples = 2000;

/// SplitMix64: the same draws on every machine and library, so that a comparison can be repeated to the digit.
class Draws {
public:
    std::size_t below(std::size_t n) {
        m_state += 0x9E3779B97F4A7C15ULL;
        std::uint64_t z = m_state;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return static_cast<std::size_t>((z ^ (z >> 31)) % n);
    }

private:
    std::uint64_t m_state = 0x6465636F6465ULL;
};

double medianOfValues(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return quantileType7(values, 0.5);
}

double resampledMedian(const std::vector<double>& values, Draws& draws) {
    std::vector<double> sample(values.size());
    for (double& v : sample)
        v = values[draws.below(values.size())];
    return medianOfValues(std::move(sample));
}

} // namespace

std::optional<MedianRatio> medianRatio(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() < 2 || b.size() < 2)
        return std::nullopt;
    const double medianA = medianOfValues(a);
    const double medianB = medianOfValues(b);
    if (!(medianA > 0) || !(medianB > 0))
        return std::nullopt;
    Draws draws;
    std::vector<double> ratios;
    ratios.reserve(kResamples);
    for (int i = 0; i < kResamples; ++i) {
        const double drawnA = resampledMedian(a, draws);
        const double drawnB = resampledMedian(b, draws);
        if (drawnA > 0)
            ratios.push_back(drawnB / drawnA);
    }
    if (ratios.empty())
        return std::nullopt;
    std::sort(ratios.begin(), ratios.end());
    return MedianRatio{medianB / medianA, quantileType7(ratios, 0.025), quantileType7(ratios, 0.975)};
}

std::optional<double> breakEven(double ttftA, double tpsA, double ttftB, double tpsB) {
    if (!(tpsA > 0) || !(tpsB > 0))
        return std::nullopt;
    const double perToken = 1 / tpsA - 1 / tpsB;
    if (perToken == 0)
        return std::nullopt;
    const double n = 1 + (ttftB - ttftA) / perToken;
    if (!std::isfinite(n) || n <= 1)
        return std::nullopt;
    return n;
}

} // namespace decodescope
