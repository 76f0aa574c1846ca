#include "core/metrics/buffering.h"

#include "core/base/counted.h"
#include "core/metrics/order_statistics.h"
#include "core/metrics/stall_kinds.h"
#include "core/metrics/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string_view>

namespace decodescope {
namespace {

using std::chrono::milliseconds;

// Bursts.
constexpr Duration kWithinBurst = milliseconds(2);  ///< between arrivals of one burst
constexpr Duration kBeforeBurst = milliseconds(10); ///< silence that makes what follows one
constexpr std::uint64_t kBurstEvents = 3;
constexpr std::uint64_t kFewestBursts = 3;
constexpr double kBurstShare = 0.5; ///< of all tokens
// A buffer that holds many events and empties regularly.
constexpr double kEven = 0.1;       ///< from the median
constexpr double kMostlyEven = 0.8; ///< of the bursts
constexpr std::int64_t kHeldEvents = 8;
constexpr std::int64_t kLeastBytes = 1024;
constexpr double kLeastPeriodS = 0.08;
constexpr double kNearCapacity = 0.06;
// Nagle's algorithm waits for an acknowledgement that Linux delays by 40 ms.
constexpr Duration kDelayedAckFrom = milliseconds(38);
constexpr Duration kDelayedAckTo = milliseconds(46);
constexpr Duration kPairAtOnce = milliseconds(5);
constexpr std::uint64_t kFewestPairs = 8;
constexpr double kPairShare = 0.6; ///< of the time

struct Burst {
    Instant at{};
    std::uint64_t events = 0;
    std::uint64_t units = 0;
    std::uint32_t end = 0; ///< bytes of the stream up to its last read
};

/// Rows of arrivals with next to no time between them, after a silence of which less than half was ours.
std::vector<Burst> burstsOf(const RunRecord& record, const ArrivalLog& log, const HiccupIndex& hiccups) {
    std::vector<Burst> bursts;
    for (std::size_t i = 0; i < log.size();) {
        const bool silent = i == 0 || log[i].at - log[i - 1].at >= kBeforeBurst;
        const bool ours = i > 0 && 2 * hiccups.within(log[i - 1].at, log[i].at) >= Duration(log[i].at - log[i - 1].at);
        Burst burst{log[i].at, 0, 0, 0};
        do {
            burst.events += log[i].eventCount;
            burst.units += log[i].units;
            burst.end = record.events[log[i].firstEvent + log[i].eventCount - 1].streamEnd;
            ++i;
        } while (i < log.size() && log[i].at - log[i - 1].at <= kWithinBurst);
        if (silent && !ours && burst.events >= kBurstEvents)
            bursts.push_back(burst);
    }
    return bursts;
}

/// The median of values of which most lie near it; absent with fewer than `fewest`, or when they are spread.
std::optional<double> evenMedian(const std::vector<std::int64_t>& values, std::size_t fewest) {
    if (values.size() < fewest)
        return std::nullopt;
    const double median = medianOf(values);
    const auto near = std::count_if(values.begin(), values.end(), [&](std::int64_t v) {
        return std::abs(static_cast<double>(v) - median) <= kEven * median;
    });
    return static_cast<double>(near) >= kMostlyEven * static_cast<double>(values.size()) ? std::optional(median)
                                                                                         : std::nullopt;
}

/// 4, 8, 16, 32 or 64 KiB when `bytes` is about that.
std::optional<std::uint32_t> knownCapacity(double bytes) {
    for (std::uint32_t capacity = 4096; capacity <= 65536; capacity *= 2)
        if (std::abs(bytes - capacity) <= kNearCapacity * capacity)
            return capacity;
    return std::nullopt;
}

void countMerged(Buffering& out, const ArrivalLog& log) {
    for (std::size_t i = 0; i < log.size(); ++i) {
        if (log[i].eventCount < 2)
            continue;
        ++out.mergedArrivals;
        out.mergedEvents += log[i].eventCount;
        out.largestMerge = std::max<std::uint64_t>(out.largestMerge, log[i].eventCount);
    }
}

void lookForBursts(Buffering& out, const RunRecord& record, const ArrivalLog& log, const HiccupIndex& hiccups) {
    const std::vector<Burst> bursts = burstsOf(record, log, hiccups);
    std::uint64_t units = 0;
    for (const Burst& burst : bursts)
        units += burst.units;
    out.bursts = bursts.size();
    if (const std::uint64_t all = log.back().total; all > 0)
        out.burstShare = static_cast<double>(units) / static_cast<double>(all);
    if (bursts.size() < kFewestBursts)
        return;
    std::vector<std::int64_t> events;
    std::vector<std::int64_t> periods;
    std::vector<std::int64_t> sizes;
    for (std::size_t i = 0; i < bursts.size(); ++i)
        events.push_back(static_cast<std::int64_t>(bursts[i].events));
    // The first burst comes with the response's head, the last one with the end: neither is a full buffer.
    for (std::size_t i = 1; i + 1 < bursts.size(); ++i) {
        periods.push_back(toNs(bursts[i].at - bursts[i - 1].at));
        if (bursts[i].end > bursts[i - 1].end)
            sizes.push_back(bursts[i].end - bursts[i - 1].end);
    }
    out.burstEvents = medianOf(events);
    out.burstPeriodS = medianOf(periods) * 1e-9;
    if (!sizes.empty())
        out.burstBytes = medianOf(sizes);
    if (out.burstShare < kBurstShare || *out.burstEvents < kHeldEvents || *out.burstPeriodS < kLeastPeriodS)
        return;
    const std::optional<double> size = evenMedian(sizes, 2);
    if (size && *size >= kLeastBytes)
        out.bufferBytes = knownCapacity(*size);
    if (out.bufferBytes)
        out.flushedBy = FlushedBy::size;
    else if (evenMedian(periods, 3))
        out.flushedBy = FlushedBy::time;
    else if (evenMedian(sizes, 4) && *size >= kLeastBytes)
        out.flushedBy = FlushedBy::size;
}

void lookForPairs(Buffering& out, const ArrivalLog& log) {
    std::int64_t held = 0;
    std::vector<std::int64_t> gaps;
    for (std::size_t i = 1; i < log.size(); ++i) {
        const Duration gap = log[i].at - log[i - 1].at;
        if (gap < kDelayedAckFrom || gap > kDelayedAckTo)
            continue;
        const bool next = i + 1 < log.size() && log[i + 1].at - log[i].at <= kPairAtOnce;
        if (!next && log[i].eventCount < 2)
            continue;
        held += toNs(gap);
        gaps.push_back(toNs(gap));
    }
    out.pairs = gaps.size();
    const std::int64_t whole = toNs(log.back().at - log[0].at);
    if (gaps.empty() || whole <= 0)
        return;
    out.pairShare = static_cast<double>(held) / static_cast<double>(whole);
    out.pairGapS = medianOf(std::move(gaps)) * 1e-9;
}

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
    return out;
}

/// Whether a header says that a cache answered.
bool tellsCacheHit(std::string_view name, std::string_view value) {
    if (name == "age")
        return !value.empty() && value != "0" &&
               std::all_of(value.begin(), value.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    constexpr std::array kNames = {"x-cache",       "x-cache-status", "cf-cache-status",
                                   "x-proxy-cache", "x-cache-hit",    "x-litellm-cache-hit"};
    if (std::none_of(kNames.begin(), kNames.end(), [&](const char* known) { return name == known; }))
        return false;
    const std::string said = lower(value);
    return said.find("hit") != std::string::npos || said == "true";
}

void readHeaders(Buffering& out, const RunRecord& record) {
    if (!record.head)
        return;
    for (const auto& [name, value] : record.head->headers) {
        if (name == "content-encoding" && !value.empty() && lower(value) != "identity")
            out.contentEncoding = lower(value).substr(0, 32);
        if (tellsCacheHit(name, value))
            out.cacheHeaders.push_back(name);
        if (name == "server" && lower(value).find("nginx") != std::string::npos)
            out.nginx = true;
    }
}

std::string bufferWords(const Buffering& b) {
    if (b.flushedBy == FlushedBy::time)
        return fmt::format("A buffer is emptied about every {}: {:.0f} events at once, again and again.",
                           durationWords(*b.burstPeriodS), *b.burstEvents);
    if (b.bufferBytes)
        return fmt::format(
            "The bursts are {:.1f} KiB each, as a buffer of {} KiB makes them that is sent on when it is "
            "full.",
            *b.burstBytes / 1024, *b.bufferBytes / 1024);
    return fmt::format(
        "The bursts are all of about {:.1f} KiB, as a buffer makes them that is sent on when it is full.",
        *b.burstBytes / 1024);
}

std::vector<BufferingSign> signsOf(const Buffering& b, const RunRecord& record, const RunSummary& summary) {
    std::vector<BufferingSign> signs;
    const auto sign = [&](BufferingKind kind, std::string evidence, std::string advice) {
        signs.push_back({kind, std::move(evidence), std::move(advice)});
    };
    const bool bursts = b.bursts >= kFewestBursts && b.burstShare >= kBurstShare;
    if (notReallyStreamed(record, summary))
        sign(BufferingKind::notReallyStreamed,
             fmt::format("{} came in {}, and nearly all of them at once.", counted(summary.tokenEvents, "token event"),
                         counted(summary.arrivals, "read")),
             "Ask the server itself, without what lies between: it may generate everything first, or something keeps "
             "the answer back, or it comes from a cache.");
    if (b.flushedBy != FlushedBy::unknown)
        sign(BufferingKind::proxyBuffer, bufferWords(b),
             b.nginx ? "nginx answered: set proxy_buffering off there, or let the server send X-Accel-Buffering: no."
                     : "Switch off response buffering where the request passes (nginx: proxy_buffering off), or let "
                       "the server send X-Accel-Buffering: no.");
    if (bursts)
        sign(BufferingKind::bursts,
             fmt::format("{:.0f}% of the output came in {} bursts, of {:.0f} events and {} apart (medians).",
                         b.burstShare * 100, b.bursts, *b.burstEvents, durationWords(*b.burstPeriodS)),
             "Something holds events back and sends them together: a proxy that buffers, or a server that sends in "
             "blocks. Compare with a request that goes straight to the server.");
    if (b.pairs >= kFewestPairs && b.pairShare >= kPairShare)
        sign(BufferingKind::nagle,
             fmt::format("{} times about {} passed and then several events came at once, {:.0f}% of the time: so long "
                         "does Linux delay an acknowledgement.",
                         b.pairs, durationWords(*b.pairGapS), b.pairShare * 100),
             "The sender waits for our acknowledgement before it sends the next piece (Nagle's algorithm): only it can "
             "help that, by setting TCP_NODELAY.");
    if (!b.contentEncoding.empty())
        sign(BufferingKind::compressed,
             fmt::format("The stream came compressed ({}), although none was asked for.", b.contentEncoding),
             "A compressor keeps text back until it has enough of it: exclude text/event-stream from compression.");
    if (!b.cacheHeaders.empty())
        sign(BufferingKind::cacheHit,
             fmt::format("The response says that a cache answered ({}).", fmt::join(b.cacheHeaders, ", ")),
             "What a cache replays says nothing of the model's speed: switch it off, or make each prompt unique.");
    if (b.mergedEvents > 0)
        sign(BufferingKind::merged,
             fmt::format("{} of {} token events shared their read with another one, up to {} in one: they have one "
                         "time stamp, and no gap between them is counted.",
                         b.mergedEvents, summary.tokenEvents, b.largestMerge),
             "Few are usual in a fast stream; many mean that something holds them together on the way.");
    return signs;
}

} // namespace

Buffering bufferingOf(const RunRecord& record, const ArrivalLog& log, const HiccupIndex& hiccups,
                      const RunSummary& summary) {
    Buffering out;
    readHeaders(out, record);
    if (!log.empty()) {
        countMerged(out, log);
        lookForBursts(out, record, log, hiccups);
        lookForPairs(out, log);
        out.signs = signsOf(out, record, summary);
    }
    return out;
}

} // namespace decodescope
