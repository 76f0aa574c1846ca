// How far stamps and gaps lie from the truth (performance.md, T1 to T8), in the clear and, but for T7, which is about
// connections that are up, over TLS. The truth is what the server, a process of its own, writes into each token: the
// monotonic clock just before the send. Everything of ours runs as in the product: the same sources, transports and
// decoder, beside a GUI thread that is idle, busy or frozen.
#include "core/net/floor_run.h"
#include "core/net/remote_source.h"
#include "core/net/transport_choice.h"
#include "tests/bench/bench_report.h"
#include "tests/bench/busy_window.h"

#include <QApplication>
#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QSslConfiguration>
#include <QSslSocket>
#include <QTimer>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace decodescope;
using namespace std::chrono_literals;

namespace {

/// A benchmark whose set-up failed has no figure.
void require(bool good, const std::string& what) {
    if (good)
        return;
    std::fprintf(stderr, "bench_stamps: %s\n", what.c_str());
    std::exit(1);
}

Instant now() {
    return std::chrono::steady_clock::now();
}

/// Of values in ascending order; absent without any, as on a machine so busy that every read brought several tokens.
std::optional<double> percentile(const std::vector<double>& values, double p) {
    if (values.empty())
        return std::nullopt;
    return values[static_cast<std::size_t>(std::ceil(p * static_cast<double>(values.size() - 1)))];
}

/// What could not be measured is left out, and said.
void report(std::string_view name, std::optional<double> value, std::string_view unit, const std::string& conditions,
            std::string_view ratioTo = {}) {
    if (value)
        bench::report(name, *value, unit, conditions, ratioTo);
    else
        std::fprintf(stderr, "bench_stamps: no %s (%s): nothing to compare\n", std::string(name).c_str(),
                     conditions.c_str());
}

std::optional<double> ratio(std::optional<double> a, std::optional<double> b) {
    return a && b && *b > 0 ? std::optional(*a / *b) : std::nullopt;
}

enum class Gui { idle, busy };
enum class Rhythm { staggered, aligned };

/// Turns the event loop of this thread, the GUI's, until `over`.
void turnUntil(const std::function<bool()>& over, const std::function<void()>& each) {
    QTimer timer;
    QEventLoop loop;
    QObject::connect(&timer, &QTimer::timeout, [&] {
        each();
        if (over())
            loop.quit();
    });
    timer.start(5);
    loop.exec();
}

struct Bench {
    const FloorServer& server;
    int streams = 64;
    int tokens = 150;
    NetworkThread network;

    [[nodiscard]] SourceFactory sources(TransportKind kind) {
        return makeRemoteSourceFactory(network, transportFactory(network, kind), clockSourceOf(kind));
    }

    [[nodiscard]] FloorLoad load(Rhythm rhythm) const {
        FloorLoad load;
        load.streams = streams;
        load.pace.tokens = tokens;
        load.aligned = rhythm == Rhythm::aligned;
        return load;
    }

    [[nodiscard]] std::vector<FloorStream> measure(
        const SourceFactory& factory, const FloorLoad& load, Gui gui,
        const std::function<void()>& meanwhile = [] {}) const {
        std::optional<bench::BusyWindow> window;
        if (gui == Gui::busy)
            window.emplace();
        FloorRun run(factory, server, load);
        turnUntil([&] { return run.over(); },
                  [&] {
                      run.pump();
                      meanwhile();
                  });
        require(run.failure().empty(), run.failure());
        return run.streams();
    }

    [[nodiscard]] std::string words(Rhythm rhythm, Gui gui) const {
        return std::to_string(streams) + " streams at 20 ms, " +
               (rhythm == Rhythm::aligned ? "all at once" : "staggered") +
               (gui == Gui::busy ? ", 12 charts at 60 Hz" : ", GUI idle") + wire();
    }
    [[nodiscard]] const char* wire() const { return server.certificate().empty() ? "" : ", TLS"; }
};

/// The way most clients go: QNetworkAccessManager on the GUI thread, stamped when its signal comes.
class ManagedStreams {
public:
    ManagedStreams(const FloorServer& server, const FloorLoad& load) {
        for (int i = 0; i < load.streams; ++i) {
            FloorPace pace = load.pace;
            if (!load.aligned)
                pace.offsetUs = pace.intervalUs * i / load.streams;
            QNetworkRequest request(QUrl(QString::fromStdString(server.url(static_cast<std::size_t>(i))) +
                                         QStringLiteral("/v1/chat/completions")));
            request.setHeader(QNetworkRequest::ContentTypeHeader, QStringLiteral("application/json"));
            if (!server.certificate().empty()) { // its certificate is nobody's business here
                QSslConfiguration tls = request.sslConfiguration();
                tls.setPeerVerifyMode(QSslSocket::VerifyNone);
                request.setSslConfiguration(tls);
            }
            const std::string body = R"({"model":")" + pace.modelName() + R"(","stream":true})";
            m_streams.push_back(std::make_unique<Stream>());
            Stream& stream = *m_streams.back();
            stream.reply = m_manager.post(request, QByteArray::fromStdString(body));
            QObject::connect(stream.reply, &QNetworkReply::readyRead, [&stream] { stream.take(now()); });
        }
    }
    [[nodiscard]] bool over() const {
        return std::all_of(m_streams.begin(), m_streams.end(),
                           [](const auto& stream) { return stream->reply->isFinished(); });
    }
    [[nodiscard]] std::vector<double> errorsUs(std::size_t tokens) const {
        std::vector<double> all;
        for (const auto& stream : m_streams) {
            require(stream->errorsUs.size() == tokens, "QNetworkAccessManager did not get every token");
            all.insert(all.end(), stream->errorsUs.begin(), stream->errorsUs.end());
        }
        std::sort(all.begin(), all.end());
        return all;
    }

private:
    struct Stream {
        QNetworkReply* reply = nullptr; // of the manager
        std::string waiting;
        std::vector<double> errorsUs;

