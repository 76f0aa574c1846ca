// Time limits, stopping and destroying runs in every state, and many lanes at once.
#include "tests/core/net/source_probe.h"
#include "tests/core/net/transport_rows.h"
#include "tests/support/openai_script.h"

#include <QtTest>

#include <chrono>
#include <memory>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

using namespace decodescope;
using namespace std::chrono_literals;

using fault::FaultServer;
using fault::Script;

namespace {

/// A port that takes no connection: its backlog is full and nobody accepts, so that connecting hangs.
class DeafPort {
public:
    DeafPort() {
        m_listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        ::bind(m_listener, reinterpret_cast<sockaddr*>(&address), size);
        ::listen(m_listener, 0);
        ::getsockname(m_listener, reinterpret_cast<sockaddr*>(&address), &size);
        m_port = ntohs(address.sin_port);
        for (int i = 0; i < 4; ++i) {
            const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
            ::connect(fd, reinterpret_cast<sockaddr*>(&address), size);
            m_fillers.push_back(fd);
        }
    }
    ~DeafPort() {
        for (const int fd : m_fillers)
            ::close(fd);
        ::close(m_listener);
    }
    DeafPort(const DeafPort&) = delete;
    DeafPort& operator=(const DeafPort&) = delete;
    [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(m_port); }

private:
    int m_listener = -1;
    std::uint16_t m_port = 0;
    std::vector<int> m_fillers;
};

Script answering(const Script& script) {
    return Script{fault::readRequest()} + script;
}

/// Some tokens, then silence for ever.
Script stalling() {
    return answering({fault::send(fault::sseHead() + fault::chunk(fault::textEvent("some"))), fault::stall()});
}

} // namespace

class TestRemoteLimits : public QObject {
    Q_OBJECT

    NetworkThread m_network;
    SourceFactory m_factory; // over the transport of the row

    enum State { fresh, connecting, waiting, sent, streaming, ended };
    static void states() {
        QTest::addColumn<int>("state");
        QTest::newRow("not prepared") << int(fresh);
        QTest::newRow("connecting") << int(connecting);
        QTest::newRow("ready, not released") << int(waiting);
        QTest::newRow("sent, no answer") << int(sent);
        QTest::newRow("streaming") << int(streaming);
        QTest::newRow("ended") << int(ended);
    }
    /// Brings a run against `server` (or the deaf port) into a state.
    static bool bringTo(SourceProbe& probe, int state) {
        if (state == fresh)
            return true;
        probe.prepare();
        if (state == connecting)
            return true;
        if (!probe.waitReady())
            return false;
        if (state == waiting)
            return true;
        probe.release();
        if (state == sent)
            return FaultServer::waitFor([&] { return probe.at(Milestone::Kind::sent).has_value(); });
        if (state == streaming)
            return probe.waitText(4);
        return probe.waitEnd();
    }
    static std::string urlFor(int state, const FaultServer& server, const DeafPort& deaf) {
        return state == connecting ? deaf.url() : server.url();
    }
    static Script scriptFor(int state) {
        if (state == sent)
            return answering({fault::stall()});
        return state == ended ? fault::pacedRun({.tokens = 2}) : stalling();
    }

private slots:
    void initTestCase_data() { addTransportRows(); }
    void init() { m_factory = makeRemoteSourceFactory(m_network, transportOfRow()); }

    void f01_connectingTakesNoLongerThanAllowed() {
        DeafPort deaf;
        RunSpec spec = SourceProbe::specFor(deaf.url());
        spec.timeouts.connect = 150ms;
        SourceProbe probe(m_factory, spec);
        probe.prepare();
        QVERIFY(probe.waitEnd());
        QCOMPARE(probe.outcome(), std::string("error/timeout_connect"));
        QVERIFY2(probe.message().find("0.15 s") != std::string::npos, probe.message().c_str());
        QVERIFY(probe.waitReady());
    }

    void theTlsHandshakeCountsAsConnecting() {
        FaultServer mute(Script{fault::stall()});
        RunSpec spec = SourceProbe::specFor("https" + mute.url().substr(4));
        spec.timeouts.connect = 200ms;
        SourceProbe probe(m_factory, spec);
        probe.prepare();
        QVERIFY(probe.waitEnd());
        QCOMPARE(probe.outcome(), std::string("error/timeout_connect"));
    }

    void f04_aFirstTokenMustCome_data() {
        QTest::addColumn<QString>("answer");
        QTest::newRow("silence") << "";
        QTest::newRow("a head alone") << QString::fromStdString(fault::sseHead());
        QTest::newRow("a role and keep-alives")
            << QString::fromStdString(fault::sseHead() + fault::chunk(fault::roleEvent() + ": keep-alive\n\n"));
    }
    void f04_aFirstTokenMustCome() {
        QFETCH(QString, answer);
        FaultServer server(answering({fault::send(answer.toStdString()), fault::stall()}));
        RunSpec spec = SourceProbe::specFor(server.url());
        spec.timeouts.firstToken = 200ms;
        SourceProbe probe(m_factory, spec);
        QVERIFY(probe.run());
        QCOMPARE(probe.outcome(), std::string("error/timeout_first_token"));
        const Duration took = probe.endedAt() - *probe.at(Milestone::Kind::started);
        QVERIFY(took >= 200ms && took < 5s);
    }

