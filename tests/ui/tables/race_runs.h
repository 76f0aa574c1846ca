#pragma once

#include "tests/support/run_builder.h"

#include <random>

/// Runs like those of a real race: seeded jitter, a stall, a held-back delivery.
namespace decodescope::test {

struct RacePace {
    double ttft = 0.1;
    double gap = 0.01;
    int tokens = 240;
    int stallAt = -1; ///< token before which the stream pauses
    double stallS = 0;
    int burst = 0; ///< tokens that come at once after the pause
};

inline RunBuilder raceRun(const RacePace& pace, unsigned seed) {
    std::mt19937 draw(seed);
    const char* words[] = {"index ", "makes ", "reads ", "fast, ", "writes ", "slow. ", "A ", "rule "};
    RunBuilder run;
    double at = pace.ttft;
    for (int i = 0; i < pace.tokens; ++i) {
        if (i == pace.stallAt)
            at += pace.stallS;
        const std::string word = words[draw() % 8];
        if (i > pace.stallAt && i < pace.stallAt + pace.burst && pace.stallAt >= 0) {
            run.sameRead(at - pace.gap, 1, word);
            continue;
        }
        run.event(at, 1, word);
        at += i == pace.stallAt && pace.burst > 0 ? pace.gap
                                                  : pace.gap * (0.8 + 0.4 * static_cast<double>(draw() % 1000) / 1000);
    }
    run.usage(static_cast<std::uint64_t>(pace.tokens));
    return run;
}

} // namespace decodescope::test