        void take(Instant at) {
            waiting += reply->readAll().toStdString();
            constexpr std::string_view kBefore = R"("content":")";
            for (std::size_t end = waiting.find("\n\n"); end != std::string::npos; end = waiting.find("\n\n")) {
                if (const std::size_t text = waiting.find(kBefore); text < end) {
                    std::int64_t ns = 0;
                    std::from_chars(waiting.data() + text + kBefore.size(), waiting.data() + end, ns);
                    errorsUs.push_back(toMilliseconds(at - instantFromNs(ns)) * 1000);
                }
                waiting.erase(0, end + 2);
            }
        }
    };
    QNetworkAccessManager m_manager;
    std::vector<std::unique_ptr<Stream>> m_streams;
};

/// T1 to T3: our stamps, with an idle and a busy GUI. Returns p99 with a busy one.
std::optional<double> reportOwn(Bench& bench, Rhythm rhythm) {
    const SourceFactory factory = bench.sources(bestTransportKind());
    std::optional<double> idleP99;
    std::optional<double> busyP99;
    for (const Gui gui : {Gui::idle, Gui::busy}) {
        const auto streams = bench.measure(factory, bench.load(rhythm), gui);
        const std::vector<double> errors = stampErrorsUs(streams);
        const std::string words = bench.words(rhythm, gui);
        report("T1_stamp_error_p50", percentile(errors, 0.5), "us", words);
        report("T1_stamp_error_p99", percentile(errors, 0.99), "us", words);
        report("T2_gap_error_p99", percentile(gapErrorsUs(streams), 0.99), "us", words);
        if (gui == Gui::idle)
            idleP99 = percentile(errors, 0.99);
        else
            busyP99 = percentile(errors, 0.99);
    }
    report("T3_busy_to_idle", ratio(busyP99, idleP99), "ratio",
           std::string("p99 of stamp errors, ") + (rhythm == Rhythm::aligned ? "all at once" : "staggered") +
               bench.wire(),
           "the same with an idle GUI");
    return busyP99;
}

/// T4: the usual way beside ours.
void reportManaged(Bench& bench, Rhythm rhythm, std::optional<double> ownP99) {
    const bench::BusyWindow window;
    const ManagedStreams streams(bench.server, bench.load(rhythm));
    turnUntil([&] { return streams.over(); }, [] {});
    const std::string words = bench.words(rhythm, Gui::busy) + ", QNetworkAccessManager on the GUI thread";
    const auto p99 = percentile(streams.errorsUs(static_cast<std::size_t>(bench.tokens)), 0.99);
    report("T4_managed_stamp_error_p99", p99, "us", words);
    report("T4_managed_to_own", ratio(p99, ownP99), "ratio", words, "p99 of our own stamps");
}

/// T5: the portable transport.
void reportPortable(Bench& bench) {
    for (const Rhythm rhythm : {Rhythm::staggered, Rhythm::aligned}) {
        const auto streams = bench.measure(bench.sources(TransportKind::qt), bench.load(rhythm), Gui::busy);
        const std::string words = bench.words(rhythm, Gui::busy) + ", portable transport";
        report("T5_user_stamp_error_p99", ratio(percentile(stampErrorsUs(streams), 0.99), 1000), "ms", words);
        Duration bound{};
        for (const FloorStream& stream : streams)
            bound = std::max(bound, stream.stamps ? stream.stamps->errorBound.value_or(Duration{}) : Duration{});
        report("T5_user_stamp_error_told", toMilliseconds(bound), "ms", words + ", the bound that runs state");
    }
}

