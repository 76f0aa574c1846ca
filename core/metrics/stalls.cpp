#include "core/metrics/stalls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

constexpr std::size_t kEarlyGaps = 8;   ///< gaps that are compared with one another
constexpr std::size_t kEarlyOthers = 3; ///< with fewer, the threshold is a fixed time
constexpr double kPeriodicSpread = 0.1;

} // namespace

double StallScan::thresholdNs(std::optional<double> medianNs) const {
    if (!medianNs)
        return m_settings.stallUnknownS * 1e9;
    return std::max(m_settings.stallFloorS * 1e9, m_settings.stallFactor * *medianNs);
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
    if (arrival > kEarlyGaps && static_cast<double>(gap) > thresholdNs(m_median.value()))
        m_late.push_back({arrival, m_median.value()});
    m_median.add(gap);
}

std::vector<StallScan::Found> StallScan::found(const ArrivalLog& log) const {
    std::vector<Found> all;
    for (std::size_t i = 1; i < log.size() && i <= kEarlyGaps; ++i) {
        const auto median = earlyMedian(log, i);
        if (static_cast<double>(log.gapNs(i)) > thresholdNs(median))
            all.push_back({i, median});
    }
    all.insert(all.end(), m_late.begin(), m_late.end());
    return all;
}

std::vector<std::size_t> StallScan::clientArrivals(const ArrivalLog& log, const StallContext& context) const {
    std::vector<std::size_t> arrivals;
    if (context.hiccups.empty())
        return arrivals;
    for (const Found& gap : found(log))
        if (clientPart(log, gap.arrival, gap.medianNs, context))
            arrivals.push_back(gap.arrival);
    return arrivals;
}

StallTelling StallScan::tell(const ArrivalLog& log, const Found& gap, const StallContext& context) const {
    const Instant from = log[gap.arrival - 1].at;
    const Instant to = log[gap.arrival].at;
    StallTelling telling;
    if (const auto part = clientPart(log, gap.arrival, gap.medianNs, context)) {
        telling.kind = StallKind::client;
        telling.data.hiccupS = toSeconds(*part);
        const double excessS = (static_cast<double>(log.gapNs(gap.arrival)) - gap.medianNs.value_or(0)) * 1e-9;
        telling.evidence = fmt::format(
            "This machine held us up: a hiccup was in progress when the gap ended and takes {} of the {} "
            "above the median{}.",
            durationWords(std::min(toSeconds(*part), excessS)), // a hiccup may begin before the gap does
            durationWords(excessS),
            stampedByUs(context.record) ? ""
                                        : "; what came meanwhile lay in the kernel under the stamp of its last packet");
    } else {
        if (const auto told = m_told.find(gap.arrival); told != m_told.end()) {
            telling = told->second;
        } else {
            telling = tellByArrivals(log, gap.arrival, context);
            if (telling.settled)
                m_told.emplace(gap.arrival, telling);
        }
        if (const Duration hiccups = context.hiccups.within(from, to); hiccups > Duration::zero()) {
            telling.data.hiccupS = toSeconds(hiccups);
            telling.evidence += fmt::format(" A hiccup of this machine fell into it ({}) and did not make it{}.",
                                            durationWords(toSeconds(hiccups)),
                                            stampedByUs(context.record) ? "" : ": the stamps are the kernel's");
        }
    }
    telling.data.medianS = gap.medianNs ? std::optional(*gap.medianNs * 1e-9) : std::nullopt;
    telling.data.thresholdS = thresholdNs(gap.medianNs) * 1e-9;
    return telling;
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
    if (gapNs <= thresholdNs(median))
        return std::nullopt;
    Stall stall;
    stall.readBefore = log.back().read;
    stall.textOffset = static_cast<std::uint32_t>(record.transcript.size());
    stall.data.thresholdS = thresholdNs(median) * 1e-9;
    stall.data.medianS = median ? std::optional(*median * 1e-9) : std::nullopt;
    stall.data.countsTokens = context.tokensKnown;
    if (const Duration hiccups = context.hiccups.within(log.back().at, *until); hiccups > Duration::zero())
        stall.data.hiccupS = toSeconds(hiccups);
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
        stall.readBefore = log[gap.arrival - 1].read;
        stall.readAfter = log[gap.arrival].read;
        stall.textOffset = context.record.events[stall.eventIndex].textBegin;
        StallTelling telling = tell(log, gap, context);
        stall.kind = telling.kind;
        stall.evidence = std::move(telling.evidence);
        stall.data = telling.data;
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
    std::vector<Stall*> row;
    for (Stall& stall : stalls)
        if (stall.kind != StallKind::client)
            row.push_back(&stall);
    for (std::size_t i = 2; i < row.size(); ++i) {
        Stall& a = *row[i - 2];
        Stall& b = *row[i - 1];
        Stall& c = *row[i];
        if (even(b.startS - a.startS, c.startS - b.startS) ||
            even(b.tokenIndex - a.tokenIndex, c.tokenIndex - b.tokenIndex))
            a.periodic = b.periodic = c.periodic = true;
    }
}

} // namespace decodescope
