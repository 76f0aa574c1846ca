#pragma once

#include "core/metrics/run_summary.h"

#include <cstdio>
#include <string>

/// Every figure of a summary as text, floating point to the last bit: two summaries are equal when their texts are.
namespace decodescope::test {

inline std::string exactly(double v) {
    char text[64];
    std::snprintf(text, sizeof text, "%a", v);
    return text;
}

inline std::string exactly(const std::optional<double>& v) {
    return v ? exactly(*v) : "-";
}
inline std::string exactly(const std::optional<std::uint64_t>& v) {
    return v ? std::to_string(*v) : "-";
}
inline std::string exactly(const std::optional<Distribution>& d) {
    return d ? std::to_string(d->n) + " " + exactly(d->mean) + exactly(d->min) + exactly(d->p50) + exactly(d->p90) +
                   exactly(d->p95) + exactly(d->p99) + exactly(d->max)
             : "-";
}

inline std::string textOf(const Stall& stall) {
    const StallEvidence& data = stall.data;
    const auto channel = [](const std::optional<Channel>& c) { return c ? std::to_string(static_cast<int>(*c)) : "-"; };
    const auto read = [](const std::optional<std::uint32_t>& r) { return r ? std::to_string(*r) : "-"; };
    return exactly(stall.startS) + exactly(stall.lengthS) + std::string(toString(stall.kind)) +
           std::to_string(stall.periodic) + std::to_string(stall.eventIndex) + exactly(stall.tokenIndex) + " " +
           std::to_string(stall.readBefore) + " " + read(stall.readAfter) + " " + std::to_string(stall.textOffset) +
           stall.evidence + exactly(data.thresholdS) + exactly(data.medianS) + exactly(data.trendPerS) +
           std::to_string(data.trendFromAfter) + std::to_string(data.countsTokens) + exactly(data.owed) +
           exactly(data.caughtUp) + exactly(data.withinS) + channel(data.from) + channel(data.to) +
           exactly(data.hiccupS);
}

inline std::string textOf(const RunSummary& s) {
    std::string t;
    const auto line = [&](const char* name, const std::string& value) { t += std::string(name) + ": " + value + "\n"; };
    line("outcome", std::string(toString(s.outcome)) + (s.inStats ? " in" : " out"));
    line("ttft", exactly(s.ttft) + exactly(s.ttfa) + exactly(s.ttfb) + exactly(s.connect));
    line("from", exactly(s.ttftWithoutConnect) + exactly(s.ttftFromSent) + exactly(s.lastAnswer));
    line("decode", exactly(s.decode) + exactly(s.decodeTps) + exactly(s.eventsPerS) + exactly(s.tpot));
    line("e2e", exactly(s.e2e) + exactly(s.e2eTps) + exactly(s.promptTps));
    line("count", std::string(toString(s.tokens.source)) + " " + std::string(toString(s.tokens.basis)) + " " +
                      exactly(s.tokens.output) + " " + exactly(s.tokens.visible) + " " + exactly(s.tokens.reasoning));
    line("marks",
         std::to_string(s.tokens.kUnknown) + std::to_string(s.tokens.hidden) + std::to_string(s.tokens.usageMismatch));
    std::string k;
    for (const double v : s.tokens.perEvent)
        k += exactly(v) + " ";
    for (const std::uint32_t v : s.tokens.told)
        k += std::to_string(v) + " ";
    line("per event", k);
    line("events", std::to_string(s.tokenEvents) + " " + std::to_string(s.arrivals));
    line("itl", exactly(s.itl));
    line("per token", exactly(s.itlPerToken));
    line("jitter", s.jitter ? exactly(s.jitter->stdev) + exactly(s.jitter->mad) + exactly(s.jitter->p99MinusP50) +
                                  exactly(s.jitter->rfc3550)
                            : "-");
    line("text", exactly(s.charsPerS) + exactly(s.wordsPerS));
    for (const RateAt& r : s.rateAt)
        line("rate at", std::to_string(r.position) + " " + exactly(r.tps));
    line("decay", s.decay ? exactly(s.decay->percentPer1000) + exactly(s.decay->low) + exactly(s.decay->high) : "-");
    for (const Stall& stall : s.stalls)
        line("stall", textOf(stall));
    const Buffering& b = s.buffering;
    line("buffering", std::to_string(b.mergedEvents) + " " + std::to_string(b.mergedArrivals) + " " +
                          std::to_string(b.bursts) + " " + exactly(b.burstShare) + exactly(b.burstEvents) +
                          exactly(b.burstPeriodS) + exactly(b.burstBytes) + std::to_string(b.pairs) +
                          exactly(b.pairShare) + std::to_string(b.bufferBytes.value_or(0)));
    for (const BufferingSign& sign : b.signs)
        line("sign", std::string(toString(sign.kind)) + sign.evidence + sign.advice);
    line("ours", std::to_string(s.clientGaps) + " " + std::to_string(s.hiccupGaps));
    for (const std::string& flag : s.flags)
        line("flag", flag);
    return t;
}

} // namespace decodescope::test
