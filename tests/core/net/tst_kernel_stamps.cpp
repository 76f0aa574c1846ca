// What the transport of Linux promises beyond what every transport does (tst_transport): stamps of the kernel's, and a
// race of addresses.
#include "core/net/kernel_stamp_transport.h"
#include "tests/core/net/silent_port.h"
#include "tests/core/net/stepped_clocks.h"
#include "tests/core/net/transport_probe.h"
#include "tests/support/fault_server.h"

#include <QtTest>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

using namespace decodescope;
using namespace std::chrono_literals;

using fault::FaultServer;
using fault::Script;

namespace {

constexpr const char* kRequest = "GET / HTTP/1.1\r\n\r\n";

Script pacedAnswer(int sends, std::chrono::nanoseconds gap) {
    return Script{fault::readRequest()} + fault::paced(std::vector<std::string>(std::size_t(sends), "x"), gap, gap);
}

TransportTarget at(const std::string& host, std::uint16_t port) {
    TransportTarget target;
    target.host = host;
    target.port = port;
    target.loopback = true;
    return target;
}

/// A resolver that knows the addresses of "two.homes" in this order, each "host" and port.
Resolver homes(const std::vector<std::pair<std::string, std::uint16_t>>& known) {
    return [known](const std::string& host, std::uint16_t) {
        LookupResult result;
        if (host != "two.homes") {
            result.trouble = "no such name";
            return result;
        }
        for (const auto& [address, port] : known)
            result.addresses.push_back(*numericAddress(address, port));
        return result;
    };
}

} // namespace

class KernelStampsTest : public QObject {
    Q_OBJECT

    NetworkThread m_network;

    [[nodiscard]] TransportFactory racing(const std::vector<std::pair<std::string, std::uint16_t>>& known,
                                          Duration headStart) {
        return kernelStampTransportFactory(m_network, {systemClocks(), homes(known), headStart});
    }

private slots:
    void everyReadHasAStampOfTheKernels() {
        FaultServer server(pacedAnswer(20, 5ms));
        TransportProbe probe(m_network, kernelStampTransportFactory(m_network));
        probe.open(at("127.0.0.1", server.port()));
        QVERIFY(probe.waitConnected());
        probe.send(kRequest);
        QVERIFY(probe.waitOver());
        const auto heard = probe.heard();
        QCOMPARE(heard.bytes().size(), std::size_t(20));
        const StampReport report = probe.stampReport();
        QVERIFY(report.source == ClockSource::kernel);
        QCOMPARE(std::size_t(report.kernelStamps), heard.reads.size());
        QCOMPARE(report.rejected, 0U);
        QVERIFY(report.errorBound.has_value() && *report.errorBound < 1ms);
        const auto sent = server.sendStamps();
        std::size_t byte = 0;
        for (const auto& [stamp, bytes] : heard.reads) {
            byte += bytes.size();
            QVERIFY(stamp + *report.errorBound >= sent[byte - 1].at);
        }
        QCOMPARE(probe.facts().peer, "127.0.0.1:" + std::to_string(server.port()));
        QVERIFY(!probe.facts().warm);
    }

    /// The point of it all: whatever we do when bytes come, their stamp is that of their coming.
    void aBusyNetworkThreadMovesNoStamp() {
        FaultServer server(Script{fault::readRequest(), fault::pause(20ms), fault::send("x"), fault::close()});
        TransportProbe probe(m_network, kernelStampTransportFactory(m_network));
        probe.open(at("127.0.0.1", server.port()));
        QVERIFY(probe.waitConnected());
        probe.send(kRequest);
        std::atomic<Instant> freed{Instant{}};
        m_network.post([&] {
            const bool sentAll = FaultServer::waitFor([&] { return server.finishedConnections() == 1; });
            QTest::qSleep(50);
            freed = sentAll ? std::chrono::steady_clock::now() : Instant{};
        });
        QVERIFY(probe.waitOver());
        const auto heard = probe.heard();
        QCOMPARE(heard.bytes(), std::string("x"));
        QVERIFY(heard.reads.front().first >= server.sendStamps().front().at);
        QVERIFY(heard.reads.front().first < freed.load() - 50ms); // it came before we were free for it
        QVERIFY(probe.stampReport().largestLag >= 50ms);          // and how late we were is told
    }

