// How far the stamps of the portable transport lie from the truth (T5), how close together lanes start (T7), and
// what that means for a measured rate. The truth is the loopback server's own stamp just before each send.
#include "core/net/remote_source.h"
#include "tests/bench/bench_report.h"
#include "tests/support/openai_script.h"

#include <QCoreApplication>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace decodescope;
using namespace std::chrono_literals;

namespace {

/// A benchmark whose set-up failed has no figure.
void require(bool good, const char* what) {
    if (good)
        return;
    std::fprintf(stderr, "bench_net: %s\n", what);
    std::exit(1);
}

struct Read {
    Instant at{};
    std::size_t end = 0; ///< bytes of the response up to and with this read
};

/// Keeps the stamps of all reads; the bytes are only counted.
class StampSink final : public RawSink {
public:
    void onChunk(Instant at, std::uint32_t, std::string_view bytes) override {
        const std::lock_guard lock(m_mutex);
        m_end += bytes.size();
        m_reads.push_back({at, m_end});
    }
    void onMilestone(Instant at, const Milestone& milestone) override {
        const std::lock_guard lock(m_mutex);
        if (milestone.kind == Milestone::Kind::sent)
            m_sent = at;
    }
    void onEnd(Instant, ErrorKind kind, std::string_view) override {
        const std::lock_guard lock(m_mutex);
        m_ended = true;
        m_good = kind == ErrorKind::none;
    }
    bool ended() {
        const std::lock_guard lock(m_mutex);
        return m_ended;
    }
    bool good() {
        const std::lock_guard lock(m_mutex);
        return m_good;
    }
    std::vector<Read> reads() {
        const std::lock_guard lock(m_mutex);
        return m_reads;
    }
    Instant sent() {
        const std::lock_guard lock(m_mutex);
        return m_sent;
    }

private:
    std::mutex m_mutex;
    std::vector<Read> m_reads;
    std::size_t m_end = 0;
    Instant m_sent{};
    bool m_ended = false;
    bool m_good = false;
};

/// One send of the server, and the read that completed it.
struct Arrival {
    Instant sent{};
    Instant stamped{};
    bool merged = false; ///< an earlier send was completed by the same read
};

struct Lane {
    std::vector<Arrival> arrivals;
    Instant requestSent{};
    Instant firstByte{};
};

enum class Rhythm { staggered, aligned };

/// Runs `lanes` streams of `tokens` tokens each against one port and matches stamps with stamps.
std::vector<Lane> measure(int lanes, int tokens, std::chrono::nanoseconds interval, Rhythm rhythm) {
    // Every connection keeps the server's own schedule, so that "aligned" means the same instant for all.
    const auto epoch = std::make_shared<std::atomic<std::int64_t>>(0);
    std::vector<fault::Script> scripts;
    for (int i = 0; i < lanes; ++i) {
        const auto offset = rhythm == Rhythm::aligned ? 0ns : interval * i / lanes;
        scripts.push_back({fault::readRequest(), fault::choose([=](const fault::Request& request) {
                               fault::PaceOptions pace;
                               pace.tokens = tokens;
                               pace.first = instantFromNs(*epoch) + 200ms + offset - request.at;
                               pace.interval = interval;
                               return fault::pacedResponse(pace);
                           })});
    }
    fault::FaultServer server(std::move(scripts));
    NetworkThread network;
    const SourceFactory factory = makeRemoteSourceFactory(network);
    std::vector<std::shared_ptr<StampSink>> sinks;
    std::vector<std::unique_ptr<TokenSource>> sources;
    const auto mailbox = std::make_shared<EventMailbox>();
    for (int i = 0; i < lanes; ++i) {
        RunSpec spec;
        spec.endpoint.url = server.url();
        spec.prompt = "lane " + std::to_string(i) + ".";
        sinks.push_back(std::make_shared<StampSink>());
        sources.push_back(factory(spec, {mailbox, sinks.back()}));
        sources.back()->prepare();
    }
    const bool ready = fault::FaultServer::waitFor([&] {
        return server.connections() == lanes &&
               std::all_of(sources.begin(), sources.end(), [](const auto& source) { return source->ready(); });
    });
    require(ready, "not all lanes could connect");
    const Instant t0 = std::chrono::steady_clock::now();
    *epoch = toNs(t0);
    for (const auto& source : sources)
        source->release(t0);
    const bool ended = fault::FaultServer::waitFor(
        [&] { return std::all_of(sinks.begin(), sinks.end(), [](const auto& sink) { return sink->ended(); }); },
        std::chrono::minutes(5));
    require(ended, "not all lanes ended");

    std::vector<Lane> result(static_cast<std::size_t>(lanes));
    const auto requests = server.requests();
    const auto stamps = server.sendStamps();
    for (std::size_t i = 0; i < result.size(); ++i) {
        const auto request = std::find_if(requests.begin(), requests.end(), [&](const fault::Request& one) {
            return one.body.find("lane " + std::to_string(i) + ".") != std::string::npos;
        });
        require(request != requests.end() && sinks[i]->good(), "a lane failed");
        const auto reads = sinks[i]->reads();
        result[i].requestSent = sinks[i]->sent();
        result[i].firstByte = reads.front().at;
        std::size_t end = 0;
        std::size_t last = reads.size();
        for (const fault::SendStamp& stamp : stamps) {
            if (stamp.connection != request->connection)
                continue;
            end += stamp.bytes;
            const auto read = std::find_if(reads.begin(), reads.end(), [&](const Read& one) { return one.end >= end; });
            if (read == reads.end())
                break;
            const auto number = static_cast<std::size_t>(read - reads.begin());
            result[i].arrivals.push_back({stamp.at, read->at, number == last});
            last = number;
        }
    }
    return result;
}

double percentile(std::vector<double> values, double p) {
    if (values.empty())
        return std::nan("");
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(p * static_cast<double>(values.size() - 1) + 0.5)];
}

