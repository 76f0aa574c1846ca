// What every transport promises, whatever it stamps with. Each row of `transports` is one implementation.
#include "core/net/qt_race.h"
#include "tests/core/net/silent_port.h"
#include "tests/core/net/transport_probe.h"
#include "tests/core/net/transport_rows.h"
#include "tests/support/fault_server.h"

#include <QCryptographicHash>
#include <QNetworkProxy>
#include <QSslCertificate>
#include <QtTest>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace decodescope;
using namespace std::chrono_literals;

using fault::FaultServer;
using fault::Script;

class TestTransport : public QObject {
    Q_OBJECT

    TransportFactory factory() { return transportFactory(m_network, transportOfRow()); }
    static TransportTarget plain(const FaultServer& server, const std::string& host = "127.0.0.1") {
        TransportTarget target;
        target.host = host;
        target.port = server.port();
        target.loopback = true;
        return target;
    }
    static TransportTarget secure(const FaultServer& server) {
        TransportTarget target = plain(server);
        target.tls = true;
        target.systemAuthorities = false;
        target.authoritiesPem = std::make_shared<const std::string>(server.certificatePem());
        return target;
    }
    static fault::Options tls(fault::TlsOptions::Flaw flaw = fault::TlsOptions::Flaw::none) {
        fault::Options options;
        options.tls = fault::TlsOptions{flaw};
        return options;
    }

    NetworkThread m_network;

private slots:
    void initTestCase_data() { addTransportRows(); }

    void qtsSocketsRaceAsWell() {
        if (transportOfRow() != TransportKind::qt)
            QSKIP("The kernel's sockets race in tests of their own.");
        const SilentPort silent;
        if (!silent.good())
            QSKIP("This machine has no ::1.");
        const FaultServer server(Script{fault::stall()});
        const auto make = [] {
            auto socket = std::make_unique<QTcpSocket>();
            socket->setProxy(QNetworkProxy::NoProxy);
            return socket;
        };
        std::optional<QtRaceResult> result;
        const auto done = [&](QtRaceResult raced) { result.emplace(std::move(raced)); };
        const QtRace race(make, {*numericAddress("::1", silent.port()), *numericAddress("127.0.0.1", server.port())},
                          done);
        QTRY_VERIFY(result.has_value());
        QVERIFY(result->socket);
        QCOMPARE(result->socket->peerPort(), server.port());
        result.reset();
        const QtRace lost(make, {*numericAddress("127.0.0.1", 1), *numericAddress("::1", 1)}, done);
        QTRY_VERIFY(result.has_value());
        QVERIFY(!result->socket);
        QVERIFY(result->error == QAbstractSocket::ConnectionRefusedError && !result->trouble.isEmpty());
    }

