// What it costs to keep the figures of a growing run: LiveMetrics::update and summary at 1,000 and 100,000 tokens,
// and the batch result beside them. A window asks eight lanes ten times a second.
#include "core/metrics/metrics.h"
#include "tests/bench/bench_report.h"
#include "tests/support/run_builder.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <vector>

using namespace decodescope;

namespace {

constexpr int kRounds = 60;
constexpr int kNewTokensARound = 8;

double secondsOf(const auto& work) {
    const auto from = std::chrono::steady_clock::now();
    work();
    return toSeconds(std::chrono::steady_clock::now() - from);
}

double medianOf(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return quantileType7(values, 0.5);
}

/// A run with jitter and, every 2,000 tokens, a stall.
RunRecord growingRun(int tokens) {
    std::mt19937 draw(7);
    test::RunBuilder run;
    double at = 0.2;
    for (int i = 0; i < tokens; ++i) {
        run.event(at, 1);
        at += i % 2000 == 1999 ? 0.6 : 0.008 + 0.004 * static_cast<double>(draw() % 1000) / 1000;
    }
    return run.outcome(Outcome::running).finish({}).build();
}

void grow(RunRecord& record, int tokens) {
    for (int i = 0; i < tokens; ++i) {
        TokenEvent event = record.events.back();
        event.at += std::chrono::microseconds(9000 + 250 * (i % 5));
        ++event.read;
        record.events.push_back(event);
    }
}

void measure(int tokens) {
    RunRecord record = growingRun(tokens);
    const std::string conditions = std::to_string(tokens) + " tokens";
    std::size_t stalls = 0;
    const double batchS = secondsOf([&] { stalls = summarize(record).stalls.size(); });
    bench::report("metrics_batch", batchS * 1e3, "ms", conditions + ", " + std::to_string(stalls) + " stalls");

    LiveMetrics live;
    live.update(record);
    std::vector<double> updates;
    std::vector<double> summaries;
    for (int i = 0; i < kRounds; ++i) {
        grow(record, kNewTokensARound);
        updates.push_back(secondsOf([&] { live.update(record); }));
        summaries.push_back(secondsOf([&] { stalls += live.summary(record, record.events.back().at).arrivals; }));
    }
    bench::report("metrics_live_update", medianOf(updates) * 1e6, "us",
                  conditions + ", " + std::to_string(kNewTokensARound) + " new");
    bench::report("metrics_live_summary", medianOf(summaries) * 1e6, "us", conditions);
    bench::report("metrics_eight_lanes", 100 * 8 * 10 * (medianOf(updates) + medianOf(summaries)), "percent",
                  conditions + ", 8 lanes, 10 times a second", "one core");
}

} // namespace

int main(int argc, char** argv) {
    const bool quick = argc > 1 && std::string_view(argv[1]) == "--quick";
    measure(1'000);
    measure(quick ? 5'000 : 100'000);
    return 0;
}
