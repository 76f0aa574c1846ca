#include "engine/server/http_server.h"
#include "tests/engine/server/raw_client.h"

#include <QtTest>

#include <atomic>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace decodescope::engine;

namespace {

/// Echoes bodies; /stream writes three events and stays open until the client or the test ends it.
class EchoSite final : public HttpSite {
public:
    std::optional<HttpResponse> admit(const HttpHead& head) override {
        if (head.path == "/forbidden")
            return errorResponse(403, "permission_error", "no");
        return std::nullopt;
    }
    void handle(HttpRequest request, std::shared_ptr<HttpReply> reply) override {
        ++handled;
        if (request.head.path == "/stream" || request.head.path == "/flood") {
            reply->beginStream("text/event-stream");
            reply->whenGone([this] { ++gone; });
            if (request.head.path == "/flood") {
                for (int i = 0; i < 64; ++i)
                    reply->write(std::string(1 << 20, 'x'));
                return;
            }
            for (const char* event : {"data: 1\n\n", "data: 2\n\n", "data: 3\n\n"})
                reply->write(event);
            if (request.head.query == "end")
                reply->endStream();
            else
                held.push_back(reply);
            return;
        }
        if (request.head.path == "/later") {
            held.push_back(reply);
            return;
        }
        HttpResponse response;
        response.contentType = "text/plain";
        response.body = request.head.method + " " + request.head.path + "?" + request.head.query + " " + request.body;
        reply->respond(response);
    }