    void theFirstTokenEndsItsOwnLimit() {
        fault::PaceOptions pace;
        pace.tokens = 4;
        pace.first = 10ms;
        pace.interval = 200ms;
        FaultServer server(fault::pacedRun(pace));
        RunSpec spec = SourceProbe::specFor(server.url());
        spec.timeouts.firstToken = 400ms; // the run takes longer than that
        SourceProbe probe(m_factory, spec);
        QVERIFY(probe.run());
        QCOMPARE(probe.outcome(), std::string("complete/none"));
    }

    void f04_silenceAfterTheFirstByteEndsTheRun() {
        FaultServer server(stalling());
        RunSpec spec = SourceProbe::specFor(server.url());
        spec.timeouts.idle = 200ms;
        SourceProbe probe(m_factory, spec);
        QVERIFY(probe.run());
        QCOMPARE(probe.outcome(), std::string("error/timeout_idle"));
        QCOMPARE(probe.text(), std::string("some")); // what had arrived is kept
        QVERIFY(probe.endedAt() - probe.sink().chunks().back().at >= 200ms);
        QVERIFY(FaultServer::waitFor([&] { return server.peerCloses() == 1; }));
    }

    void f05_aStallShorterThanTheLimitIsNoError() {
        fault::PaceOptions pace;
        pace.tokens = 6;
        pace.interval = 150ms;
        FaultServer server(fault::pacedRun(pace));
        RunSpec spec = SourceProbe::specFor(server.url());
        spec.timeouts.idle = 2s;
        SourceProbe probe(m_factory, spec);
        QVERIFY(probe.run());
        QCOMPARE(probe.outcome(), std::string("complete/none"));
    }

    void f40_theWholeRunMayBeLimited() {
        fault::PaceOptions pace;
        pace.tokens = 1000;
        FaultServer server(fault::pacedRun(pace));
        RunSpec spec = SourceProbe::specFor(server.url());
        spec.timeouts.total = 300ms;
        SourceProbe probe(m_factory, spec);
        QVERIFY(probe.run());
        QCOMPARE(probe.outcome(), std::string("error/timeout_total"));
        QVERIFY(probe.text().rfind("w0 w1 ", 0) == 0);
    }

    void f40_anAnswerIsCutOffAtItsCaps_data() {
        QTest::addColumn<bool>("byBytes");
        QTest::newRow("bytes") << true;
        QTest::newRow("events") << false;
    }
    void f40_anAnswerIsCutOffAtItsCaps() {
        QFETCH(bool, byBytes);
        FaultServer server(fault::pacedRun({.tokens = 1000, .first = 1ms, .interval = 1ms}));
        RunSpec spec = SourceProbe::specFor(server.url());
        if (byBytes)
            spec.caps.bytes = fault::textEvent("w0 ").size() * 5;
        else
            spec.caps.messages = 4;
        SourceProbe probe(m_factory, spec);
        QVERIFY(probe.run());
        QCOMPARE(probe.outcome(), std::string("error/too_large"));
        QVERIFY(probe.text().rfind("w0 w1 w2 ", 0) == 0);
        QVERIFY(probe.text().size() < 60);
        QVERIFY(FaultServer::waitFor([&] { return server.peerCloses() == 1; })); // and no more is paid for
    }

    void f45_stopsInEveryState_data() { states(); }
    void f45_stopsInEveryState() {
        QFETCH(int, state);
        DeafPort deaf;
        FaultServer server(scriptFor(state));
        SourceProbe probe(m_factory, SourceProbe::specFor(urlFor(state, server, deaf)));
        QVERIFY(bringTo(probe, state));
        probe.cancel();
        probe.cancel(); // twice is once
        QVERIFY(probe.waitEnd());
        QVERIFY(probe.waitReady());
        QCOMPARE(probe.outcome(), std::string(state == ended ? "complete/none" : "error/cancelled"));
        if (state == streaming)
            QCOMPARE(probe.text(), std::string("some"));
        QTest::qWait(30);
        QCOMPARE(probe.ends(), 1);
        if (state >= sent) // the connection is not left to run on unseen
            QVERIFY(FaultServer::waitFor([&] { return server.finishedConnections() == 1; }));
    }

