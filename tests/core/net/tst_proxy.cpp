// Which proxy is chosen, and how one is asked: the rules as tables, without a socket.
#include "core/net/http_request.h"
#include "core/net/proxy_choice.h"
#include "core/net/proxy_tunnel.h"

#include <QtTest>

#include <map>
#include <random>
#include <string>
#include <utility>

using namespace decodescope;

using Environment = std::map<std::string, std::string>;
using State = ProxyTunnel::State;
Q_DECLARE_METATYPE(Environment)

namespace {

Variables reading(const Environment& environment) {
    return [environment](const char* name) -> std::optional<std::string> {
        const auto found = environment.find(name);
        return found == environment.end() ? std::nullopt : std::optional(found->second);
    };
}

std::string chosen(bool tls, const std::string& host, const Environment& environment) {
    const auto proxy = proxyFromVariables(tls, host, tls ? 443 : 80, reading(environment));
    if (!proxy)
        return "refused: " + proxy.error().message;
    if (!*proxy)
        return "direct";
    constexpr std::array<const char*, 3> kKinds{"tunnel ", "forward ", "socks5 "};
    return kKinds.at(static_cast<std::size_t>((*proxy)->kind)) + (*proxy)->name();
}

Proxy proxyOf(const std::string& value, bool tls = true) {
    return **proxyFromVariables(tls, "h", 443, reading({{"all_proxy", value}}));
}

} // namespace