    void carriesBytesBothWays_data() {
        QTest::addColumn<bool>("encrypted");
        QTest::addColumn<bool>("ipv6");
        QTest::newRow("plain, IPv4") << false << false;
        QTest::newRow("plain, IPv6") << false << true;
        QTest::newRow("TLS, IPv4") << true << false;
        QTest::newRow("TLS, IPv6") << true << true;
    }
    void carriesBytesBothWays() {
        QFETCH(bool, encrypted);
        QFETCH(bool, ipv6);
        fault::Options options = encrypted ? tls() : fault::Options{};
        options.ipv6 = ipv6;
        FaultServer server(Script{fault::readRequest(), fault::send("one"), fault::pause(50ms), fault::send("two")},
                           options);
        TransportProbe probe(m_network, factory());
        TransportTarget target = encrypted ? secure(server) : plain(server);
        target.host = ipv6 ? "::1" : "127.0.0.1";
        probe.open(target);
        QVERIFY(probe.waitConnected());
        const std::string body(300'000, 'b'); // more than the socket takes at once
        probe.send("POST /x HTTP/1.1\r\nContent-Length: 300000\r\n\r\n" + body);
        QVERIFY(probe.waitOver());
        const auto heard = probe.heard();
        QCOMPARE(heard.bytes(), std::string("onetwo"));
        QVERIFY(heard.closed.has_value());
        QVERIFY2(!heard.failed, heard.message.c_str());
        QCOMPARE(heard.sent.size(), 1U);
        QVERIFY(*heard.connected <= heard.sent.front());
        QVERIFY(heard.sent.front() <= heard.reads.front().first);
        QVERIFY(heard.reads.back().first <= *heard.closed);
        QCOMPARE(server.requests().size(), 1U);
        QCOMPARE(server.requests().front().body, body);
    }

    void stampsLieAfterTheSendAndBeforeTheNext() {
        std::vector<std::string> sends(20, "x");
        FaultServer server(Script{fault::readRequest()} + fault::paced(sends, 10ms, 10ms));
        TransportProbe probe(m_network, factory());
        probe.open(plain(server));
        QVERIFY(probe.waitConnected());
        probe.send("GET / HTTP/1.1\r\n\r\n");
        QVERIFY(probe.waitOver());
        const auto heard = probe.heard();
        QCOMPARE(heard.bytes().size(), sends.size());
        const auto stamps = server.sendStamps();
        // Reads may merge on a busy machine; the last byte of each read was sent before the read's stamp.
        std::size_t byte = 0;
        for (const auto& [at, bytes] : heard.reads) {
            byte += bytes.size();
            QVERIFY(at >= stamps[byte - 1].at);
        }
    }

    void tellsAResetFromAnOrderlyEnd_data() {
        QTest::addColumn<bool>("encrypted");
        QTest::addColumn<bool>("reset");
        QTest::newRow("plain, end") << false << false;
        QTest::newRow("plain, reset") << false << true;
        QTest::newRow("TLS, end") << true << false;
        QTest::newRow("TLS, reset") << true << true;
    }
    void tellsAResetFromAnOrderlyEnd() {
        QFETCH(bool, encrypted);
        QFETCH(bool, reset);
        FaultServer server(Script{fault::readRequest(), fault::send("before"), fault::pause(100ms),
                                  reset ? fault::reset() : fault::close()},
                           encrypted ? tls() : fault::Options{});
        TransportProbe probe(m_network, factory());
        probe.open(encrypted ? secure(server) : plain(server));
        QVERIFY(probe.waitConnected());
        probe.send("GET / HTTP/1.1\r\n\r\n");
        QVERIFY(probe.waitOver());
        const auto heard = probe.heard();
        QCOMPARE(heard.bytes(), std::string("before"));
        QCOMPARE(heard.failed.has_value(), reset);
        if (reset) {
            QCOMPARE(nameOf(*heard.failed), nameOf(ErrorKind::connectionClosed));
            QVERIFY2(heard.message.find("reset") != std::string::npos, heard.message.c_str());
        }
    }

    void namesADeadPort() {
        TransportTarget target;
        target.host = "127.0.0.1";
        target.port = fault::closedPort();
        target.loopback = true;
        TransportProbe probe(m_network, factory());
        probe.open(target);
        QVERIFY(probe.waitOver());
        QCOMPARE(nameOf(*probe.heard().failed), nameOf(ErrorKind::unreachable));
        QCOMPARE(probe.heard().message, "Nothing is listening at 127.0.0.1:" + std::to_string(target.port) +
                                            " (connection refused). Check the port, or start the server.");
    }

    void namesAnUnknownHost() {
        TransportTarget target;
        target.host = "no-such-host.invalid";
        target.port = 80;
        TransportProbe probe(m_network, factory());
        probe.open(target);
        QVERIFY(probe.waitOver());
        QCOMPARE(nameOf(*probe.heard().failed), nameOf(ErrorKind::unreachable));
        QVERIFY2(probe.heard().message.find("no-such-host.invalid") != std::string::npos,
                 probe.heard().message.c_str());
    }

    void f03_refusesBadCertificates_data() {
        QTest::addColumn<int>("flaw");
        QTest::addColumn<bool>("trusted");
        QTest::newRow("self-signed") << int(fault::TlsOptions::Flaw::none) << false;
        QTest::newRow("wrong host") << int(fault::TlsOptions::Flaw::wrongHost) << true;
        QTest::newRow("expired") << int(fault::TlsOptions::Flaw::expired) << true;
    }
    void f03_refusesBadCertificates() {
        QFETCH(int, flaw);
        QFETCH(bool, trusted);
        FaultServer server(Script{fault::readRequest(), fault::send("secret")},
                           tls(static_cast<fault::TlsOptions::Flaw>(flaw)));
        TransportTarget target = secure(server);
        if (!trusted) {
            target.authoritiesPem = nullptr;
            target.systemAuthorities = true;
        }
        TransportProbe probe(m_network, factory());
        probe.open(target);
        QVERIFY(probe.waitOver());
        const auto heard = probe.heard();
        QVERIFY(!heard.connected);
        QCOMPARE(nameOf(*heard.failed), nameOf(ErrorKind::tls));
        const QSslCertificate certificate(QByteArray::fromStdString(server.certificatePem()), QSsl::Pem);
        const QByteArray fingerprint = certificate.digest(QCryptographicHash::Sha256).toHex(':').toUpper();
        QVERIFY2(heard.message.find(fingerprint.toStdString()) != std::string::npos, heard.message.c_str());
        QVERIFY(server.requests().empty());
    }

    void acceptsABadCertificateWhereAllowed() {
        FaultServer server(Script{fault::readRequest(), fault::send("hello")}, tls(fault::TlsOptions::Flaw::expired));
        TransportTarget target = plain(server);
        target.tls = true;
        target.allowInvalidTls = true;
        TransportProbe probe(m_network, factory());
        probe.open(target);
        QVERIFY(probe.waitConnected());
        probe.send("GET / HTTP/1.1\r\n\r\n");
        QVERIFY(probe.waitOver());
        QCOMPARE(probe.heard().bytes(), std::string("hello"));
    }

    void namesAServerThatSpeaksNoTls() {
        FaultServer server(Script{fault::send("HTTP/1.1 400 Bad Request\r\n\r\n")});
        TransportTarget target = plain(server);
        target.tls = true;
        TransportProbe probe(m_network, factory());
        probe.open(target);
        QVERIFY(probe.waitOver());
        QCOMPARE(nameOf(*probe.heard().failed), nameOf(ErrorKind::tls));
        QVERIFY2(probe.heard().message.find("https") != std::string::npos, probe.heard().message.c_str());
    }

    void isSilentOnceClosed() {
        FaultServer server(Script{fault::send("a"), fault::pause(100ms), fault::send("b"), fault::close()});
        TransportProbe probe(m_network, factory());
        probe.open(plain(server));
        QVERIFY(probe.waitBytes(1));
        probe.close();
        QVERIFY(FaultServer::waitFor([&] { return server.finishedConnections() == 1; }));
        QTest::qWait(50);
        QCOMPARE(probe.heard().bytes(), std::string("a"));
        QVERIFY(!probe.heard().over());
    }

    void mayBeDestroyedFromItsOwnCallbacks_data() {
        QTest::addColumn<int>("where");
        QTest::addColumn<bool>("encrypted");
        for (const bool encrypted : {false, true}) {
            const QByteArray kind = encrypted ? "TLS, " : "plain, ";
            QTest::newRow(kind + "in a read") << int(TransportProbe::DestroyIn::read) << encrypted;
            QTest::newRow(kind + "at the end") << int(TransportProbe::DestroyIn::end) << encrypted;
        }
    }
    void mayBeDestroyedFromItsOwnCallbacks() {
        QFETCH(int, where);
        QFETCH(bool, encrypted);
        FaultServer server(Script{fault::readRequest(), fault::send("a"), fault::close()},
                           encrypted ? tls() : fault::Options{});
        TransportProbe probe(m_network, factory());
        probe.destroyIn(static_cast<TransportProbe::DestroyIn>(where));
        probe.open(encrypted ? secure(server) : plain(server));
        QVERIFY(probe.waitConnected());
        probe.send("GET / HTTP/1.1\r\n\r\n");
        QVERIFY(probe.waitBytes(1));
        QVERIFY(FaultServer::waitFor([&] { return server.finishedConnections() == 1; }));
    }

    void goesThroughAProxyToOtherHosts() {
        // A request that is not encrypted goes to the proxy itself.
        FaultServer proxy(Script{fault::readRequest(), fault::send("through")});
        qputenv("http_proxy", QByteArray::fromStdString(proxy.url()));
        const auto restore = qScopeGuard([] { qunsetenv("http_proxy"); });
        TransportTarget target;
        target.host = "somewhere.invalid";
        target.port = 8080;
        TransportProbe probe(m_network, factory());
        probe.open(target);
        QVERIFY2(probe.waitConnected(), probe.heard().message.c_str());
        probe.send("GET /y HTTP/1.1\r\n\r\n");
        QVERIFY(probe.waitOver());
        QCOMPARE(probe.heard().bytes(), std::string("through"));
        const auto requests = proxy.requests();
        QCOMPARE(requests.size(), 1U);
        QCOMPARE(requests[0].target, std::string("/y"));
    }

    void neverUsesAProxyForLoopback() {
        FaultServer proxy(Script{fault::readRequest(), fault::stall()});
        FaultServer server(Script{fault::readRequest(), fault::send("direct")});
        qputenv("http_proxy", QByteArray::fromStdString(proxy.url()));
        const auto restore = qScopeGuard([] { qunsetenv("http_proxy"); });
        TransportProbe probe(m_network, factory());
        probe.open(plain(server));
        QVERIFY(probe.waitConnected());
        probe.send("GET / HTTP/1.1\r\n\r\n");
        QVERIFY(probe.waitOver());
        QCOMPARE(probe.heard().bytes(), std::string("direct"));
        QCOMPARE(proxy.connections(), 0);
    }
};

QTEST_GUILESS_MAIN(TestTransport)
#include "tst_transport.moc"
