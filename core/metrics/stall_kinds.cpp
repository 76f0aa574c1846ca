#include "core/metrics/stall_kinds.h"

#include "core/metrics/order_statistics.h"

#include <fmt/format.h>

#include <algorithm>

namespace decodescope {
namespace {

constexpr std::size_t kTrendGaps = 64;
constexpr std::size_t kFewestTrendGaps = 8;
constexpr double kAtOnceS = 0.0005; ///< "0 ms" would be no time to say
constexpr double kCatchUpShare = 0.8;
constexpr double kCatchUpWithin = 1.5; ///< of the stall's length

Channel lastOf(std::uint8_t channels) {
    for (const Channel channel : {Channel::tool, Channel::refusal, Channel::answer})
        if (channels & (1U << static_cast<unsigned>(channel)))
            return channel;
    return Channel::reasoning;
}

struct Trend {
    double perS = 0;
    bool fromAfter = false;
    bool mayChange = false;
};

/// Before the stall that ended with `arrival`, or after it when it came too early.
std::optional<Trend> trendOf(const ArrivalLog& log, std::size_t arrival) {
    std::vector<std::int64_t> gaps;
    for (std::size_t i = arrival; i-- > 1 && gaps.size() < kTrendGaps;)
        if (const std::int64_t ps = log.perTokenPs(i); ps > 0)
            gaps.push_back(ps);
    Trend trend;
    trend.fromAfter = gaps.size() < kFewestTrendGaps;
    if (trend.fromAfter) {
        gaps.clear();
        for (std::size_t i = arrival + 1; i < log.size() && gaps.size() < kTrendGaps; ++i)
            if (const std::int64_t ps = log.perTokenPs(i); ps > 0)
                gaps.push_back(ps);
    }
    if (gaps.size() < kFewestTrendGaps)
        return std::nullopt;
    trend.mayChange = trend.fromAfter && gaps.size() < kTrendGaps;
    trend.perS = 1e12 / medianOf(std::move(gaps));
    return trend;
}

/// The most tokens that came above the trend after the stall, counting the arrival that ended it.
struct CatchUp {
    double tokens = 0;
    double afterS = 0;   ///< when that was
    bool enough = false; ///< as much as makes it a delivery
    std::size_t end = 0; ///< the first arrival that was not looked at
};

CatchUp catchUpOf(const ArrivalLog& log, std::size_t arrival, double trendPerS, double owed, double withinS) {
    CatchUp best;
    double came = 0;
    for (best.end = arrival; best.end < log.size(); ++best.end) {
        const double sinceS = toSeconds(log[best.end].at - log[arrival].at);
        if (sinceS > withinS)
            break;
        came += log.tokens(best.end);
        if (const double above = came - trendPerS * sinceS; above > best.tokens) {
            best.tokens = above;
            best.afterS = sinceS;
        }
        if (best.tokens >= kCatchUpShare * owed) {
            best.enough = true;
            ++best.end;
            break;
        }
    }
    return best;
}

/// Whether a hiccup can have made the gap at all. A kernel's stamp is right whenever we read it, unless packets came
/// while nobody read: the kernel then joins them and keeps the stamp of the last, and the gap grows by what they
/// waited.
bool mayBeOurs(const ArrivalLog& log, std::size_t arrival, const RunRecord& record) {
    return stampedByUs(record) || log[arrival].eventCount > 1;
}

} // namespace

std::string durationWords(double seconds) {
    return seconds < 0.9995 ? fmt::format("{:.0f} ms", seconds * 1e3) : fmt::format("{:.2f} s", seconds);
}

std::optional<Duration> clientPart(const ArrivalLog& log, std::size_t arrival, std::optional<double> medianNs,
                                   const StallContext& context) {
    if (context.hiccups.empty() || !mayBeOurs(log, arrival, context.record))
        return std::nullopt;
    const auto part = context.hiccups.inProgressAt(log[arrival].at, log[arrival - 1].at);
    const double excessNs = static_cast<double>(log.gapNs(arrival)) - medianNs.value_or(0);
    return part && static_cast<double>(toNs(*part)) >= excessNs / 2 ? part : std::nullopt;
}

StallTelling tellByArrivals(const ArrivalLog& log, std::size_t arrival, const StallContext& context) {
    const RunRecord& record = context.record;
    const TokenEvent& before = record.events[log[arrival].firstEvent - 1];
    const TokenEvent& after = record.events[log[arrival].firstEvent];
    const double lengthS = static_cast<double>(log.gapNs(arrival)) * 1e-9;
    StallTelling telling;
    StallEvidence& data = telling.data;
    data.countsTokens = context.tokensKnown;
    if ((before.channels & after.channels) == 0) {
        telling.kind = StallKind::phase;
        data.from = lastOf(before.channels);
        data.to = lastOf(after.channels);
        telling.evidence =
            fmt::format("It falls on the change from {} to {}.", channelName(*data.from), channelName(*data.to));
        telling.settled = true;
        return telling;
    }

    const auto trend = trendOf(log, arrival);
    if (!trend) {
        telling.evidence = fmt::format("Fewer than {} gaps before it and after it: there is no trend to compare with.",
                                       kFewestTrendGaps);
        return telling;
    }
    const double withinS = kCatchUpWithin * lengthS;
    const double owed = trend->perS * lengthS;
    const CatchUp came = catchUpOf(log, arrival, trend->perS, owed, withinS);
    data.trendPerS = trend->perS;
    data.trendFromAfter = trend->fromAfter;
    data.owed = owed;
    data.caughtUp = came.tokens;
    // A read may well bring more than was owed: that is all of it, and not 37 of 36.
    const std::string share = came.tokens > owed ? fmt::format("All of the {:.1f}", owed)
                                                 : fmt::format("{:.1f} of the {:.1f}", came.tokens, owed);
    const std::string held =
        fmt::format("{} {} that {:.1f} {}{} would have brought in {} came above the trend", share,
                    context.tokensKnown ? "tokens" : "events", trend->perS, context.tokensKnown ? "tok/s" : "events/s",
                    trend->fromAfter ? " (the rate after it)" : "", durationWords(lengthS));
    // The last arrival may still grow by events that its read completed.
    const bool looked = !trend->mayChange && came.end < log.size();
    if (came.enough) {
        telling.kind = StallKind::delivery;
        data.withinS = came.afterS;
        telling.evidence = came.afterS < kAtOnceS
                               ? fmt::format("{}, with the arrival that ended it.", held)
                               : fmt::format("{} within {} after it.", held, durationWords(came.afterS));
        telling.settled = looked;
        return telling;
    }
    const bool over = record.outcome != Outcome::running;
    Instant seen = log.back().at;
    if (record.finished)
        seen = std::max(seen, *record.finished);
    else if (context.now && !over)
        seen = std::max(seen, *context.now);
    const double watchedS = toSeconds(seen - log[arrival].at);
    data.withinS = std::min(withinS, watchedS);
    if (watchedS >= withinS) {
        telling.kind = StallKind::generation;
        telling.evidence = fmt::format("No catch-up: {} within {}.", held, durationWords(withinS));
        telling.settled = looked;
        return telling;
    }
    telling.evidence =
        fmt::format("{}: so far {}.", over ? "The run ended before it could be told" : "Not told yet", held);
    return telling;
}

} // namespace decodescope