class TestProxy : public QObject {
    Q_OBJECT

private slots:
    void theEnvironmentIsReadAsCurlReadsIt_data() {
        QTest::addColumn<Environment>("environment");
        QTest::addColumn<bool>("tls");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const Environment& environment, bool tls, const char* expected) {
            QTest::newRow(name) << environment << tls << expected;
        };
        row("nothing set", {}, true, "direct");
        row("https by https_proxy", {{"https_proxy", "http://p:1"}}, true, "tunnel p:1");
        row("https by HTTPS_PROXY", {{"HTTPS_PROXY", "http://p:1"}}, true, "tunnel p:1");
        row("lower before upper", {{"https_proxy", "p:1"}, {"HTTPS_PROXY", "q:1"}}, true, "tunnel p:1");
        row("https never by http_proxy", {{"http_proxy", "p:1"}, {"HTTP_PROXY", "p:1"}}, true, "direct");
        row("http by http_proxy", {{"http_proxy", "p:1"}}, false, "forward p:1");
        row("http by HTTP_PROXY", {{"HTTP_PROXY", "p:1"}}, false, "forward p:1");
        row("not in a server's child", {{"HTTP_PROXY", "p:1"}, {"REQUEST_METHOD", "GET"}}, false, "direct");
        row("http never by https_proxy", {{"https_proxy", "p:1"}}, false, "direct");
        row("all_proxy for both, https", {{"all_proxy", "p:1"}}, true, "tunnel p:1");
        row("all_proxy for both, http", {{"ALL_PROXY", "p:1"}}, false, "forward p:1");
        row("the scheme's own before all", {{"all_proxy", "p:1"}, {"https_proxy", "q:2"}}, true, "tunnel q:2");
        row("empty is none", {{"https_proxy", ""}, {"all_proxy", ""}}, true, "direct");
        row("empty lets the next one", {{"https_proxy", ""}, {"HTTPS_PROXY", "p:1"}}, true, "tunnel p:1");
        row("curl's port", {{"https_proxy", "http://p/"}}, true, "tunnel p:1080");
        row("IPv6", {{"https_proxy", "http://[fd00::1]:3128/"}}, true, "tunnel [fd00::1]:3128");
        row("login is no part of the name", {{"https_proxy", "http://u:p%40ss@p:1"}}, true, "tunnel p:1");
        row("SOCKS5", {{"all_proxy", "socks5://p:1"}}, true, "socks5 p:1");
        row("SOCKS5 by name", {{"all_proxy", "socks5h://p"}}, false, "socks5 p:1080");
        row("no_proxy", {{"https_proxy", "p:1"}, {"no_proxy", "example.org"}}, true, "direct");
        row("NO_PROXY", {{"https_proxy", "p:1"}, {"NO_PROXY", "org"}}, true, "direct");
        row("no_proxy of others", {{"https_proxy", "p:1"}, {"no_proxy", "ample.org"}}, true, "tunnel p:1");
    }
    void theEnvironmentIsReadAsCurlReadsIt() {
        QFETCH(Environment, environment);
        QFETCH(bool, tls);
        QFETCH(QString, expected);
        QCOMPARE(chosen(tls, "api.example.org", environment), expected.toStdString());
    }

    void proxiesThatCannotBeUsedAreRefusedByName_data() {
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("says");
        QTest::newRow("over TLS") << "https://u:hunter2-secret@p:1"
                                  << "TLS";
        QTest::newRow("SOCKS4") << "socks4://u:hunter2-secret@p:1"
                                << "SOCKS4";
        QTest::newRow("something") << "ftp://u:hunter2-secret@p:1"
                                   << "only http";
        QTest::newRow("no host") << "http://u:hunter2-secret@"
                                 << "host or port";
        QTest::newRow("bad port") << "http://u:hunter2-secret@p:99999"
                                  << "host or port";
        QTest::newRow("bad host") << "http://p\r\nX: y:1"
                                  << "host or port";
    }
    void proxiesThatCannotBeUsedAreRefusedByName() {
        QFETCH(QString, value);
        QFETCH(QString, says);
        const std::string said = chosen(true, "h", {{"https_proxy", value.toStdString()}});
        QVERIFY2(said.find("refused") == 0 && said.find(says.toStdString()) != std::string::npos, said.c_str());
        QVERIFY2(said.find("hunter2") == std::string::npos, said.c_str());
    }

    void exceptionsCoverHostsDomainsAndRanges_data() {
        QTest::addColumn<QString>("list");
        QTest::addColumn<QString>("host");
        QTest::addColumn<int>("port");
        QTest::addColumn<bool>("covered");
        const auto row = [](const char* list, const char* host, int port, bool covered) {
            QTest::addRow("%s: %s:%d", list, host, port) << list << host << port << covered;
        };
        row("*", "anything", 1, true);
        row("example.org", "example.org", 443, true);
        row("example.org", "a.example.org", 443, true);
        row(".example.org", "a.example.org", 443, true);
        row(".example.org", "example.org", 443, true);
        row("*.example.org", "a.example.org", 443, true);
        row("example.org", "notexample.org", 443, false);
        row("EXAMPLE.org.", "example.ORG.", 443, true);
        row("a, b ,example.org", "example.org", 443, true);
        row("a b\texample.org", "example.org", 443, true);
        row("example.org:8080", "example.org", 8080, true);
        row("example.org:8080", "example.org", 443, false);
        row("10.0.0.0/8", "10.200.3.4", 1, true);
        row("10.0.0.0/8", "11.0.0.1", 1, false);
        row("10.0.0.0/0", "11.0.0.1", 1, true);
        row("10.0.0.0/33", "10.0.0.1", 1, false);
        row("10.0.0.0/x", "10.0.0.1", 1, false);
        row("192.168.1.4", "192.168.1.4", 1, true);
        row("192.168.1.4", "192.168.1.40", 1, false);
        row("1.4", "192.168.1.4", 1, false);
        row("fd00::/8", "fd12::1", 1, true);
        row("fd00::/8", "fe80::1", 1, false);
        row("[fd00::1]:80", "fd00::1", 80, true);
        row("fd00:0::1", "fd00::1", 80, true);
        row("10.0.0.0/8", "fd00::1", 80, false);
        row(",, ,", "h", 1, false);
        row("", "h", 1, false);
        row(".", "h", 1, false);
    }
    void exceptionsCoverHostsDomainsAndRanges() {
        QFETCH(QString, list);
        QFETCH(QString, host);
        QFETCH(int, port);
        QFETCH(bool, covered);
        QCOMPARE(isExcepted(list.toStdString(), host.toStdString(), static_cast<std::uint16_t>(port)), covered);
    }

    void aTunnelIsAskedForByConnect() {
        ProxyTunnel plain(proxyOf("p:1"), "fd00::1", 8443);
        const std::string asks = plain.start();
        QVERIFY2(asks.find("CONNECT [fd00::1]:8443 HTTP/1.1\r\nHost: [fd00::1]:8443\r\n") == 0, asks.c_str());
        QVERIFY(asks.find("Authorization") == std::string::npos);
        QVERIFY(asks.substr(asks.size() - 4) == "\r\n\r\n");
        QVERIFY(plain.take("HTTP/1.1 200 Connection esta").empty());
        QVERIFY(plain.state() == State::asking);
        QVERIFY(plain.take("blished\r\nVia: x\r\n\r\nhello").empty());
        QVERIFY(plain.state() == State::up);
        QCOMPARE(plain.rest(), std::string("hello"));

        ProxyTunnel login(proxyOf("http://Aladdin:open%20sesame@p:1"), "h", 443);
        QVERIFY(login.start().find("\r\nProxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n") !=
                std::string::npos); // RFC 7617's own example
    }

    void refusalsOfAProxyAreSentences_data() {
        QTest::addColumn<QString>("proxy");
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const char* proxy, const QByteArray& answer, const char* says) {
            QTest::newRow(name) << proxy << answer << says;
        };
        row("F12: a login is asked for", "p:1", "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n",
            "asks for a login");
        row("F12: a login is not accepted", "http://u:hunter2@p:1", "HTTP/1.1 407 No\r\n\r\n", "does not accept");
        row("F12: forbidden", "p:1", "HTTP/1.0 403 Forbidden\r\n\r\n", "403 Forbidden");
        row("F12: a portal's redirect", "p:1", "HTTP/1.1 302 Found\r\nLocation: http://portal/\r\n\r\n", "302 Found");
        row("bad gateway", "p:1", "HTTP/1.1 502 Bad \x1b[31mGateway\r\n\r\n", "502 Bad ?[31mGateway");
        row("no HTTP", "p:1", "SSH-2.0-OpenSSH_9\r\n", "does not answer as an HTTP proxy");
        row("no end", "p:1", "HTTP/1.1 200 " + QByteArray(70'000, 'x'), "does not answer as an HTTP proxy");
        row("SOCKS: no method", "socks5://p:1", QByteArray("\x05\xff", 2), "asks for a login");
        row("SOCKS: refused", "socks5://p:1", QByteArray("\x05\x00\x05\x05\x00\x01\x00", 7), "nothing is listening");
        row("SOCKS: no such code", "socks5://p:1", QByteArray("\x05\x00\x05\x7f\x00\x01\x00", 7), "no name");
        row("SOCKS: no SOCKS", "socks5://p:1", "HTTP/1.1 400 Bad Request\r\n\r\n", "does not answer as a SOCKS5");
        row("SOCKS: bad login", "socks5://u:hunter2@p:1", QByteArray("\x05\x02\x01\x01", 4), "does not accept");
    }
    void refusalsOfAProxyAreSentences() {
        QFETCH(QString, proxy);
        QFETCH(QByteArray, answer);
        QFETCH(QString, says);
        for (const int step : {1, 1 << 20}) { // by bytes, and at once
            ProxyTunnel tunnel(proxyOf(proxy.toStdString()), "host", 443);
            (void)tunnel.start();
            for (qsizetype i = 0; i < answer.size(); i += step)
                (void)tunnel.take(answer.mid(i, step).toStdString());
            QVERIFY2(tunnel.state() == State::failed, answer.constData());
            QVERIFY2(tunnel.trouble().find(says.toStdString()) != std::string::npos, tunnel.trouble().c_str());
            QVERIFY(tunnel.trouble().find("hunter2") == std::string::npos);
        }
    }

    void socksCarriesNamesAddressesAndLogins() {
        using namespace std::string_literals;
        ProxyTunnel name(proxyOf("socks5://u:pw@p:1"), "host", 443);
        QCOMPARE(name.start(), "\x05\x02\x00\x02"s);
        QCOMPARE(name.take("\x05\x02"s), "\x01\x01u\x02pw"s);
        QCOMPARE(name.take("\x01\x00"s), "\x05\x01\x00\x03\x04host\x01\xbb"s);
        QVERIFY(name.take("\x05\x00\x00\x03\x02"s).empty());
        QVERIFY(name.state() == State::asking);
        QVERIFY(name.take("ab\x00\x50tail"s).empty());
        QVERIFY(name.state() == State::up);
        QCOMPARE(name.rest(), "tail"s);

        ProxyTunnel v4(proxyOf("socks5://p:1"), "192.0.2.7", 80);
        QCOMPARE(v4.start(), "\x05\x01\x00"s);
        QCOMPARE(v4.take("\x05\x00"s), "\x05\x01\x00\x01\xc0\x00\x02\x07\x00\x50"s);
        ProxyTunnel v6(proxyOf("socks5://p:1"), "::1", 80);
        (void)v6.start();
        QCOMPARE(v6.take("\x05\x00"s), "\x05\x01\x00\x04"s + std::string(15, '\0') + "\x01\x00\x50"s);
    }

    void survivesAnyBytes() {
        std::mt19937 random(11); // NOLINT: the same every time
        for (int round = 0; round < 2000; ++round) {
            ProxyTunnel tunnel(proxyOf(round % 2 == 0 ? "p:1" : "socks5://u:p@p:1"), std::string(300, 'h'), 1);
            (void)tunnel.start();
            for (int i = 0; i < 20; ++i) {
                std::string bytes(random() % 9, '\0');
                for (char& c : bytes)
                    c = static_cast<char>(random() % 3 == 0 ? random() % 6 : random());
                (void)tunnel.take(bytes);
            }
            QVERIFY(tunnel.state() != State::failed || !tunnel.trouble().empty());
        }
    }

    void aForwardedRequestNamesTheWholeAddress() {
        std::string request = "POST /v1/x?a=b HTTP/1.1\r\nHost: h\r\n\r\n{\"a\": 1}";
        addressToProxy(request, "http://h:8080", "Basic abc");
        QCOMPARE(request, std::string("POST http://h:8080/v1/x?a=b HTTP/1.1\r\nProxy-Authorization: Basic abc\r\n"
                                      "Host: h\r\n\r\n{\"a\": 1}"));
        std::string bare = "GET / HTTP/1.1\r\n\r\n";
        addressToProxy(bare, "http://h", "");
        QCOMPARE(bare, std::string("GET http://h/ HTTP/1.1\r\n\r\n"));
        std::string none = "nothing";
        addressToProxy(none, "http://h", "");
        QCOMPARE(none, std::string("nothing"));
    }
};

QTEST_GUILESS_MAIN(TestProxy)
#include "tst_proxy.moc"