/// T6: events that one read completed, and those of them that nobody could know of. A server that had to wait for a
/// processor sends what it owes back to back, and that comes as one: counted are those that it really sent a
/// millisecond apart.
void reportMerged(Bench& bench) {
    FloorLoad load = bench.load(Rhythm::staggered);
    load.pace.burst = 8;
    load.pace.burstGapUs = 1000;
    std::size_t events = 0;
    std::size_t paced = 0;
    std::size_t merged = 0;
    std::size_t unflagged = 0;
    for (const FloorStream& stream : bench.measure(bench.sources(bestTransportKind()), load, Gui::busy)) {
        for (std::size_t i = 1; i < stream.tokens.size(); ++i) {
            const FloorToken& token = stream.tokens[i];
            const bool inPace = token.sent - stream.tokens[i - 1].sent >= 900us;
            ++events;
            paced += inPace ? 1 : 0;
            merged += inPace && token.merged ? 1 : 0;
            unflagged += token.unflagged ? 1 : 0;
        }
    }
    const std::string words =
        std::to_string(load.streams) + " streams, bursts of 8 at 1 ms every 20 ms, GUI busy" + bench.wire();
    const auto percentOf = [](std::size_t part, std::size_t whole) {
        return ratio(100.0 * static_cast<double>(part), static_cast<double>(whole));
    };
    report("T6_merged", percentOf(merged, paced), "percent", words);
    report("T6_sent_in_pace", percentOf(paced, events), "percent", words);
    report("T6_merged_unflagged", static_cast<double>(unflagged), "events", words);
}

/// T7: how far the first bytes of streams to one port lie apart.
void reportSpread(Bench& bench, const FloorServer& onePort, int repeats) {
    std::vector<double> spreads;
    const Bench single{onePort, bench.streams, 3, {}};
    for (int i = 0; i < repeats; ++i) {
        const auto streams =
            single.measure(bench.sources(bestTransportKind()), single.load(Rhythm::staggered), Gui::idle);
        double first = std::numeric_limits<double>::infinity();
        double last = 0;
        for (const FloorStream& stream : streams) {
            require(stream.firstByte && stream.requestSent, "a stream has no first byte");
            first = std::min(first, static_cast<double>(toNs(*stream.firstByte)));
            last = std::max(last, static_cast<double>(toNs(*stream.firstByte)));
        }
        spreads.push_back((last - first) / 1e6);
    }
    std::sort(spreads.begin(), spreads.end());
    report("T7_first_byte_spread", percentile(spreads, 0.5), "ms",
           std::to_string(bench.streams) + " streams to one port released together, median of " +
               std::to_string(repeats));
}

/// T8: the GUI thread does nothing but turn on the spot for a while.
void reportFrozen(Bench& bench, Duration freeze) {
    FloorLoad load = bench.load(Rhythm::staggered);
    const Instant begun = now();
    std::optional<Instant> from;
    Instant until{};
    const auto freezeOnce = [&] {
        if (from || now() - begun < 600ms)
            return;
        from = now();
        until = *from + freeze;
        while (now() < until) {
        }
    };
    load.pace.tokens = static_cast<std::int64_t>(toMilliseconds(freeze) / 20) * 2 + 50;
    const auto streams = bench.measure(bench.sources(bestTransportKind()), load, Gui::idle, freezeOnce);
    std::vector<double> frozen;
    std::vector<double> free;
    for (const FloorStream& stream : streams) {
        for (const FloorToken& token : stream.tokens) {
            const bool within = from && token.sent >= *from && token.sent < until;
            (within ? frozen : free).push_back(std::abs(toMilliseconds(token.stamped - token.sent)) * 1000);
        }
    }
    std::sort(frozen.begin(), frozen.end());
    std::sort(free.begin(), free.end());
    const std::string words = bench.words(Rhythm::staggered, Gui::idle) + ", GUI thread frozen for " +
                              std::to_string(static_cast<int>(toMilliseconds(freeze))) + " ms";
    report("T8_stamp_error_p99_frozen", percentile(frozen, 0.99), "us", words);
    report("T8_frozen_to_free", ratio(percentile(frozen, 0.99), percentile(free, 0.99)), "ratio", words,
           "p99 outside the freeze");
}

} // namespace

int main(int argc, char** argv) {
    const bool quick = argc > 1 && std::string_view(argv[1]) == "--quick";
    // Started before anything else: a process is best split while it has one thread.
    const auto plain = FloorServer::start(16); // so that QNetworkAccessManager's six connections a port are enough
    const auto secured = FloorServer::start(16, FloorServer::Wire::tls);
    const auto onePort = FloorServer::start();
    require(plain && secured && onePort, "no server");
    const QApplication application(argc, argv);
    for (const FloorServer* server : {&*plain, &*secured}) {
        Bench bench{*server, quick ? 8 : 64, quick ? 20 : 150, {}};
        for (const Rhythm rhythm : {Rhythm::staggered, Rhythm::aligned}) {
            const std::optional<double> own = reportOwn(bench, rhythm);
            reportManaged(bench, rhythm, own);
        }
        reportPortable(bench);
        reportMerged(bench);
        if (server == &*plain)
            reportSpread(bench, *onePort, quick ? 1 : 5);
        reportFrozen(bench, quick ? 200ms : 2000ms);
    }
    return 0;
}
