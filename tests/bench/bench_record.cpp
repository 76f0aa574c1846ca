#include "core/record/journal.h"
#include "core/record/recording.h"
#include "core/record/recording_format.h"
#include "core/record/synthetic_run.h"
#include "tests/bench/bench_report.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <thread>
#include <unistd.h>
#include <vector>

/// W2: what handing one event to the journal costs the network thread. L1, the core's part: reading a recording
/// and decoding it again, for 100,000 and for 1,000,000 tokens in four lanes.
using namespace decodescope;
using namespace decodescope::bench;
using namespace std::chrono_literals;

namespace {

/// 64 streams hand over an event each, then a pause, as at 3,000 tokens a second.
void journalAppend(const std::filesystem::path& folder, int rounds) {
    constexpr int kStreams = 64;
    const std::string path = folder / "append.decodescope";
    const auto journal = Journal::create(path, {});
    if (!journal)
        std::exit(1);
    std::vector<std::shared_ptr<RawSink>> sinks;
    for (int i = 0; i < kStreams; ++i)
        sinks.push_back((*journal)->openRun({}));
    const std::string event(240, 'x');
    const SteadyClock clock;
    std::vector<double> costsUs;
    for (int round = 0; round < rounds; ++round) {
        for (const auto& sink : sinks) {
            const Instant begin = clock.now();
            sink->onChunk(begin, static_cast<std::uint32_t>(round), event);
            costsUs.push_back(toSeconds(clock.now() - begin) * 1e6);
        }
        std::this_thread::sleep_for(20ms);
    }
    (*journal)->close();
    std::sort(costsUs.begin(), costsUs.end());
    const auto at = [&](double q) {
        return costsUs[static_cast<std::size_t>(q * static_cast<double>(costsUs.size() - 1))];
    };
    const char* conditions = "64 streams at 50 events/s, 240 bytes each, clock reads included";
    report("W2_journal_append_p50", at(0.5), "us", conditions);
    report("W2_journal_append_p99", at(0.99), "us", conditions);
}

void openRecording(const std::filesystem::path& folder, std::uint32_t tokens, int repeats) {
    constexpr std::uint32_t kLanes = 4;
    const std::string path = folder / fmt::format("{}.decodescope", tokens);
    {
        const auto journal = Journal::create(path, {});
        if (!journal)
            std::exit(1);
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            SyntheticSpec spec;
            spec.seed = lane + 1;
            spec.outputTokens = tokens / kLanes;
            RecordedRun run = syntheticRun(spec);
            run.asked.lane = static_cast<int>(lane);
            const auto sink = (*journal)->openRun(run.asked);
            for (const auto& [at, milestone] : run.milestones)
                sink->onMilestone(at, milestone);
            for (const ByteChunk& chunk : run.chunks)
                sink->onChunk(chunk.at, chunk.read, chunk.bytes);
            sink->onEnd(run.end->at, run.end->kind, run.end->message);
        }
        (*journal)->close();
    }
    Recording recording;
    const double readS = medianSeconds(repeats, [&] { recording = readRecording(path).value(); });
    std::size_t events = 0;
    const double rebuildS = medianSeconds(repeats, [&] {
        events = 0;
        for (const auto& record : rebuildAll(recording))
            events += record->events.size();
    });
    if (events != tokens)
        std::exit(1);
    const std::string conditions =
        fmt::format("{} tokens in 4 lanes, a file of {} MB", tokens, std::filesystem::file_size(path) / 1'000'000);
    report(fmt::format("L1_read_{}", tokens), readS * 1e3, "ms", conditions);
    report(fmt::format("L1_rebuild_{}", tokens), rebuildS * 1e3, "ms", conditions);
    report(fmt::format("L1_core_{}", tokens), (readS + rebuildS) * 1e3, "ms", conditions);

    // On a busy machine the processor's time says more than the clock on the wall.
    const std::clock_t before = std::clock();
    const auto again = rebuildAll(readRecording(path).value());
    const double cpuMs = static_cast<double>(std::clock() - before) * 1e3 / CLOCKS_PER_SEC;
    report(fmt::format("L1_core_cpu_{}", tokens), cpuMs, "ms", conditions + ", processor time of all threads");
}

} // namespace

int main(int argc, char** argv) {
    const bool quick = argc > 1 && std::string_view(argv[1]) == "--quick";
    const auto folder = std::filesystem::temp_directory_path() / fmt::format("decodescope-bench-{}", ::getpid());
    std::filesystem::create_directories(folder);
    journalAppend(folder, quick ? 10 : 300);
    openRecording(folder, quick ? 4'000 : 100'000, 5);
    if (!quick)
        openRecording(folder, 1'000'000, 3);
    std::filesystem::remove_all(folder);
    return 0;
}
