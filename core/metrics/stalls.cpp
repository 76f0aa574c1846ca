#include "core/metrics/stalls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

constexpr std::size_t kEarlyGaps = 8;   ///< gaps that are compared with one another
constexpr std::size_t kEarlyOthers = 3; ///< with fewer, the threshold is a fixed time
constexpr std::size_t kTrendGaps = 64;
constexpr std::size_t kFewestTrendGaps = 8;
constexpr double kCatchUpShare = 0.8;
constexpr double kCatchUpWithin = 1.5; ///< of the stall's length
constexpr double kPeriodicSpread = 0.1;

/// "812 ms", "1.24 s".
std::string duration(double seconds) {
    return seconds < 0.9995 ? fmt::format("{:.0f} ms", seconds * 1e3) : fmt::format("{:.2f} s", seconds);
}

std::string channelName(std::uint8_t channels) {
    if (channels & (1U << static_cast<unsigned>(Channel::tool)))
        return "tool call";
    if (channels & (1U << static_cast<unsigned>(Channel::refusal)))
        return "refusal";
    if (channels & (1U << static_cast<unsigned>(Channel::answer)))
        return "answer";
    return "reasoning";
}

/// Tokens per second before the stall that ended with `arrival` (or after it, when it came too early).
std::optional<double> trendOf(const ArrivalLog& log, std::size_t arrival, bool& fromAfter) {
    std::vector<std::int64_t> gaps;
    for (std::size_t i = arrival; i-- > 1 && gaps.size() < kTrendGaps;)
        if (const std::int64_t ps = log.perTokenPs(i); ps > 0)
            gaps.push_back(ps);
    fromAfter = gaps.size() < kFewestTrendGaps;
    if (fromAfter) {
        gaps.clear();
        for (std::size_t i = arrival + 1; i < log.size() && gaps.size() < kTrendGaps; ++i)
            if (const std::int64_t ps = log.perTokenPs(i); ps > 0)
                gaps.push_back(ps);
    }
    if (gaps.size() < kFewestTrendGaps)
        return std::nullopt;
    fromAfter = fromAfter && gaps.size() < kTrendGaps; // more may come
    return 1e12 / medianOf(std::move(gaps));
}

} // namespace

bool StallScan::exceeds(double gapNs, std::optional<double> medianNs) const {
    if (!medianNs)
        return gapNs > m_settings.stallUnknownS * 1e9;
    return gapNs > std::max(m_settings.stallFloorS * 1e9, m_settings.stallFactor * *medianNs);
}

/// Median of the first gaps without the one before arrival `skip`.
std::optional<double> StallScan::earlyMedian(const ArrivalLog& log, std::size_t skip) const {
    std::vector<std::int64_t> others;
    for (std::size_t i = 1; i < log.size() && i <= kEarlyGaps; ++i)
        if (i != skip)
            others.push_back(log.gapNs(i));
    if (others.size() < kEarlyOthers)
        return std::nullopt;
    return medianOf(std::move(others));
}

void StallScan::addGap(const ArrivalLog& log) {
    const std::size_t arrival = log.size() - 1;
    if (arrival == 0)
        return;
    const std::int64_t gap = log.gapNs(arrival);
    if (arrival > kEarlyGaps && exceeds(static_cast<double>(gap), m_median.value()))
        m_late.push_back({arrival, m_median.value()});
    m_median.add(gap);
}

std::vector<StallScan::Found> StallScan::found(const ArrivalLog& log) const {
    std::vector<Found> all;
    for (std::size_t i = 1; i < log.size() && i <= kEarlyGaps; ++i) {
        const auto median = earlyMedian(log, i);
        if (exceeds(static_cast<double>(log.gapNs(i)), median))
            all.push_back({i, median.value_or(0)});
    }
    all.insert(all.end(), m_late.begin(), m_late.end());
    return all;
}