    void f42_steppingTheWallClockMidRunMovesNoStamp_data() {
        QTest::addColumn<int>("hours");
        QTest::newRow("on") << 2;
        QTest::newRow("back") << -2;
    }
    void f42_steppingTheWallClockMidRunMovesNoStamp() {
        QFETCH(int, hours);
        const auto clocks = std::make_shared<SteppedClocks>();
        FaultServer server(pacedAnswer(30, 5ms));
        TransportProbe probe(m_network,
                             kernelStampTransportFactory(m_network, {clocks, systemLookup, Duration(250ms)}));
        probe.open(at("127.0.0.1", server.port()));
        QVERIFY(probe.waitConnected());
        probe.send(kRequest);
        QVERIFY(probe.waitBytes(10));
        clocks->step(std::chrono::hours(hours));
        QVERIFY(probe.waitOver());
        const Instant over = std::chrono::steady_clock::now();
        const auto heard = probe.heard();
        QCOMPARE(heard.bytes().size(), std::size_t(30));
        const auto sent = server.sendStamps();
        std::size_t byte = 0;
        Instant last = *heard.connected;
        for (const auto& [stamp, bytes] : heard.reads) {
            byte += bytes.size();
            QVERIFY(stamp + 1us >= sent[byte - 1].at);
            QVERIFY(stamp >= last && stamp <= over);
            last = stamp;
        }
        const StampReport report = probe.stampReport();
        QVERIFY(report.source == ClockSource::user); // not all were the kernel's
        QVERIFY(report.rejected >= 1);
        QVERIFY(report.kernelStamps >= 1);
    }

    void f13_anAddressThatDoesNotAnswerGivesWayToTheNext() {
        const SilentPort silent;
        QVERIFY(silent.good());
        FaultServer server(pacedAnswer(1, 1ms));
        TransportProbe probe(m_network, racing({{"::1", silent.port()}, {"127.0.0.1", server.port()}}, 20ms));
        probe.open(at("two.homes", 80));
        QVERIFY2(probe.waitConnected(), probe.heard().message.c_str());
        QCOMPARE(probe.facts().peer, "127.0.0.1:" + std::to_string(server.port()));
        probe.send(kRequest);
        QVERIFY(probe.waitOver());
        QCOMPARE(probe.heard().bytes(), std::string("x"));
    }

    void f13_anAddressThatRefusesGivesWayAtOnce() {
        FaultServer server(pacedAnswer(1, 1ms));
        // With this head start only a refusal can let the next one begin.
        TransportProbe probe(m_network, racing({{"127.0.0.1", fault::closedPort()},
                                                {"127.0.0.1", fault::closedPort()},
                                                {"127.0.0.1", server.port()}},
                                               std::chrono::hours(1)));
        probe.open(at("two.homes", 80));
        QVERIFY2(probe.waitConnected(), probe.heard().message.c_str());
        QCOMPARE(probe.facts().peer, "127.0.0.1:" + std::to_string(server.port()));
    }

    void f13_anAddressThatAnswersIsNotRacedBeyondItsHeadStart() {
        FaultServer first(pacedAnswer(1, 1ms));
        FaultServer second(pacedAnswer(1, 1ms));
        TransportProbe probe(
            m_network, racing({{"127.0.0.1", first.port()}, {"127.0.0.1", second.port()}}, std::chrono::hours(1)));
        probe.open(at("two.homes", 80));
        QVERIFY(probe.waitConnected());
        QCOMPARE(probe.facts().peer, "127.0.0.1:" + std::to_string(first.port()));
        probe.send(kRequest);
        QVERIFY(probe.waitOver());
        QCOMPARE(second.connections(), 0);
    }

    void f13_familiesTakeTurns() {
        std::vector<SocketAddress> found;
        for (const char* host : {"2001:db8::1", "2001:db8::2", "2001:db8::3", "192.0.2.1"})
            found.push_back(*numericAddress(host, 443));
        QStringList order;
        for (const SocketAddress& address : interleaved(found))
            order << QString::fromStdString(address.text());
        QCOMPARE(order, QStringList({"[2001:db8::1]:443", "192.0.2.1:443", "[2001:db8::2]:443", "[2001:db8::3]:443"}));
    }