    std::atomic<int> handled = 0, gone = 0;
    std::vector<std::shared_ptr<HttpReply>> held;
};

struct Running {
    explicit Running(HttpLimits limits = {})
        : server(std::move(HttpServer::listen(0, site, limits).value())) {
        if (!server->start())
            qFatal("no thread");
    }
    [[nodiscard]] RawClient client() const { return RawClient(server->port()); }
    [[nodiscard]] std::string ask(std::string_view bytes) const {
        RawClient c = client();
        c.send(bytes);
        return c.readAnswer();
    }
    EchoSite site;
    std::unique_ptr<HttpServer> server;
};

std::string bodyOf(const std::string& answer) {
    const std::size_t at = answer.find("\r\n\r\n");
    return at == std::string::npos ? "no head" : answer.substr(at + 4);
}

std::string post(std::string_view path, const std::string& body) {
    return "POST " + std::string(path) +
           " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

} // namespace

class TestHttpServer : public QObject {
    Q_OBJECT

private slots:
    void requestsAreReadWhateverTheCuts() {
        Running running;
        const std::string one = post("/a?b=c", "hello");
        for (std::size_t cut = 1; cut < one.size(); ++cut) {
            RawClient client = running.client();
            QVERIFY(client.send(std::string_view(one).substr(0, cut)));
            QVERIFY(client.send(std::string_view(one).substr(cut)));
            QCOMPARE(bodyOf(client.readAnswer()), std::string("POST /a?b=c hello"));
        }
    }
    void requestsInOneReadAreAnsweredInOrder() {
        Running running;
        RawClient client = running.client();
        std::string many;
        for (int i = 0; i < 500; ++i)
            many += post("/" + std::to_string(i), std::string(i % 7, 'b'));
        std::thread writer([&] { client.send(many); });
        for (int i = 0; i < 500; ++i)
            QCOMPARE(bodyOf(client.readAnswer()), "POST /" + std::to_string(i) + "? " + std::string(i % 7, 'b'));
        writer.join();
    }
    void chunkedBodiesAreJoined() {
        Running running;
        QCOMPARE(
            bodyOf(running.ask("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2"
                               ";x=y\r\nde\r\n0\r\n\r\n")),
            std::string("POST /? abcde"));
    }
    void continueIsSentWhenAskedFor_data() {
        QTest::addColumn<QByteArray>("expectation");
        QTest::newRow("as usual") << QByteArray("100-continue");
        QTest::newRow("in capitals") << QByteArray("100-Continue");
    }
    void continueIsSentWhenAskedFor() {
        QFETCH(QByteArray, expectation);
        Running running;
        RawClient client = running.client();
        client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nExpect: " + expectation.toStdString() +
                    "\r\n\r\n");
        QCOMPARE(client.readUntil("\r\n\r\n"), std::string("HTTP/1.1 100 Continue\r\n\r\n"));
        client.send("ok");
        QCOMPARE(bodyOf(client.readAnswer()), std::string("POST /? ok"));
    }
    void oldClientsAndHeadWork() {
        Running running;
        QCOMPARE(bodyOf(running.ask("\r\n\r\nGET /z HTTP/1.1\r\nHost: localhost\r\n\r\n")), std::string("GET /z? "));
        RawClient old = running.client();
        old.send("GET /x HTTP/1.0\r\nHost: localhost\r\n\r\n");
        const std::string answer = old.readAnswer();
        QVERIFY(answer.find("Connection: close\r\n") != std::string::npos);
        QCOMPARE(bodyOf(answer), std::string("GET /x? "));
        QVERIFY(old.waitClosed());
        RawClient stream = running.client();
        stream.send("GET /stream?end HTTP/1.0\r\nHost: localhost\r\n\r\n");
        QCOMPARE(bodyOf(stream.readUntil("data: 3\n\n")), std::string("data: 1\n\ndata: 2\n\ndata: 3\n\n"));
        RawClient head = running.client();
        head.send("HEAD /x HTTP/1.1\r\nHost: localhost\r\n\r\nGET /y HTTP/1.1\r\nHost: localhost\r\n\r\n");
        QVERIFY(head.readUntil("\r\n\r\n").find("Content-Length: 9") != std::string::npos);
        QCOMPARE(bodyOf(head.readAnswer()), std::string("GET /y? "));
    }
    void limitsHold_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<int>("status");
        const auto head = [](const QByteArray& fields) {
            return "GET / HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n";
        };
        QTest::newRow("target at the limit") << "GET /" + QByteArray(4095, 'a') + " HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                             << 200;
        QTest::newRow("target beyond") << "GET /" + QByteArray(4096, 'a') + " HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                       << 414;
        QTest::newRow("one long field") << head("X: " + QByteArray(20000, 'a') + "\r\n") << 431;
        QTest::newRow("many fields") << head(QByteArray("X: a\r\n").repeated(4000)) << 431;
        QTest::newRow("head at the limit") << head("X: " + QByteArray(16384 - 40, 'a') + "\r\n") << 200;
        QTest::newRow("head beyond") << head("X: " + QByteArray(16384 - 39, 'a') + "\r\n") << 431;
        QTest::newRow("body announced too long") << head("Content-Length: 1025\r\n") << 413;
        QTest::newRow("body at the limit") << head("Content-Length: 1024\r\n") + QByteArray(1024, 'b') << 200;
        QTest::newRow("chunks too long") << head("Transfer-Encoding: chunked\r\n") + "401\r\n" + QByteArray(1025, 'b') +
                                                "\r\n0\r\n\r\n"
                                         << 413;
        QTest::newRow("huge length") << head("Content-Length: 18446744073709551615\r\n") << 413;
        QTest::newRow("negative length") << head("Content-Length: -1\r\n") << 400;
        QTest::newRow("two lengths") << head("Content-Length: 1\r\nContent-Length: 2\r\n") << 400;
        QTest::newRow("length and chunks") << head("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n") << 400;
        QTest::newRow("no HTTP") << QByteArray("hello\r\n\r\n") << 400;
        QTest::newRow("TLS") << QByteArray("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 15) << 400;
        QTest::newRow("HTTP/2") << QByteArray("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") << 400;
        QTest::newRow("NUL in a field") << head(QByteArray("X: \0a\r\n", 7)) << 400;
        QTest::newRow("refused by the site")
            << QByteArray("POST /forbidden HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                          "1000\r\n\r\n")
            << 403;
    }
    void limitsHold() {
        QFETCH(QByteArray, bytes);
        QFETCH(int, status);
        HttpLimits limits;
        limits.maxBodyBytes = 1024;
        Running running(limits);
        RawClient client = running.client();
        client.send(std::string_view(bytes.data(), static_cast<std::size_t>(bytes.size())));
        const std::string answer = client.readAnswer();
        QVERIFY2(answer.starts_with("HTTP/1.1 " + std::to_string(status)), answer.c_str());
        QCOMPARE(running.site.handled.load(), status == 200 ? 1 : 0);
        if (status != 200)
            QVERIFY(answer.find("Connection: close\r\n") != std::string::npos);
    }
    void aRefusedUploadStillReadsItsAnswer() {
        HttpLimits limits;
        limits.maxBodyBytes = 1024;
        Running running(limits);
        RawClient client = running.client();
        client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4000000\r\n\r\n");
        client.send(std::string(4'000'000, 'x'));
        QVERIFY(client.readAnswer().starts_with("HTTP/1.1 413 "));
    }
    void streamsAreChunkedEventByEvent() {
        Running running;
        RawClient client = running.client();
        client.send("GET /stream?end HTTP/1.1\r\nHost: localhost\r\n\r\n");
        const std::string head = client.readUntil("\r\n\r\n");
        QVERIFY(head.find("Content-Type: text/event-stream\r\n") != std::string::npos);
        QVERIFY(head.find("Transfer-Encoding: chunked\r\n") != std::string::npos);
        QCOMPARE(client.readUntil("0\r\n\r\n"),
                 std::string("9\r\ndata: 1\n\n\r\n9\r\ndata: 2\n\n\r\n9\r\ndata: 3\n\n\r\n0\r\n\r\n"));
        client.send("GET /next HTTP/1.1\r\nHost: localhost\r\n\r\n");
        QCOMPARE(bodyOf(client.readAnswer()), std::string("GET /next? "));
    }
    void aClientThatLeavesIsNoticed() {
        Running running;
        RawClient client = running.client();
        client.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
        client.readUntil("data: 3\n\n");
        QCOMPARE(running.site.gone.load(), 0);
        client.close();
        QTRY_COMPARE(running.site.gone.load(), 1);
    }
    void aStreamThatNobodyReadsIsCutOff() {
        Running running;
        RawClient client = running.client();
        client.send("GET /flood HTTP/1.1\r\nHost: localhost\r\n\r\n");
        QTRY_COMPARE(running.site.gone.load(), 1);
    }
    void dawdlersMakeRoom() {
        HttpLimits limits;
        limits.maxConnections = 20;
        Running running(limits);
        RawClient stream = running.client();
        stream.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
        stream.readUntil("data: 3\n\n");
        std::vector<RawClient> dawdlers;
        for (int i = 0; i < 500; ++i) {
            dawdlers.push_back(running.client());
            dawdlers.back().send("GET / HT");
        }
        QCOMPARE(bodyOf(running.ask(post("/still", "here"))), std::string("POST /still? here"));
        QCOMPARE(running.site.gone.load(), 0);
    }
    void slowRequestsEnd() {
        HttpLimits limits;
        limits.headTimeoutNs = 1;
        limits.idleTimeoutNs = 1;
        limits.lingerNs = 1;
        Running running(limits);
        RawClient slow = running.client();
        slow.send("GET / HT");
        QVERIFY(slow.readAnswer().starts_with("HTTP/1.1 408 "));
        QVERIFY(slow.waitClosed());
        QVERIFY(running.client().waitClosed());
    }
    void garbageNeverHarms() {
        Running running;
        std::mt19937 random(7);
        const std::string valid = post("/x", "body");
        for (int i = 0; i < 400; ++i) {
            std::string bytes = valid;
            const int edits = 1 + static_cast<int>(random() % 4);
            for (int e = 0; e < edits; ++e)
                bytes[random() % bytes.size()] = static_cast<char>(random());
            if (i % 3 == 0)
                bytes.resize(random() % bytes.size());
            RawClient client = running.client();
            client.send(bytes);
        }
        QCOMPARE(bodyOf(running.ask(valid)), std::string("POST /x? body"));
    }
    void stoppingAnswersWhoWaits() {
        Running running;
        RawClient waiting = running.client();
        waiting.send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n");
        QTRY_COMPARE(running.site.handled.load(), 1);
        running.server->stop(1'000'000'000);
        QVERIFY(waiting.readAnswer().starts_with("HTTP/1.1 503 "));
        QVERIFY(waiting.waitClosed());
        QVERIFY(!running.client().connected());
    }
    void aTakenPortIsTold() {
        Running running;
        const auto second = HttpServer::listen(running.server->port(), running.site);
        QVERIFY(!second);
        QVERIFY(second.error().code == ErrorCode::usage);
        QVERIFY(second.error().message.find(std::to_string(running.server->port())) != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestHttpServer)
#include "tst_http_server.moc"
