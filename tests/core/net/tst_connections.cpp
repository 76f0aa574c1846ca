// What a run's connection is: through which proxy, under which trust, used before or not. Over every transport.
#include "core/base/fingerprint.h"
#include "tests/core/net/source_probe.h"
#include "tests/core/net/transport_rows.h"
#include "tests/support/openai_script.h"

#include <QtTest>

#include <chrono>
#include <string>
#include <sys/resource.h>
#include <vector>

using namespace decodescope;
using namespace std::chrono_literals;

using fault::FaultServer;
using fault::Script;
using fault::TlsOptions;

namespace {

const std::string kKey = "sk-connections-0123456789abcdef";

/// Sets a variable for one test.
class Variable {
public:
    Variable(const char* name, const std::string& value)
        : m_name(name) {
        qputenv(name, QByteArray::fromStdString(value));
    }
    ~Variable() { qunsetenv(m_name); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* m_name;
};

Script answered(int times = 1) {
    fault::PaceOptions pace;
    pace.tokens = 3;
    pace.first = 1ms;
    pace.interval = 1ms;
    return fault::repeated(fault::pacedRun(pace), times);
}

fault::Options over(const TlsOptions& tls) {
    fault::Options options;
    options.tls = tls;
    return options;
}

} // namespace

class TestConnections : public QObject {
    Q_OBJECT

    NetworkThread m_network;
    SourceFactory m_factory; // over the transport of the row
    QTemporaryDir m_folder;

    [[nodiscard]] std::string fileOf(const std::string& text) const {
        const QString path = m_folder.filePath("authorities.pem");
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly))
            return {};
        file.write(QByteArray::fromStdString(text));
        return path.toStdString();
    }
    static bool isWarm(SourceProbe& probe) {
        const auto* connected = probe.milestone(Milestone::Kind::connected);
        return connected != nullptr && connected->second.warm;
    }
    static RunSpec reusing(const FaultServer& server) {
        RunSpec spec = SourceProbe::specFor(server.url());
        spec.endpoint.connection = ConnectionUse::reuse;
        return spec;
    }
    /// The tail of an answer is read after its run, so the next run waits until the server has sent it all.
    static void settle() { QTest::qWait(30); }