    void whenAllAddressesFailTheMostTellingReasonIsTold() {
        TransportProbe probe(m_network,
                             racing({{"127.0.0.1", fault::closedPort()}, {"::1", fault::closedPort()}}, 1ms));
        probe.open(at("two.homes", 8080));
        QVERIFY(probe.waitOver());
        QCOMPARE(nameOf(*probe.heard().failed), nameOf(ErrorKind::unreachable));
        QCOMPARE(probe.heard().message,
                 std::string("Nothing is listening at two.homes:8080 (connection refused). Check "
                             "the port, or start the server."));
    }

    void f1_aNameThatNobodyKnows() {
        TransportProbe probe(m_network, racing({}, 1ms));
        probe.open(at("no.homes", 80));
        QVERIFY(probe.waitOver());
        QCOMPARE(nameOf(*probe.heard().failed), nameOf(ErrorKind::unreachable));
        QCOMPARE(probe.heard().message,
                 std::string("The host \"no.homes\" could not be found (no such name). Check its "
                             "spelling and the network."));
    }

    void f1_aSlowLookUpHoldsUpNoOtherLaneAndMayBeGivenUp() {
        std::promise<void> answer;
        const std::shared_future<void> gate = answer.get_future().share();
        FaultServer server(pacedAnswer(1, 1ms));
        const Resolver slow = [gate, quick = homes({{"127.0.0.1", server.port()}})](const std::string& host,
                                                                                    std::uint16_t port) {
            if (host == "slow.homes")
                gate.wait();
            return quick("two.homes", port);
        };
        const TransportFactory factory = kernelStampTransportFactory(m_network, {systemClocks(), slow, Duration(1ms)});
        TransportProbe waiting(m_network, factory);
        TransportProbe givenUp(m_network, factory);
        TransportProbe other(m_network, factory);
        waiting.open(at("slow.homes", 80));
        givenUp.open(at("slow.homes", 80));
        other.open(at("two.homes", 80));
        QVERIFY(other.waitConnected());
        QVERIFY(!waiting.heard().connected);
        givenUp.destroy();
        answer.set_value();
        QVERIFY(waiting.waitConnected());
        QVERIFY(!givenUp.heard().connected && !givenUp.heard().over());
    }

    void localhostIsFoundByTheSystem() {
        FaultServer server(pacedAnswer(1, 1ms));
        TransportProbe probe(m_network, kernelStampTransportFactory(m_network));
        probe.open(at("localhost", server.port()));
        QVERIFY2(probe.waitConnected(), probe.heard().message.c_str());
        QCOMPARE(probe.facts().peer, "127.0.0.1:" + std::to_string(server.port()));
    }

    void mayBeDestroyedWhileItConnects() {
        const SilentPort silent;
        TransportProbe probe(m_network, kernelStampTransportFactory(m_network));
        probe.open(at("::1", silent.port()));
        QTest::qWait(5);
        probe.destroy();
        QVERIFY(!probe.heard().connected && !probe.heard().over());
    }

    void aFloodIsReadInTurnsWithOtherSockets() {
        // Far more than one read takes, and more than one turn of a socket: all of it comes, each read by itself.
        const std::string much(24 << 20, 'y');
        FaultServer server(Script{fault::readRequest(), fault::send(much)});
        TransportProbe probe(m_network, kernelStampTransportFactory(m_network));
        probe.open(at("127.0.0.1", server.port()));
        QVERIFY(probe.waitConnected());
        probe.send(kRequest);
        QVERIFY(probe.waitOver());
        const auto heard = probe.heard();
        QVERIFY(heard.bytes() == much);
        for (const auto& [stamp, bytes] : heard.reads)
            QVERIFY(bytes.size() <= 64 * 1024);
        QVERIFY(std::is_sorted(heard.reads.begin(), heard.reads.end(),
                               [](const auto& a, const auto& b) { return a.first < b.first; }));
        QCOMPARE(std::size_t(probe.stampReport().kernelStamps), heard.reads.size());
    }
};

QTEST_GUILESS_MAIN(KernelStampsTest)
#include "tst_kernel_stamps.moc"