    void aStoppedRunIsNotReleased() {
        FaultServer server(stalling());
        SourceProbe probe(m_factory, SourceProbe::specFor(server.url()));
        probe.prepare();
        QVERIFY(probe.waitReady());
        probe.cancel();
        probe.release();
        QVERIFY(probe.waitEnd());
        QTest::qWait(50);
        QCOMPARE(probe.ends(), 1);
        QVERIFY(server.requests().empty());
    }

    void f45_canBeDestroyedInEveryState_data() { states(); }
    void f45_canBeDestroyedInEveryState() {
        QFETCH(int, state);
        DeafPort deaf;
        FaultServer server(scriptFor(state));
        auto probe = std::make_unique<SourceProbe>(m_factory, SourceProbe::specFor(urlFor(state, server, deaf)));
        QVERIFY(bringTo(*probe, state));
        probe->destroy();
        const std::size_t events = probe->events().size();
        const std::size_t chunks = probe->sink().chunks().size();
        if (state >= waiting)
            QVERIFY(FaultServer::waitFor([&] { return server.finishedConnections() == 1; }));
        QTest::qWait(20);
        QCOMPARE(probe->events().size(), events); // nothing was posted after it was gone
        QCOMPARE(probe->sink().chunks().size(), chunks);
    }

    void destroysManyWhileTheyStream() {
        fault::PaceOptions pace;
        pace.tokens = 2000;
        pace.interval = 1ms;
        FaultServer server(fault::pacedRun(pace));
        for (int round = 0; round < 5; ++round) {
            std::vector<std::unique_ptr<SourceProbe>> probes;
            for (int i = 0; i < 8; ++i)
                probes.push_back(std::make_unique<SourceProbe>(m_factory, SourceProbe::specFor(server.url())));
            for (auto& probe : probes)
                probe->prepare();
            for (auto& probe : probes) {
                QVERIFY(probe->waitReady());
                probe->release();
            }
            for (std::size_t i = 0; i < probes.size(); i += 2)
                QVERIFY(probes[i]->waitText(10));
            probes.clear();
        }
        QVERIFY(FaultServer::waitFor([&] { return server.finishedConnections() == 40; }));
    }

    void theThreadMayEndRightAfterItsRuns() {
        FaultServer server(stalling());
        NetworkThread network;
        SourceProbe probe(makeRemoteSourceFactory(network, transportOfRow()), SourceProbe::specFor(server.url()));
        probe.prepare();
        QVERIFY(probe.waitReady());
        probe.release();
        probe.destroy();
    }

    void aPreparedConnectionThatWasClosedIsOpenedAgain() {
        // The first connection is closed while it waits for its release, the second one answers.
        FaultServer server(
            std::vector<Script>{Script{fault::pause(50ms), fault::close()}, fault::pacedRun({.tokens = 2})});
        SourceProbe probe(m_factory, SourceProbe::specFor(server.url()));
        probe.prepare();
        QVERIFY(probe.waitReady());
        QVERIFY(FaultServer::waitFor([&] { return server.connections() == 2; }));
        probe.release();
        QVERIFY(probe.waitEnd());
        QCOMPARE(probe.outcome(), std::string("complete/none"));
        QCOMPARE(probe.text(), std::string("w0 w1 "));
        QCOMPARE(server.requests().size(), std::size_t(1));
    }

    void aServerThatAnswersUnaskedIsNotAskedForEver() {
        FaultServer server(
            Script{fault::send("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"), fault::awaitClose()});
        SourceProbe probe(m_factory, SourceProbe::specFor(server.url()));
        probe.prepare();
        QVERIFY(probe.waitEnd());
        QCOMPARE(probe.outcome(), std::string("error/malformed"));
        QCOMPARE(server.connections(), 2);
    }

    void manyLanesToOneServerStartTogether() {
        constexpr int kLanes = 64;
        fault::PaceOptions pace;
        pace.tokens = 5;
        FaultServer server(fault::pacedRun(pace));
        std::vector<std::unique_ptr<SourceProbe>> probes;
        for (int i = 0; i < kLanes; ++i) {
            probes.push_back(std::make_unique<SourceProbe>(m_factory, SourceProbe::specFor(server.url())));
            probes.back()->prepare();
        }
        for (auto& probe : probes)
            QVERIFY(probe->waitReady());
        // All are open before any is asked.
        QVERIFY(FaultServer::waitFor([&] { return server.connections() == kLanes; }));
        QVERIFY(server.requests().empty());
        const Instant t0 = std::chrono::steady_clock::now();
        for (auto& probe : probes)
            probe->source().release(t0);
        for (auto& probe : probes) {
            QVERIFY(probe->waitEnd());
            QCOMPARE(probe->outcome(), std::string("complete/none"));
            QCOMPARE(probe->text(), std::string("w0 w1 w2 w3 w4 "));
            QVERIFY(probe->at(Milestone::Kind::started) == t0);
        }
    }
};

QTEST_GUILESS_MAIN(TestRemoteLimits)
#include "tst_remote_limits.moc"
