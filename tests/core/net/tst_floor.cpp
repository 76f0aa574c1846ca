// The server that tells the truth about itself, and the streams that are measured against it.
#include "core/net/floor_run.h"
#include "core/net/remote_source.h"
#include "tests/core/net/transport_rows.h"

#include <QCoreApplication>
#include <QtTest>

#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace decodescope;
using namespace std::chrono_literals;

namespace {

/// Tokens that were sent and stamped at these instants, in microseconds.
FloorStream streamOf(const std::vector<std::pair<std::int64_t, std::int64_t>>& tokens) {
    FloorStream stream;
    for (const auto& [sent, stamped] : tokens)
        stream.tokens.push_back({instantFromNs(sent * 1000), instantFromNs(stamped * 1000)});
    return stream;
}

std::vector<int> rounded(const std::vector<double>& values) {
    std::vector<int> whole;
    for (const double value : values)
        whole.push_back(static_cast<int>(std::lround(value)));
    return whole;
}

/// Turns the crank until the streams are over or have failed.
bool finish(FloorRun& run) {
    const Instant limit = std::chrono::steady_clock::now() + 20s;
    while (!run.over() && std::chrono::steady_clock::now() < limit) {
        run.pump();
        std::this_thread::sleep_for(1ms);
    }
    return run.over();
}

} // namespace

class TestFloor : public QObject {
    Q_OBJECT

public:
    TestFloor(const FloorServer& plain, const FloorServer& tls, std::vector<FloorServer>& spare)
        : m_plain(plain)
        , m_tls(tls)
        , m_spare(spare) {}

private slots:
    void initTestCase_data() { addTransportRows(); }
    void init() {
        // One factory for all of a row: the kernel begins to stamp some time after it was first asked to.
        std::optional<SourceFactory>& factory = m_factories[transportOfRow()];
        if (!factory)
            factory = makeRemoteSourceFactory(m_network, transportOfRow());
        m_factory = *factory;
    }

    void aPaceIsWhatTheModelsNameSays() {
        FloorPace pace;
        pace.intervalUs = 5000;
        pace.tokens = 7;
        pace.offsetUs = 300;
        pace.burst = 4;
        pace.burstGapUs = 1000;
        const FloorPace read = FloorPace::fromRequest(R"({"model":")" + pace.modelName() + R"(","stream":true})");
        QCOMPARE(read.modelName(), pace.modelName());
        // Two bursts of four, a millisecond between tokens, 5 ms between bursts.
        QCOMPARE(read.dueNs(1'000'000, 0), 1'300'000);
        QCOMPARE(read.dueNs(1'000'000, 3), 4'300'000);
        QCOMPARE(read.dueNs(1'000'000, 4), 6'300'000);
    }

    void aPaceBeyondReasonIsBounded_data() {
        QTest::addColumn<QString>("request");
        QTest::addColumn<QString>("pace");
        QTest::newRow("nothing said") << "" << QString::fromStdString(FloorPace{}.modelName());
        QTest::newRow("no numbers") << "interval_us=x tokens= offset_us=-"
                                    << QString::fromStdString(FloorPace{}.modelName());
        QTest::newRow("too small") << "interval_us=0 tokens=0 offset_us=-5 burst=0 burst_gap_us=-1"
                                   << "floor interval_us=100 tokens=1 offset_us=0 burst=1 burst_gap_us=0";
        QTest::newRow("too large")
            << "interval_us=9999999999999 tokens=9999999999 offset_us=9999999999999 burst=99999 burst_gap_us=9999999999"
            << "floor interval_us=3600000000 tokens=1000000 offset_us=3600000000 burst=1000 burst_gap_us=3600000000";
    }
    void aPaceBeyondReasonIsBounded() {
        QFETCH(QString, request);
        QFETCH(QString, pace);
        QCOMPARE(QString::fromStdString(FloorPace::fromRequest("x " + request.toStdString()).modelName()), pace);
    }

    void errorsAreTheDistanceFromTheTruth() {
        FloorStream steady = streamOf({{0, 40}, {1000, 1010}, {2000, 2100}});
        FloorStream merged = streamOf({{0, 2000}, {1000, 2000}, {5000, 5005}, {6000, 6005}});
        merged.tokens[1].merged = true;
        QCOMPARE(rounded(stampErrorsUs({steady, merged})), (std::vector{5, 5, 10, 40, 100, 1000, 2000}));
        // Of the second stream only the last gap begins and ends with reads of one token.
        QCOMPARE(rounded(gapErrorsUs({steady, merged})), (std::vector{0, 30, 90}));
        QVERIFY(gapErrorsUs({streamOf({{0, 5}})}).empty());
    }