StallScan::Telling StallScan::tell(const ArrivalLog& log, std::size_t arrival, const StallContext& context) const {
    const RunRecord& record = context.record;
    const bool closed = arrival + 1 < log.size();
    const TokenEvent& before = record.events[log[arrival].firstEvent - 1];
    const TokenEvent& after = record.events[log[arrival].firstEvent];
    const double lengthS = static_cast<double>(log.gapNs(arrival)) * 1e-9;
    if ((before.channels & after.channels) == 0)
        return {StallKind::phase,
                fmt::format("It falls on the change from {} to {}.", channelName(before.channels),
                            channelName(after.channels)),
                true};

    const bool over = record.outcome != Outcome::running;
    const char* unit = context.tokensKnown ? "tokens" : "events";
    const char* rateUnit = context.tokensKnown ? "tok/s" : "events/s";
    bool trendMayChange = false;
    const auto trend = trendOf(log, arrival, trendMayChange);
    if (!trend)
        return {StallKind::unknown,
                fmt::format("Fewer than {} gaps before it and after it: there is no trend to compare with.",
                            kFewestTrendGaps),
                false};

    const double owed = *trend * lengthS;
    const double withinS = kCatchUpWithin * lengthS;
    double came = 0;
    double best = 0;
    std::size_t i = arrival;
    for (; i < log.size(); ++i) {
        const double sinceS = toSeconds(log[i].at - log[arrival].at);
        if (sinceS > withinS)
            break;
        came += log.tokens(i);
        best = std::max(best, came - *trend * sinceS);
        if (best >= kCatchUpShare * owed)
            return {StallKind::delivery,
                    fmt::format("{:.1f} of the {:.1f} {} that {:.1f} {} would have brought in {} came above the "
                                "trend within {} after it.",
                                best, owed, unit, *trend, rateUnit, duration(lengthS), duration(sinceS)),
                    !trendMayChange && i + 1 < log.size()};
    }
    Instant seen = log.back().at;
    if (record.finished)
        seen = std::max(seen, *record.finished);
    else if (context.now && !over)
        seen = std::max(seen, *context.now);
    const std::string held = fmt::format("{:.1f} of the {:.1f} {} that {:.1f} {} would have brought in {} came above "
                                         "the trend",
                                         best, owed, unit, *trend, rateUnit, duration(lengthS));
    if (toSeconds(seen - log[arrival].at) >= withinS)
        return {StallKind::generation, fmt::format("No catch-up: {} within {}.", held, duration(withinS)),
                closed && !trendMayChange && i < log.size()};
    return {StallKind::unknown,
            fmt::format("{}: so far {}.", over ? "The run ended before it could be told" : "Not told yet", held),
            false};
}

/// The silence after the last arrival: open while the run goes on; once it ended badly nobody can tell any more.
std::optional<Stall> StallScan::pending(const ArrivalLog& log, const StallContext& context) const {
    const RunRecord& record = context.record;
    const bool running = record.outcome == Outcome::running;
    const bool ended = record.outcome != Outcome::complete && record.outcome != Outcome::notStreamed;
    const std::optional<Instant> until = running ? context.now : record.finished;
    if (log.empty() || !until || (!running && !ended) || *until <= log.back().at)
        return std::nullopt;
    const auto gapNs = static_cast<double>(toNs(*until - log.back().at));
    const bool early = log.size() <= kEarlyGaps;
    const std::optional<double> median = early ? earlyMedian(log, 0) : std::optional(m_median.value());
    if (!exceeds(gapNs, median))
        return std::nullopt;
    Stall stall;
    stall.lengthS = gapNs * 1e-9;
    stall.kind = running ? StallKind::open : StallKind::unknown;
    stall.eventIndex = static_cast<std::uint32_t>(record.events.size());
    stall.tokenIndex = log.total(log.size() - 1);
    const std::string usual =
        median ? fmt::format("the median gap is {:.1f} ms", *median * 1e-6) : std::string("too few gaps came before");
    stall.evidence = running ? fmt::format("The stream has not gone on yet; {}.", usual)
                             : fmt::format("The stream did not go on before the run ended ({}); {}.",
                                           toString(record.outcome), usual);
    return stall;
}

std::vector<Stall> StallScan::stalls(const ArrivalLog& log, const StallContext& context) const {
    std::vector<Stall> out;
    if (log.empty())
        return out;
    const Instant origin = context.record.started.value_or(log[0].at);
    for (const Found& gap : found(log)) {
        Stall stall;
        stall.startS = toSeconds(log[gap.arrival - 1].at - origin);
        stall.lengthS = static_cast<double>(log.gapNs(gap.arrival)) * 1e-9;
        stall.eventIndex = log[gap.arrival].firstEvent;
        stall.tokenIndex = log.total(gap.arrival - 1);
        auto told = m_told.find(gap.arrival);
        if (told != m_told.end()) {
            stall.kind = told->second.kind;
            stall.evidence = told->second.evidence;
        } else {
            Telling telling = tell(log, gap.arrival, context);
            stall.kind = telling.kind;
            stall.evidence = telling.evidence;
            if (telling.settled)
                m_told.emplace(gap.arrival, std::move(telling));
        }
        out.push_back(std::move(stall));
    }
    markPeriodic(out);
    if (auto open = pending(log, context)) {
        open->startS = toSeconds(log.back().at - origin);
        out.push_back(std::move(*open));
    }
    return out;
}

void markPeriodic(std::vector<Stall>& stalls) {
    const auto even = [](double a, double b) {
        return a > 0 && b > 0 && std::abs(a - b) < kPeriodicSpread * (a + b) / 2;
    };
    for (std::size_t i = 2; i < stalls.size(); ++i) {
        Stall& a = stalls[i - 2];
        Stall& b = stalls[i - 1];
        Stall& c = stalls[i];
        if (even(b.startS - a.startS, c.startS - b.startS) ||
            even(b.tokenIndex - a.tokenIndex, c.tokenIndex - b.tokenIndex))
            a.periodic = b.periodic = c.periodic = true;
    }
}

} // namespace decodescope
