#include "core/metrics/rates.h"

#include "core/metrics/token_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace decodescope {

std::optional<double> decodeRate(const ArrivalLog& log, double visible) {
    if (log.base() >= log.size())
        return std::nullopt;
    std::size_t last = log.size() - 1;
    while (last > log.base() && log[last].units == 0 && log.base() > 0)
        --last; // a summary of reasoning after the answer is no part of the answer's window
    const std::int64_t ns = toNs(log[last].at - log[log.base()].at);
    const double rest = visible - log.tokens(log.base());
    if (ns <= 0 || rest <= 0)
        return std::nullopt;
    return rest / (static_cast<double>(ns) * 1e-9);
}

std::optional<double> eventRate(const ArrivalLog& log, std::uint64_t events) {
    if (log.empty() || events <= log[0].eventCount)
        return std::nullopt;
    const std::int64_t ns = toNs(log.back().at - log[0].at);
    if (ns <= 0)
        return std::nullopt;
    return static_cast<double>(events - log[0].eventCount) / (static_cast<double>(ns) * 1e-9);
}

std::optional<double> rateAtPosition(const ArrivalLog& log, std::uint32_t position, int windowTokens) {
    if (log.base() >= log.size())
        return std::nullopt;
    const double half = std::max(1, windowTokens / 2);
    const double from = std::max(2.0, position - half);
    const double to = position + half - 1;
    const std::size_t lo = std::max(log.base() + 1, log.covering(from));
    const std::size_t hi = std::min(log.size() - 1, log.covering(to));
    if (lo > hi)
        return std::nullopt;
    const std::int64_t ns = toNs(log[hi].at - log[lo - 1].at);
    const double tokens = log.scale() * static_cast<double>(log[hi].total - log[lo - 1].total);
    if (ns <= 0 || tokens <= 0)
        return std::nullopt;
    return tokens / (static_cast<double>(ns) * 1e-9);
}

std::uint32_t positionsOf(const ArrivalLog& log) {
    // A server may claim any number of tokens: the curve holds no more of them than a stream may have messages.
    constexpr double kMostPositions = 2e6;
    return log.empty() ? 0 : static_cast<std::uint32_t>(std::min(kMostPositions, log.total(log.size() - 1) + 1e-6));
}

void extendRateCurve(RateCurve& curve, const ArrivalLog& log, int windowTokens, bool over) {
    curve.first = 1;
    const std::uint32_t positions = positionsOf(log);
    curve.tps.resize(std::min<std::size_t>(curve.tps.size(), curve.provisionalFrom));
    for (auto p = static_cast<std::uint32_t>(curve.tps.size()) + 1; p <= positions; ++p) {
        const auto rate = rateAtPosition(log, p, windowTokens);
        curve.tps.push_back(rate ? static_cast<float>(*rate) : std::numeric_limits<float>::quiet_NaN());
    }
    curve.provisionalFrom = positions;
    if (over || log.empty())
        return;
    // A point is final when its window ends before the last arrival, which may still grow.
    const double settled = log.size() > 1 ? log.total(log.size() - 2) : 0.0;
    const double last = std::floor(settled + 1e-6) - (std::max(1, windowTokens / 2) - 1);
    curve.provisionalFrom = last > 0 ? static_cast<std::uint32_t>(std::min(static_cast<double>(positions), last)) : 0;
}

std::vector<RateAt> ratesAtMilestones(const ArrivalLog& log, int windowTokens) {
    std::vector<RateAt> out;
    const std::uint32_t positions = positionsOf(log);
    const auto add = [&](std::uint32_t p) {
        if (p <= positions)
            out.push_back({p, rateAtPosition(log, p, windowTokens)});
    };
    for (const std::uint32_t p : {1U, 100U, 500U})
        add(p);
    for (std::uint64_t p = 1000; p <= positions; p *= 2)
        add(static_cast<std::uint32_t>(p));
    return out;
}

RateCurve rateCurve(const RunRecord& record, const TokenCount& tokens, const MetricSettings& settings) {
    RateCurve curve;
    if (tokens.basis != TokenBasis::none && tokens.perEvent.empty())
        return curve; // hidden tokens of unknown number: no rate is defined
    const double scale = scaleOf(tokens);
    ArrivalLog log(scale);
    for (std::size_t i = 0; i < record.events.size(); ++i) {
        const double k = i < tokens.perEvent.size() ? tokens.perEvent[i] : 1.0;
        log.add(record.events[i], static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(std::llround(k / scale)));
    }
    extendRateCurve(curve, log, settings.rateWindowTokens, record.outcome != Outcome::running);
    return curve;
}

} // namespace decodescope
