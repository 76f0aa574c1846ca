#pragma once

#include "core/metrics/metrics.h"
#include "ui/charts/chart_lane.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

/// Runs made by hand for the charts' tests: instants are given, metrics are computed from them as always.
namespace decodescope::test {

struct RunShape {
    double connectS = 0, sendS = 0.0003, firstByteS = 0.1, ttftS = 0.12;
    std::vector<double> gapsS;     ///< between arrivals
    std::vector<int> tokensOfRead; ///< of each arrival; empty: one each
    Outcome outcome = Outcome::complete;
    int httpStatus = 200;
    double afterLastS = 0.02; ///< last token to the end
    double openForS = 0;      ///< still running: time since the last token
};

inline std::shared_ptr<RunRecord> record(const RunShape& shape) {
    auto run = std::make_shared<RunRecord>();
    const Instant start = instantFromNs(5'000'000'000);
    run->clock = ClockSource::kernel;
    run->started = start;
    run->connected = start + fromSeconds(shape.connectS);
    run->sent = start + fromSeconds(shape.connectS + shape.sendS);
    run->firstByte = start + fromSeconds(shape.firstByteS);
    run->spans.push_back({0, Channel::answer});
    Instant at = start + fromSeconds(shape.ttftS);
    std::uint32_t read = 1;
    std::uint32_t message = 0;
    const auto arrive = [&] {
        const int count = read - 1 < shape.tokensOfRead.size() ? shape.tokensOfRead[read - 1] : 1;
        for (int k = 0; k < count; ++k) {
            TokenEvent event;
            event.at = at;
            event.read = read;
            event.message = message++;
            event.textBegin = static_cast<std::uint32_t>(run->transcript.size());
            run->transcript += message % 3 == 0 ? "ing" : " word";
            event.textEnd = static_cast<std::uint32_t>(run->transcript.size());
            event.channels = 1U << static_cast<unsigned>(Channel::answer);
            event.tokens.ids = 1;
            run->events.push_back(event);
        }
        ++read;
    };
    if (shape.httpStatus == 200) {
        arrive();
        for (const double gap : shape.gapsS) {
            at += fromSeconds(gap);
            arrive();
        }
    } else {
        at = run->started.value() + fromSeconds(0.212);
    }
    run->messages = message;
    run->reads = read;
    run->outcome = shape.outcome;
    if (shape.outcome == Outcome::running)
        return run;
    run->finished = at + fromSeconds(shape.afterLastS);
    StreamEnd end;
    if (shape.httpStatus != 200) {
        end.verdict = StreamEnd::Verdict::error;
        end.kind = shape.httpStatus == 401 ? ErrorKind::auth : ErrorKind::httpStatus;
        end.httpStatus = shape.httpStatus;
    } else if (shape.outcome == Outcome::truncated) {
        end.verdict = StreamEnd::Verdict::incomplete;
        end.kind = ErrorKind::truncated;
    } else {
        run->finish = "stop";
    }
    run->end = end;
    return run;
}

inline ChartLane lane(LaneId id, const RunShape& shape, LaneState state) {
    const std::shared_ptr<RunRecord> run = record(shape);
    std::optional<Instant> now = run->finished;
    if (!now && !run->events.empty())
        now = run->events.back().at + fromSeconds(shape.openForS);
    LiveMetrics live;
    live.update(*run);
    const auto summary = std::make_shared<const RunSummary>(run->finished ? summarize(*run) : live.summary(*run, now));
    ChartLane result = chartLane(id, static_cast<int>(id), state, run, summary);
    result.now = now;
    return result;
}

/// Gaps around `meanS` with log-normal noise of `sigma`, from a seed.
inline std::vector<double> noisyGaps(std::size_t count, double meanS, double sigma, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0, sigma);
    std::vector<double> gaps;
    gaps.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        gaps.push_back(meanS * std::exp(noise(random)));
    return gaps;
}

/// Three lanes like those of a usual race: a quick local one, one with a generation stall that still runs, one over
/// a gateway with a delivery stall (74 tokens come at once after it).
inline std::vector<ChartLane> race() {
    RunShape a;
    a.gapsS = noisyGaps(241, 0.0098, 0.12, 1);
    for (std::size_t i = 0; i < a.gapsS.size(); ++i)
        a.gapsS[i] *= 1 + 0.001 * static_cast<double>(i);
    a.firstByteS = 0.109;
    a.ttftS = 0.118;

    RunShape b;
    b.gapsS = noisyGaps(296, 0.024, 0.15, 2);
    b.gapsS[206] = 0.642;
    b.gapsS[40] = 0.072;
    b.gapsS[180] = 0.066;
    b.connectS = 0.0004;
    b.firstByteS = 0.382;
    b.ttftS = 0.412;
    b.outcome = Outcome::running;
    b.openForS = 0.02;

    RunShape c;
    c.gapsS = noisyGaps(360, 0.0135, 0.5, 3);
    c.tokensOfRead.assign(c.gapsS.size() + 1, 1);
    c.gapsS[340] = 0.803;
    c.tokensOfRead[341] = 12;
    for (std::size_t i = 341; i < 350; ++i) {
        c.gapsS[i] = 0.0015 + 0.0002 * static_cast<double>(i % 4);
        c.tokensOfRead[i + 1] = 7;
    }
    c.connectS = 0.121;
    c.sendS = 0.002;
    c.firstByteS = 0.727;
    c.ttftS = 0.846;
    return {lane(0, a, LaneState::done), lane(1, b, LaneState::running), lane(2, c, LaneState::done)};
}

} // namespace decodescope::test