private slots:
    void initTestCase_data() { addTransportRows(); }
    void init() {
        for (const char* name : {"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
                                 "no_proxy", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"})
            qunsetenv(name);
        m_factory =
            makeRemoteSourceFactory(m_network, transportFactory(m_network, transportOfRow()), ClockSource::user);
    }

    // Proxies

    void plainRequestsAreForwardedWithTheirWholeAddress() {
        FaultServer proxy(answered());
        const Variable variable("http_proxy", "http://user:pass-word-1@127.0.0.1:" + std::to_string(proxy.port()));
        RunSpec spec = SourceProbe::specFor("http://somewhere.invalid:8080");
        spec.key = std::make_shared<const Secret>(kKey);
        spec.endpoint.allowPlainHttpWithKey = true;
        SourceProbe probe(m_factory, spec);
        QVERIFY(probe.run());
        QVERIFY2(probe.outcome() == "complete/none", probe.message().c_str());
        const auto requests = proxy.requests();
        QCOMPARE(requests.size(), 1U);
        QCOMPARE(requests[0].target, std::string("http://somewhere.invalid:8080/v1/chat/completions"));
        QCOMPARE(requests[0].headers.at("host"), std::string("somewhere.invalid:8080"));
        QCOMPARE(requests[0].headers.at("proxy-authorization"), std::string("Basic dXNlcjpwYXNzLXdvcmQtMQ=="));
        QCOMPARE(requests[0].headers.at("authorization"), "Bearer " + kKey);
        QCOMPARE(probe.milestone(Milestone::Kind::connected)->second.proxy,
                 "127.0.0.1:" + std::to_string(proxy.port()));
    }

    void encryptedRequestsGoThroughATunnel() {
        TlsOptions options;
        options.flaw = TlsOptions::Flaw::wrongHost; // made for some.other.host, which is who is asked for
        options.onDemand = true;
        FaultServer proxy(Script{fault::readRequest(), fault::send("HTTP/1.1 200 Connection established\r\n\r\n"),
                                 fault::startTls()} +
                              answered(),
                          over(options));
        const Variable variable("https_proxy", "http://127.0.0.1:" + std::to_string(proxy.port()));
        RunSpec spec = SourceProbe::specFor("https://some.other.host");
        spec.endpoint.extraCaFile = fileOf(proxy.certificatePem());
        spec.key = std::make_shared<const Secret>(kKey);
        SourceProbe probe(m_factory, spec);
        QVERIFY(probe.run());
        QVERIFY2(probe.outcome() == "complete/none", probe.message().c_str());
        const auto requests = proxy.requests();
        QCOMPARE(requests.size(), 2U);
        QCOMPARE(requests[0].method + " " + requests[0].target, std::string("CONNECT some.other.host:443"));
        QVERIFY(requests[0].head.find(kKey) == std::string::npos);
        QCOMPARE(requests[1].target, std::string("/v1/chat/completions"));
        const Milestone connected = probe.milestone(Milestone::Kind::connected)->second;
        QCOMPARE(connected.proxy, "127.0.0.1:" + std::to_string(proxy.port()));
        QCOMPARE(connected.tlsVersion, std::string("TLSv1.3"));
        QVERIFY(connected.tlsTook > 0ns && connected.tlsTook <= connected.openingTook);
    }

    void httpsNeverGoesThroughHttpProxyAlone() {
        FaultServer proxy(answered());
        const Variable variable("http_proxy", proxy.url());
        SourceProbe probe(m_factory, SourceProbe::specFor("https://somewhere.invalid"));
        probe.prepare();
        QVERIFY(probe.waitEnd());
        QCOMPARE(probe.outcome(), std::string("error/unreachable"));
        QCOMPARE(proxy.connections(), 0);
    }

    void socksProxiesCarryPlainRequests() {
        using namespace std::string_literals;
        FaultServer proxy(Script{fault::pause(1ms), fault::send("\x05\x00"s), fault::pause(20ms),
                                 fault::send("\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x50"s)} +
                          answered());
        const Variable variable("all_proxy", "socks5h://127.0.0.1:" + std::to_string(proxy.port()));
        SourceProbe probe(m_factory, SourceProbe::specFor("http://somewhere.invalid"));
        QVERIFY(probe.run());
        QVERIFY2(probe.outcome() == "complete/none", probe.message().c_str());
        const auto requests = proxy.requests();
        QCOMPARE(requests.size(), 1U);
        QVERIFY(requests[0].head.find("somewhere.invalid") != std::string::npos);
        QVERIFY(requests[0].target.find("/v1/chat") != std::string::npos && requests[0].target[0] != 'h');
    }

    void f12_proxyRefusalsAreSentences_data() {
        QTest::addColumn<QString>("url");
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<QString>("outcome");
        QTest::addColumn<QString>("says");
        const auto html = fault::httpResponse(200, "OK", {{"Content-Type", "text/html"}},
                                              "<html><head><title>Welcome to Hotel WiFi</title></head></html>");
        const auto login = fault::httpResponse(407, "Proxy Authentication Required",
                                               {{"Proxy-Authenticate", "Basic realm=\"x\""}}, "<html>no</html>");
        QTest::newRow("407 for a tunnel")
            << "https://h.invalid" << QByteArray::fromStdString(login) << "error/unreachable"
            << "login";
        QTest::newRow("407 for a forwarded request")
            << "http://h.invalid" << QByteArray::fromStdString(login) << "error/http_status"
            << "it asks for a login";
        QTest::newRow("403 for a tunnel")
            << "https://h.invalid"
            << QByteArray::fromStdString(fault::httpResponse(403, "Forbidden", {}, "<html>no</html>"))
            << "error/unreachable"
            << "";
        QTest::newRow("a captive portal's page")
            << "http://h.invalid" << QByteArray::fromStdString(html) << "error/bad_content_type"
            << "Welcome to Hotel WiFi";
    }
    void f12_proxyRefusalsAreSentences() {
        QFETCH(QString, url);
        QFETCH(QByteArray, answer);
        QFETCH(QString, outcome);
        QFETCH(QString, says);
        FaultServer proxy(Script{fault::readRequest(), fault::send(answer.toStdString()), fault::close()});
        const Variable all("all_proxy", proxy.url());
        SourceProbe probe(m_factory, SourceProbe::specFor(url.toStdString()));
        probe.prepare();
        if (probe.waitReady())
            probe.release();
        QVERIFY(probe.waitEnd());
        QCOMPARE(probe.outcome(), outcome.toStdString());
        QVERIFY2(probe.message().find(says.toStdString()) != std::string::npos, probe.message().c_str());
        if (url.startsWith("https"))
            QVERIFY2(probe.message().find("proxy") != std::string::npos, probe.message().c_str());
    }

    void aProxyThatDoesNotConnectIsNamed_data() {
        QTest::addColumn<QString>("url");
        QTest::addColumn<QString>("scheme");
        QTest::addColumn<bool>("silent");
        QTest::addColumn<bool>("connects"); // as far as we can see
        for (const bool silent : {true, false}) {
            const std::string how = silent ? ", silent" : ", closing";
            QTest::newRow(("tunnel" + how).c_str()) << "https://h.invalid"
                                                    << "http" << silent << false;
            QTest::newRow(("forwarded" + how).c_str()) << "http://h.invalid"
                                                       << "http" << silent << true;
            QTest::newRow(("SOCKS" + how).c_str()) << "http://h.invalid"
                                                   << "socks5" << silent << false;
        }
    }
    void aProxyThatDoesNotConnectIsNamed() {
        QFETCH(QString, url);
        QFETCH(QString, scheme);
        QFETCH(bool, silent);
        QFETCH(bool, connects);
        FaultServer proxy(silent     ? Script{fault::stall()}
                          : connects ? Script{fault::readRequest(), fault::close()}
                                     : Script{fault::pause(1ms), fault::close()});
        const std::string name = "127.0.0.1:" + std::to_string(proxy.port());
        const Variable all("all_proxy", scheme.toStdString() + "://" + name);
        RunSpec spec = SourceProbe::specFor(url.toStdString());
        (connects ? spec.timeouts.firstToken : spec.timeouts.connect) = 1s;
        SourceProbe probe(m_factory, spec);
        QVERIFY(probe.run());
        const std::string told = probe.message();
        QVERIFY2(told.find("roxy") != std::string::npos && told.find(name) != std::string::npos, told.c_str());
        const auto* way = probe.milestone(connects ? Milestone::Kind::connected : Milestone::Kind::routed);
        QVERIFY(way != nullptr);
        QCOMPARE(way->second.proxy, name);
    }

    // Trust (F3)

    void f3TrustDecidesWhoIsTalkedTo_data() {
        QTest::addColumn<int>("flaw");
        QTest::addColumn<bool>("ownAuthority");
        QTest::addColumn<QString>("trust"); // "ca", "env", "pin", "system", "other ca", "other pin", "any"
        QTest::addColumn<bool>("accepted");
        const auto row = [](const char* name, TlsOptions::Flaw flaw, bool ownAuthority, const char* trust,
                            bool accepted) { QTest::newRow(name) << int(flaw) << ownAuthority << trust << accepted; };
        using Flaw = TlsOptions::Flaw;
        row("self-signed", Flaw::none, false, "system", false);
        row("self-signed, named as authority", Flaw::none, false, "ca", true);
        row("self-signed, pinned", Flaw::none, false, "pin", true);
        row("self-signed, another one pinned", Flaw::none, false, "other pin", false);
        row("custom authority", Flaw::none, true, "ca", true);
        row("custom authority, not named", Flaw::none, true, "system", false);
        row("custom authority by SSL_CERT_FILE", Flaw::none, true, "env", true);
        row("another authority alone", Flaw::none, true, "other ca", false);
        row("an SSL_CERT_FILE that is not there", Flaw::none, true, "no file", false);
        row("an SSL_CERT_DIR without certificates", Flaw::none, true, "no folder", false);
        row("expired", Flaw::expired, false, "ca", false);
        row("expired, pinned", Flaw::expired, false, "pin", true);
        row("wrong host", Flaw::wrongHost, true, "ca", false);
        row("wrong host, pinned", Flaw::wrongHost, true, "pin", true);
        row("expired, allowed", Flaw::expired, false, "any", true);
        row("TLS 1.1 alone", Flaw::oldVersion, false, "ca", false);
        row("TLS 1.1 alone, allowed", Flaw::oldVersion, false, "any", false);
    }
    void f3TrustDecidesWhoIsTalkedTo() {
        QFETCH(int, flaw);
        QFETCH(bool, ownAuthority);
        QFETCH(QString, trust);
        QFETCH(bool, accepted);
        TlsOptions options;
        options.flaw = static_cast<TlsOptions::Flaw>(flaw);
        options.ownAuthority = ownAuthority;
        FaultServer server(answered(), over(options));
        FaultServer other(Script{}, over(options));
        RunSpec spec = SourceProbe::specFor(server.url());
        spec.key = std::make_shared<const Secret>(kKey);
        if (trust == "ca")
            spec.endpoint.extraCaFile = fileOf(server.certificatePem());
        else if (trust == "env")
            qputenv("SSL_CERT_FILE", QByteArray::fromStdString(fileOf(server.certificatePem())));
        else if (trust == "other ca")
            qputenv("SSL_CERT_FILE", QByteArray::fromStdString(fileOf(other.certificatePem())));
        else if (trust == "no file")
            qputenv("SSL_CERT_FILE", "/nowhere/authorities.pem");
        else if (trust == "no folder")
            qputenv("SSL_CERT_DIR", "/proc/self/fdinfo");
        else if (trust == "pin")
            spec.endpoint.pinnedCertificate = QString::fromStdString(server.fingerprint()).toLower().toStdString();
        else if (trust == "other pin")
            spec.endpoint.pinnedCertificate = other.fingerprint();
        spec.endpoint.allowInvalidTls = trust == "any";
        SourceProbe probe(m_factory, spec);
        probe.prepare();
        if (accepted) {
            QVERIFY(probe.waitReady());
            probe.release();
            QVERIFY(probe.waitEnd());
            QVERIFY2(probe.outcome() == "complete/none", probe.message().c_str());
            const Milestone& connected = probe.milestone(Milestone::Kind::connected)->second;
            QVERIFY(!connected.tlsVersion.empty());
            QCOMPARE(connected.unverified, trust == "any");
            return;
        }
        QVERIFY(probe.waitEnd());
        QCOMPARE(probe.outcome(), std::string("error/tls"));
        QVERIFY(server.requests().empty());
        if (options.flaw != TlsOptions::Flaw::oldVersion)
            QCOMPARE(fingerprintIn(probe.message()), server.fingerprint());
        // What is wrong with our own trust is said where it fails.
        QCOMPARE(probe.message().find("SSL_CERT_FILE names \"/nowhere/authorities.pem\"") != std::string::npos,
                 trust == "no file");
        QCOMPARE(probe.message().find("SSL_CERT_DIR names") != std::string::npos, trust == "no folder");
    }

    void aPinThatIsNoFingerprintIsRefused() {
        RunSpec spec = SourceProbe::specFor("https://127.0.0.1:1");
        spec.endpoint.pinnedCertificate = "AB:CD";
        SourceProbe probe(m_factory, spec);
        probe.prepare();
        QVERIFY(probe.waitEnd());
        QVERIFY2(probe.message().find("fingerprint") != std::string::npos, probe.message().c_str());
    }

    void aCutOfTlsIsToldFromAnEnd_data() {
        QTest::addColumn<bool>("chunked");
        QTest::addColumn<QString>("outcome");
        QTest::newRow("ended by the connection") << false << "error/connection_closed";
        QTest::newRow("ended by the last chunk") << true << "complete/none";
    }
    void aCutOfTlsIsToldFromAnEnd() {
        QFETCH(bool, chunked);
        QFETCH(QString, outcome);
        if (transportOfRow() == TransportKind::qt && !chunked)
            QSKIP("Qt does not tell a connection that was cut from one that said goodbye.");
        TlsOptions options;
        options.flaw = TlsOptions::Flaw::noGoodbye;
        const std::string text = fault::textEvent("one");
        FaultServer server(Script{fault::readRequest(), fault::send(fault::sseHead(chunked)),
                                  fault::send(chunked ? fault::chunk(text) : text),
                                  fault::send(chunked ? fault::chunk(fault::finishEvent()) + fault::chunk("") : ""),
                                  fault::close()},
                           over(options));
        RunSpec spec = SourceProbe::specFor(server.url());
        spec.endpoint.allowInvalidTls = true;
        SourceProbe probe(m_factory, spec);
        QVERIFY(probe.run());
        QCOMPARE(probe.outcome(), outcome.toStdString());
        QCOMPARE(probe.text(), std::string("one"));
    }

    // Reuse

    void reusedConnectionsAreWarmAndOpenedInNoTime_data() {
        QTest::addColumn<bool>("encrypted");
        QTest::newRow("plain") << false;
        QTest::newRow("TLS") << true;
    }
    void reusedConnectionsAreWarmAndOpenedInNoTime() {
        QFETCH(bool, encrypted);
        FaultServer server(answered(3), encrypted ? over(TlsOptions{}) : fault::Options{});
        RunSpec spec = reusing(server);
        spec.endpoint.allowInvalidTls = true;
        for (int run = 0; run < 3; ++run) {
            SourceProbe probe(m_factory, spec);
            QVERIFY(probe.run());
            QVERIFY2(probe.outcome() == "complete/none", probe.message().c_str());
            QCOMPARE(isWarm(probe), run > 0);
            const Milestone connected = probe.milestone(Milestone::Kind::connected)->second;
            QCOMPARE(connected.openingTook == 0ns, run > 0);
            QCOMPARE(connected.tlsTook == 0ns, run > 0 || !encrypted);
            QCOMPARE(connected.tlsVersion.empty(), !encrypted);
            QCOMPARE(connected.unverified, encrypted); // as was asked, and not without TLS
            settle();
        }
        QCOMPARE(server.connections(), 1);
    }

    void f10_onlyWhereItIsAskedForAndTheFramingAllowsIt_data() {
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<bool>("asked");
        QTest::addColumn<bool>("reused");
        const auto row = [](const char* name, const std::string& answer, bool asked, bool reused) {
            QTest::newRow(name) << QByteArray::fromStdString(answer) << asked << reused;
        };
        const std::string events = fault::textEvent("a") + fault::finishEvent() + fault::doneEvent();
        const std::string chunked = fault::sseHead() + fault::chunk(events);
        row("not asked for", chunked + fault::chunk(""), false, false);
        row("asked for", chunked + fault::chunk(""), true, true);
        row("F10: after an error answer",
            fault::httpResponse(500, "Oops", {}, fault::errorBody("broken", "server_error", "x")), true, true);
        row("F10: after an error within the stream",
            fault::sseHead() + fault::chunk(fault::errorEvent("broken")) + fault::chunk(""), true, true);
        row("the server says close",
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n"
            "Transfer-Encoding: chunked\r\n\r\n" +
                fault::chunk(events) + fault::chunk(""),
            true, false);
        row("bytes behind the answer", chunked + fault::chunk("") + "HTTP/1.1 200 OK\r\n\r\n", true, false);
        row("the last chunk never comes", chunked, true, false);
        row("F21: both lengths",
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 5\r\n"
            "Transfer-Encoding: chunked\r\n\r\n" +
                fault::chunk(events) + fault::chunk(""),
            true, false);
        row("F22: after interim answers",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + chunked + fault::chunk(""),
            true, true);
    }
    void f10_onlyWhereItIsAskedForAndTheFramingAllowsIt() {
        QFETCH(QByteArray, answer);
        QFETCH(bool, asked);
        QFETCH(bool, reused);
        FaultServer server(std::vector<Script>{Script{fault::readRequest(), fault::send(answer.toStdString())} +
                                                   answered() + Script{fault::stall()},
                                               answered() + Script{fault::stall()}});
        RunSpec spec = reusing(server);
        spec.endpoint.connection = asked ? ConnectionUse::reuse : ConnectionUse::fresh;
        SourceProbe first(m_factory, spec);
        QVERIFY(first.run());
        settle();
        SourceProbe second(m_factory, spec);
        QVERIFY(second.run());
        QVERIFY2(second.outcome() == "complete/none", second.message().c_str());
        QCOMPARE(isWarm(second), reused);
        QCOMPARE(server.connections(), reused ? 1 : 2);
    }

    void theLastChunkMayComeLater() {
        const std::string events = fault::textEvent("a") + fault::finishEvent() + fault::doneEvent();
        FaultServer server(Script{fault::readRequest(), fault::send(fault::sseHead() + fault::chunk(events)),
                                  fault::pause(30ms), fault::send(fault::chunk(""))} +
                           answered());
        SourceProbe first(m_factory, reusing(server));
        QVERIFY(first.run());
        first.destroy();
        QTest::qWait(80);
        SourceProbe second(m_factory, reusing(server));
        QVERIFY(second.run());
        QVERIFY(isWarm(second));
        QCOMPARE(server.connections(), 1);
    }

    void aConnectionServesItsOwnTrustAlone() {
        FaultServer server(answered(), over(TlsOptions{}));
        RunSpec lax = reusing(server);
        lax.endpoint.allowInvalidTls = true;
        SourceProbe first(m_factory, lax);
        QVERIFY(first.run());
        settle();
        SourceProbe strict(m_factory, reusing(server));
        strict.prepare();
        QVERIFY(strict.waitEnd());
        QCOMPARE(strict.outcome(), std::string("error/tls"));
        QCOMPARE(server.connections(), 2);
    }

    void aConnectionThatTheServerGaveUpUnusedIsOpenedAnew() {
        FaultServer server(std::vector<Script>{answered() + Script{fault::close()}, answered()});
        SourceProbe first(m_factory, reusing(server));
        QVERIFY(first.run());
        settle();
        SourceProbe second(m_factory, reusing(server));
        QVERIFY(second.run());
        QVERIFY2(second.outcome() == "complete/none", second.message().c_str());
        QVERIFY(!isWarm(second));
        QVERIFY(second.milestone(Milestone::Kind::connected)->second.openingTook > 0ns);
        QCOMPARE(server.connections(), 2);
        QCOMPARE(second.ends(), 1);
    }

    void aRequestThatADyingConnectionTookIsNotSentAgain_data() {
        QTest::addColumn<bool>("reset");
        QTest::newRow("closed") << false;
        QTest::newRow("reset") << true;
    }
    void aRequestThatADyingConnectionTookIsNotSentAgain() {
        QFETCH(bool, reset);
        FaultServer server(std::vector<Script>{
            answered() + Script{fault::readRequest(), reset ? fault::reset() : fault::close()}, answered()});
        SourceProbe first(m_factory, reusing(server));
        QVERIFY(first.run());
        settle();
        SourceProbe second(m_factory, reusing(server));
        QVERIFY(second.run());
        QCOMPARE(second.outcome(), std::string("error/connection_closed"));
        QVERIFY2(second.message().find("not sent again") != std::string::npos, second.message().c_str());
        QVERIFY(isWarm(second));
        QCOMPARE(server.requests().size(), std::size_t{2});
        QCOMPARE(server.connections(), 1);
    }

    void aNewConnectionThatDiesIsNotOpenedAgain() {
        FaultServer server(Script{fault::readRequest(), fault::close()});
        SourceProbe probe(m_factory, reusing(server));
        QVERIFY(probe.run());
        QCOMPARE(probe.outcome(), std::string("error/connection_closed"));
        QVERIFY2(probe.message().find("again") == std::string::npos, probe.message().c_str());
        QCOMPARE(server.connections(), 1);
    }

    void moreConnectionsThanFilesIsSaid() {
        rlimit before{};
        QCOMPARE(::getrlimit(RLIMIT_NOFILE, &before), 0);
        SourceProbe probe(m_factory, SourceProbe::specFor("http://127.0.0.1:9"));
        const rlimit few{3, before.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &few);
        probe.prepare();
        const bool ended = probe.waitEnd();
        ::setrlimit(RLIMIT_NOFILE, &before);
        QVERIFY(ended);
        QCOMPARE(probe.outcome(), std::string("error/unreachable"));
        QVERIFY2(probe.message().find("ulimit -n") != std::string::npos, probe.message().c_str());
    }

    void keptConnectionsEndWithTheirThread() {
        FaultServer server(answered() + Script{fault::awaitClose()});
        {
            NetworkThread network;
            const SourceFactory factory =
                makeRemoteSourceFactory(network, transportFactory(network, transportOfRow()), ClockSource::user);
            SourceProbe probe(factory, reusing(server));
            QVERIFY(probe.run());
            settle();
        }
        QVERIFY(FaultServer::waitFor([&] { return server.peerCloses() == 1; }));
    }
};

QTEST_GUILESS_MAIN(TestConnections)
#include "tst_connections.moc"
