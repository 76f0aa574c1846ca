#include "app/doctor_floor.h"

#include "core/base/hiccup_meter.h"
#include "core/net/remote_source.h"
#include "core/net/transport_choice.h"
#ifdef __linux__
#include "core/net/kernel_clock.h"
#endif

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <thread>
#include <utility>

namespace decodescope {

namespace {

using namespace std::chrono_literals;

constexpr int kFewStreams = 1;
constexpr int kManyStreams = 64;
constexpr std::int64_t kIntervalUs = 20'000;
constexpr Duration kPatience = 10s; // beyond the streams' own length

/// Of values in ascending order.
double percentile(const std::vector<double>& values, double p) {
    return values[static_cast<std::size_t>(std::ceil(p * static_cast<double>(values.size() - 1)))];
}

std::optional<FloorErrors> errorsOf(const std::vector<double>& microseconds) {
    if (microseconds.empty())
        return std::nullopt;
    return FloorErrors{percentile(microseconds, 0.5) / 1e6, percentile(microseconds, 0.99) / 1e6,
                       microseconds.back() / 1e6};
}

/// A way of stamping, ready to be used: the kernel begins to stamp some time after it was first asked to.
struct Stamping {
    ClockSource clock;
    SourceFactory sources;
};

MeasuredFloor measure(const Stamping& way, const Result<FloorServer>& server, int streams, bool tls, double seconds) {
    MeasuredFloor floor;
    floor.asked = way.clock;
    floor.streams = streams;
    floor.tls = tls;
    floor.intervalS = kIntervalUs / 1e6;
    if (!server) {
        floor.failure = server.error().message;
        return floor;
    }
    FloorLoad load;
    load.streams = streams;
    load.pace.intervalUs = kIntervalUs;
    load.pace.tokens = std::max<std::int64_t>(static_cast<std::int64_t>(seconds / floor.intervalS), 10);
    FloorRun run(way.sources, *server, load);
    const Instant until = std::chrono::steady_clock::now() + fromSeconds(seconds) + kPatience;
    while (!run.over() && std::chrono::steady_clock::now() < until) {
        std::this_thread::sleep_for(5ms);
        run.pump();
    }
    floor.failure = run.over() ? run.failure() : "The streams of the loopback server did not end in time.";
    if (floor.failure.empty())
        addFigures(floor, run.streams());
    return floor;
}

void measureTimer(MachineFloor& floor) {
    timespec resolution{};
    clock_getres(CLOCK_MONOTONIC, &resolution);
    floor.clockResolutionS = static_cast<double>(resolution.tv_sec) + static_cast<double>(resolution.tv_nsec) * 1e-9;
    std::vector<double> late;
    for (int i = 0; i < 200; ++i) {
        const Instant due = std::chrono::steady_clock::now() + 1ms;
        std::this_thread::sleep_until(due);
        late.push_back(toSeconds(std::chrono::steady_clock::now() - due));
    }
    std::sort(late.begin(), late.end());
    floor.sleepLateP50S = percentile(late, 0.5);
    floor.sleepLateP99S = percentile(late, 0.99);
}

void measureClockOffset([[maybe_unused]] MachineFloor& floor) {
#ifdef __linux__
    KernelClock clock;
    clock.measure();
    floor.clockOffsetErrorS = toSeconds(clock.error());
#endif
}

} // namespace

bool MachineFloor::kernelStamps() const {
    return std::any_of(floors.begin(), floors.end(), [](const MeasuredFloor& one) {
        return one.failure.empty() && one.clock == ClockSource::kernel;
    });
}

const MeasuredFloor* MachineFloor::best(bool tls) const {
    for (const ClockSource clock : {ClockSource::kernel, ClockSource::user}) {
        const auto found = std::find_if(floors.begin(), floors.end(), [&](const MeasuredFloor& one) {
            return one.clock == clock && one.streams == kManyStreams && one.tls == tls && one.failure.empty() &&
                   one.gap;
        });
        if (found != floors.end())
            return &*found;
    }
    return nullptr;
}

std::optional<double> MachineFloor::gapFloorS(bool tls) const {
    constexpr double kTenth = 10;
    const MeasuredFloor* floor = best(tls);
    return floor == nullptr ? std::nullopt : std::optional(floor->gap->p99 * kTenth);
}

void addFigures(MeasuredFloor& floor, const std::vector<FloorStream>& streams) {
    floor.clock = floor.asked;
    for (const FloorStream& stream : streams) {
        floor.tokens += stream.tokens.size();
        floor.merged += static_cast<std::size_t>(
            std::count_if(stream.tokens.begin(), stream.tokens.end(), [](const FloorToken& t) { return t.merged; }));
        if (!stream.stamps)
            continue;
        if (stream.stamps->source != floor.asked)
            floor.clock = stream.stamps->source;
        floor.rejected += stream.stamps->rejected;
        floor.networkLagS = std::max(floor.networkLagS, toSeconds(stream.stamps->largestLag));
        if (stream.stamps->errorBound)
            floor.errorBoundS = std::max(floor.errorBoundS.value_or(0), toSeconds(*stream.stamps->errorBound));
    }
    floor.stamp = errorsOf(stampErrorsUs(streams));
    floor.gap = errorsOf(gapErrorsUs(streams));
}

Result<MachineFloor> measureMachineFloor(double seconds) {
    const auto plain = FloorServer::start();
    if (!plain)
        return tl::unexpected(plain.error());
    const auto secured = FloorServer::start(1, FloorServer::Wire::tls);
    MachineFloor floor;
    const HiccupMeter meter(std::make_shared<HiccupLog>());
    HiccupLog::Cursor cursor = meter.log()->end();
    meter.log()->listen();
    {
        NetworkThread network;
        std::vector<Stamping> ways;
        for (const char* name : {"kernel", "qt"}) {
            if (const auto kind = transportKindFromString(name))
                ways.push_back({clockSourceOf(*kind), makeRemoteSourceFactory(network, *kind)});
        }
        measureTimer(floor);
        measureClockOffset(floor);
        const double each = seconds / static_cast<double>(ways.size() * 4);
        for (const Stamping& way : ways) {
            for (const bool tls : {false, true}) {
                for (const int streams : {kFewStreams, kManyStreams})
                    floor.floors.push_back(measure(way, tls ? secured : plain, streams, tls, each));
            }
        }
    }
    for (const Hiccup& hiccup : meter.log()->sinceAndNow(cursor, std::chrono::steady_clock::now())) {
        ++floor.hiccups;
        floor.largestHiccupS = std::max(floor.largestHiccupS.value_or(0), toSeconds(hiccup.late()));
    }
    return floor;
}

} // namespace decodescope