void reportStampErrors(Rhythm rhythm) {
    constexpr int kLanes = 64;
    const auto lanes = measure(kLanes, 150, 20ms, rhythm);
    std::vector<double> errors;
    std::vector<double> gapErrors;
    std::size_t merged = 0;
    for (const Lane& lane : lanes) {
        for (std::size_t i = 0; i < lane.arrivals.size(); ++i) {
            const Arrival& one = lane.arrivals[i];
            errors.push_back(toMilliseconds(one.stamped - one.sent) * 1000);
            merged += one.merged ? 1 : 0;
            if (i > 0)
                gapErrors.push_back(std::abs(toMilliseconds((one.stamped - lane.arrivals[i - 1].stamped) -
                                                            (one.sent - lane.arrivals[i - 1].sent))) *
                                    1000);
        }
    }
    const std::string conditions =
        std::string("64 streams, 20 ms, one port, ") + (rhythm == Rhythm::aligned ? "all at once" : "staggered");
    bench::report("T5_stamp_error_p50", percentile(errors, 0.5), "us", conditions);
    bench::report("T5_stamp_error_p99", percentile(errors, 0.99), "us", conditions);
    bench::report("T2_gap_error_p99", percentile(gapErrors, 0.99), "us", conditions);
    bench::report("T6_merged", 100.0 * static_cast<double>(merged) / static_cast<double>(errors.size()), "percent",
                  conditions);
}

void reportSpread(int count) {
    std::vector<double> firstBytes;
    std::vector<double> releases;
    for (int repeat = 0; repeat < 5; ++repeat) {
        const auto lanes = measure(count, 3, 20ms, Rhythm::staggered);
        const auto spread = [&](Instant Lane::*stamp) {
            const auto [low, high] = std::minmax_element(
                lanes.begin(), lanes.end(), [&](const Lane& a, const Lane& b) { return a.*stamp < b.*stamp; });
            return toMilliseconds((*high).*stamp - (*low).*stamp);
        };
        firstBytes.push_back(spread(&Lane::firstByte));
        releases.push_back(spread(&Lane::requestSent));
    }
    const std::string conditions = std::to_string(count) + " streams to one port released together, median of 5";
    bench::report("T7_first_byte_spread", percentile(firstBytes, 0.5), "ms", conditions);
    bench::report("release_spread", percentile(releases, 0.5), "ms", conditions);
}

void reportRate() {
    const Lane lane = measure(1, 200, 20ms, Rhythm::staggered).front();
    require(lane.arrivals.size() >= 201, "tokens are missing");
    // The first send is the head with the role, the last one the tail: the tokens lie between.
    const std::vector<Arrival> tokens(lane.arrivals.begin() + 1, lane.arrivals.begin() + 201);
    std::vector<double> measured;
    std::vector<double> real;
    for (std::size_t i = 1; i < tokens.size(); ++i) {
        measured.push_back(toMilliseconds(tokens[i].stamped - tokens[i - 1].stamped));
        real.push_back(toMilliseconds(tokens[i].sent - tokens[i - 1].sent));
    }
    const double ratio =
        toSeconds(tokens.back().sent - tokens.front().sent) / toSeconds(tokens.back().stamped - tokens.front().stamped);
    const std::string conditions = "1 stream, 200 tokens at 20 ms";
    bench::report("rate_error", 100 * std::abs(ratio - 1), "percent", conditions, "server's stamps");
    bench::report("gap_p50_error", std::abs(percentile(measured, 0.5) - percentile(real, 0.5)), "ms", conditions);
}

} // namespace

int main(int argc, char** argv) {
    const QCoreApplication application(argc, argv);
    if (argc > 1 && std::string_view(argv[1]) == "--quick") {
        reportSpread(8);
        return 0;
    }
    reportRate();
    reportStampErrors(Rhythm::staggered);
    reportStampErrors(Rhythm::aligned);
    reportSpread(48);
    reportSpread(64);
    return 0;
}
