#include "core/source/request.h"

#include <QtTest>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

using namespace decodescope;
using nlohmann::json;

/// JSON in single quotes, which moc reads without trouble.
static json relaxed(std::string text) {
    std::replace(text.begin(), text.end(), '\'', '"');
    return json::parse(text);
}

class TestRequest : public QObject {
    Q_OBJECT

    static EndpointSpec endpoint(const QString& url, const QString& protocol = "openai-chat") {
        EndpointSpec spec;
        spec.url = url.toStdString();
        spec.protocol = protocol.toStdString();
        spec.model = "m";
        return spec;
    }

private slots:
    void takesUrlsApart_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("host");
        QTest::addColumn<int>("port");
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("authority");
        QTest::addColumn<bool>("loopback");
        QTest::newRow("plain") << "http://127.0.0.1:8080"
                               << "127.0.0.1" << 8080 << "/"
                               << "127.0.0.1:8080" << true;
        QTest::newRow("default port") << "https://api.example.com/v1"
                                      << "api.example.com" << 443 << "/v1"
                                      << "api.example.com" << false;
        QTest::newRow("default port, plain") << "http://h"
                                             << "h" << 80 << "/"
                                             << "h" << false;
        QTest::newRow("ipv6") << "http://[::1]:81/a?b=c"
                              << "::1" << 81 << "/a?b=c"
                              << "[::1]:81" << true;
        QTest::newRow("long ipv6 loopback") << "http://[0:0:0:0:0:0:0:1]/"
                                            << "0:0:0:0:0:0:0:1" << 80 << "/"
                                            << "[0:0:0:0:0:0:0:1]" << true;
        QTest::newRow("case and spaces") << "  HTTPS://LocalHost:443/X "
                                         << "localhost" << 443 << "/X"
                                         << "localhost" << true;
        QTest::newRow("fragment") << "http://h/a#b"
                                  << "h" << 80 << "/a"
                                  << "h" << false;
        QTest::newRow("query alone") << "http://h?x=1"
                                     << "h" << 80 << "/?x=1"
                                     << "h" << false;
        QTest::newRow("other loopback") << "http://127.9.9.9"
                                        << "127.9.9.9" << 80 << "/"
                                        << "127.9.9.9" << true;
        QTest::newRow("not loopback") << "http://128.0.0.1"
                                      << "128.0.0.1" << 80 << "/"
                                      << "128.0.0.1" << false;
        QTest::newRow("lookalike") << "http://localhost.evil.example"
                                   << "localhost.evil.example" << 80 << "/"
                                   << "localhost.evil.example" << false;
        QTest::newRow("header injection") << "http://h/a b\r\nX: y"
                                          << "h" << 80 << "/a%20b%0D%0AX:%20y"
                                          << "h" << false;
    }
    void takesUrlsApart() {
        QFETCH(QString, text);
        const auto url = parseUrl(text.toStdString());
        QVERIFY2(url.has_value(), url ? "" : url.error().message.c_str());
        QTEST(QString::fromStdString(url->host), "host");
        QTEST(int(url->port), "port");
        QTEST(QString::fromStdString(url->target), "target");
        QTEST(QString::fromStdString(url->authority()), "authority");
        QTEST(url->loopback(), "loopback");
    }

    void refusesWhatIsNoUrl_data() {
        QTest::addColumn<QString>("text");
        for (const char* text :
             {"", "   ", "h:80", "127.0.0.1:8080", "ftp://h", "file:///etc/passwd", "http://", "http://:80",
              "http://h:0", "http://h:65536", "http://h:8o", "http://h:", "http://[::1", "http://[xyz]",
              "http://[::1]80", "http://a b/", "http://h\r\nX: y/", "http://\xc3\xbc.de"})
            QTest::newRow(text) << QString::fromUtf8(text);
    }
    void refusesWhatIsNoUrl() {
        QFETCH(QString, text);
        const auto url = parseUrl(text.toStdString());
        QVERIFY(!url);
        QCOMPARE(url.error().code, ErrorCode::usage);
        QVERIFY(!url.error().message.empty());
    }

    void refusesUserinfoWithoutShowingIt() {
        const auto url = parseUrl("https://user:CANARY@h/v1?key=CANARY");
        QVERIFY(!url);
        QVERIFY(url.error().message.find("CANARY") == std::string::npos);
        QVERIFY(url.error().message.find("do not belong") != std::string::npos);
    }

    void masksQueryValuesForDisplay() {
        const auto url = parseUrl("https://h/v1?key=CANARY&a=CANARY&CANARY");
        QVERIFY(url.has_value());
        QCOMPARE(url->text(), "https://h/v1?key=***&a=***&***");
        QCOMPARE(url->text(false), "https://h/v1?key=CANARY&a=CANARY&CANARY");
    }

    void findsTheRoute_data() {
        QTest::addColumn<QString>("url");
        QTest::addColumn<QString>("protocol");
        QTest::addColumn<QString>("route");
        QTest::addColumn<QString>("models");
        const auto row = [](const char* url, const char* protocol, const char* route, const char* models) {
            QTest::newRow(url) << url << protocol << route << models;
        };
        row("http://h:1", "openai-chat", "http://h:1/v1/chat/completions", "http://h:1/v1/models");
        row("http://h:1/", "openai-chat", "http://h:1/v1/chat/completions", "http://h:1/v1/models");
        row("http://h:1/v1", "openai-chat", "http://h:1/v1/chat/completions", "http://h:1/v1/models");
        row("http://h:1/v1/", "openai-chat", "http://h:1/v1/chat/completions", "http://h:1/v1/models");
        row("http://h:1/v1/chat/completions", "openai-chat", "http://h:1/v1/chat/completions", "http://h:1/v1/models");
        row("http://h:1/openai", "openai-chat", "http://h:1/openai/v1/chat/completions", "http://h:1/openai/v1/models");
        row("http://h:1/v1beta/openai", "openai-chat", "http://h:1/v1beta/openai/chat/completions",
            "http://h:1/v1beta/openai/models");
        row("http://h:1/chat/completions", "openai-chat", "http://h:1/chat/completions", "http://h:1/models");
        row("http://h:1/v1?x=y", "openai-chat", "http://h:1/v1/chat/completions?x=y", "http://h:1/v1/models?x=y");
        row("http://h:2", "openai-completions", "http://h:2/v1/completions", "http://h:2/v1/models");
        row("http://h:2/v1", "openai-completions", "http://h:2/v1/completions", "http://h:2/v1/models");
        row("http://h:2/v1/completions", "openai-completions", "http://h:2/v1/completions", "http://h:2/v1/models");
    }
    void findsTheRoute() {
        QFETCH(QString, url);
        QFETCH(QString, protocol);
        const auto route = completionUrl(endpoint(url, protocol));
        QVERIFY(route.has_value());
        QTEST(QString::fromStdString(route->text(false)), "route");
        const auto models = modelQuery(endpoint(url, protocol));
        QVERIFY(models.has_value());
        QTEST(QString::fromStdString(models->url.text(false)), "models");
    }

    void refusesARouteOfAnotherProtocol() {
        QVERIFY(!completionUrl(endpoint("http://h/v1/completions", "openai-chat")));
        QVERIFY(!completionUrl(endpoint("http://h/v1/chat/completions", "openai-completions")));
        const auto unknown = completionUrl(endpoint("http://h", "telepathy"));
        QVERIFY(!unknown);
        QCOMPARE(unknown.error().code, ErrorCode::unsupported);
    }

    void bodyHoldsOnlyWhatWasSet() {
        RunSpec spec;
        spec.endpoint = endpoint("http://h");
        spec.prompt = "Say hi";
        spec.key = std::make_shared<Secret>(std::string("CANARY"));
        const auto body = requestBody(spec);
        QVERIFY(body.has_value());
        QVERIFY(body->find("CANARY") == std::string::npos);
        const json expected = relaxed("{'model':'m','messages':[{'role':'user','content':'Say "
                                      "hi'}],'stream':true,'stream_options':{'include_usage':true}}");
        QCOMPARE(json::parse(*body), expected);
    }

    void bodyHoldsAllThatWasSet() {
        RunSpec spec;
        spec.endpoint = endpoint("http://h");
        spec.system = "Be brief";
        spec.prompt = "quote \" and \xc3\xa9";
        spec.sampling.maxTokens = 7;
        spec.sampling.temperature = 0.5;
        spec.sampling.seed = 42;
        spec.sampling.ignoreEos = true;
        spec.sampling.reasoningEffort = "low";
        const auto body = requestBody(spec);
        QVERIFY(body.has_value());
        const json expected = relaxed(
            "{'model':'m','messages':[{'role':'system','content':'Be brief'},{'role':'user','content':'quote \\' and "
            "é'}],'stream':true,'stream_options':{'include_usage':true},'max_tokens':7,'temperature':0.5,'seed':42,'"
            "ignore_eos':true,'reasoning_effort':'low'}");
        QCOMPARE(json::parse(*body), expected);
    }

    void completionsTakeARawPrompt() {
        RunSpec spec;
        spec.endpoint = endpoint("http://h", "openai-completions");
        spec.prompt = "Once";
        spec.sampling.stream = false;
        const json expected = relaxed("{'model':'m','prompt':'Once','stream':false}");
        QCOMPARE(json::parse(*requestBody(spec)), expected);
        spec.system = "S";
        QCOMPARE(json::parse(*requestBody(spec))["prompt"], json("S\n\nOnce"));
    }

    void hostileTextNeverThrows() {
        RunSpec spec;
        spec.endpoint = endpoint("http://h");
        spec.prompt = "\xff\xfe\x80";
        QVERIFY(requestBody(spec).has_value());
        spec.sampling.temperature = std::numeric_limits<double>::quiet_NaN();
        QVERIFY(!requestBody(spec));
    }
};

QTEST_APPLESS_MAIN(TestRequest)
#include "tst_request.moc"