    void everyTokenIsStampedAfterItWasSent_data() {
        QTest::addColumn<bool>("tls");
        QTest::addColumn<bool>("aligned");
        QTest::newRow("plain") << false << false;
        QTest::newRow("TLS") << true << false;
        QTest::newRow("plain, all at once") << false << true;
        QTest::newRow("TLS, all at once") << true << true;
    }
    void everyTokenIsStampedAfterItWasSent() {
        QFETCH(bool, tls);
        QFETCH(bool, aligned);
        FloorLoad load;
        load.streams = 5;
        load.aligned = aligned;
        load.pace.tokens = 12;
        load.pace.intervalUs = 10'000;
        FloorRun run(m_factory, tls ? m_tls : m_plain, load);
        QVERIFY(finish(run));
        QCOMPARE(run.failure(), std::string());
        QCOMPARE(run.streams().size(), 5U);
        const ClockSource clock = clockSourceOf(transportOfRow());
        for (const FloorStream& stream : run.streams()) {
            QCOMPARE(stream.tokens.size(), 12U);
            QVERIFY(stream.requestSent && stream.firstByte && *stream.firstByte >= *stream.requestSent);
            QVERIFY(stream.stamps && stream.stamps->source == clock);
            for (std::size_t i = 0; i < stream.tokens.size(); ++i) {
                const FloorToken& token = stream.tokens[i];
                QVERIFY(token.stamped + 1us >= token.sent); // the kernel's stamps are placed to within less
                QVERIFY(i == 0 || token.sent > stream.tokens[i - 1].sent);
                QVERIFY(!token.unflagged);
            }
        }
    }

    void tokensOfOneReadAreKnownAsMerged() {
        // Sent back to back, so that most of them come together; whichever did is flagged.
        FloorLoad load;
        load.pace.tokens = 60;
        load.pace.burst = 20;
        load.pace.burstGapUs = 0;
        FloorRun run(m_factory, m_plain, load);
        QVERIFY(finish(run));
        QCOMPARE(run.failure(), std::string());
        const auto& tokens = run.streams().front().tokens;
        QCOMPARE(tokens.size(), 60U);
        for (std::size_t i = 1; i < tokens.size(); ++i)
            QVERIFY(!tokens[i].merged || tokens[i].stamped == tokens[i - 1].stamped);
    }

    void aStrangersCertificateIsRefused() {
        FloorLoad load;
        load.pace.tokens = 2;
        const SourceFactory unpinned = [&](const RunSpec& request, SourceOutput output) {
            RunSpec bare = request;
            bare.endpoint.pinnedCertificate.clear();
            return m_factory(bare, std::move(output));
        };
        FloorRun run(unpinned, m_tls, load);
        QVERIFY(finish(run));
        QVERIFY2(run.failure().find("is not trusted") != std::string::npos, run.failure().c_str());
    }

    void aServerThatIsGoneIsAFailure() {
        QVERIFY(!m_spare.empty());
        FloorLoad load;
        load.streams = 2;
        load.pace.tokens = 1000;
        FloorRun run(m_factory, m_spare.back(), load);
        for (int i = 0; i < 5000 && run.streams().front().tokens.empty() && !run.over(); ++i) {
            run.pump();
            std::this_thread::sleep_for(1ms);
        }
        QVERIFY(!run.streams().front().tokens.empty());
        m_spare.pop_back(); // its process ends, and with it both streams
        QVERIFY(finish(run));
        QVERIFY(!run.failure().empty());
    }

private:
    const FloorServer& m_plain;
    const FloorServer& m_tls;
    std::vector<FloorServer>& m_spare;
    NetworkThread m_network;
    std::map<TransportKind, std::optional<SourceFactory>> m_factories;
    SourceFactory m_factory; // of the row
};

int main(int argc, char** argv) {
    // Before anything has threads, as these are processes of their own.
    const auto plain = FloorServer::start(2);
    const auto tls = FloorServer::start(2, FloorServer::Wire::tls);
    std::vector<FloorServer> spare;
    for (int i = 0; i < 2; ++i) { // one for each transport
        if (auto server = FloorServer::start())
            spare.push_back(*std::move(server));
    }
    if (!plain || !tls)
        qFatal("the loopback servers cannot be started");
    QCoreApplication application(argc, argv);
    TestFloor test(*plain, *tls, spare);
    return QTest::qExec(&test, argc, argv);
}
#include "tst_floor.moc"
