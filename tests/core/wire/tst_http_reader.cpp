#include "core/wire/http_reader.h"

#include <QtTest>

#include <string>

using namespace decodescope;

namespace {

class Notes final : public HttpSink {
public:
    void onHttpHead(const ResponseHead& head, std::string_view reason) override {
        text += "head " + std::to_string(head.status) + " " + std::string(reason) + "\n";
        headers = head.headers;
    }
    void onHttpBody(std::string_view bytes) override { body += bytes; }
    void onHttpEnd() override { text += "end\n"; }

    std::string text;
    std::string body;
    Headers headers;
};

struct Outcome {
    std::string notes;
    std::string body;
    HttpReader::Status status = HttpReader::Status::open;
    bool cleanEnd = false;
    bool reusable = false;
    Headers headers;
    std::string problem;

    bool operator==(const Outcome&) const = default;
};

Outcome readHttp(const std::string& bytes, std::size_t step = 0, std::size_t limit = 400) {
    Notes notes;
    HttpReader reader(notes, limit);
    Outcome out;
    step = step == 0 ? bytes.size() : step;
    for (std::size_t at = 0; at < bytes.size(); at += step)
        out.status = reader.feed(std::string_view(bytes).substr(at, step));
    out.problem = reader.problem();
    out.reusable = reader.reusable();
    out.cleanEnd = reader.finish();
    out.notes = notes.text;
    out.body = notes.body;
    out.headers = notes.headers;
    return out;
}

} // namespace

class TestHttpReader : public QObject {
    Q_OBJECT

private slots:
    void f21_bodies_data();
    void f21_bodies();
    void headersAreLowerCaseAndInOrder();
    void interimAnswersAreSkipped();
    void leftOverBytesSpoilTheConnection();
    void limits();
};

void TestHttpReader::f21_bodies_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<bool>("clean");
    QTest::addColumn<bool>("reusable");
    QTest::addColumn<bool>("malformed");
    const QByteArray chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    QTest::newRow("length") << QByteArray("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc") << QByteArray("abc")
                            << true << true << false;
    QTest::newRow("length 0") << QByteArray("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") << QByteArray() << true
                              << true << false;
    QTest::newRow("length, closing") << QByteArray("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\na")
                                     << QByteArray("a") << true << false << false;
    QTest::newRow("length, cut") << QByteArray("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc") << QByteArray("abc")
                                 << false << false << false;
    QTest::newRow("until the end") << QByteArray("HTTP/1.1 200 OK\r\n\r\nabc") << QByteArray("abc") << true << false
                                   << false;
    QTest::newRow("204 has none") << QByteArray("HTTP/1.1 204 No Content\r\n\r\n") << QByteArray() << true << true
                                  << false;
    QTest::newRow("chunks") << chunked + "1\r\na\r\n2\r\nbc\r\n0\r\n\r\n" << QByteArray("abc") << true << true << false;
    QTest::newRow("chunks with extensions, trailers, padding zeros")
        << chunked + "01;x\r\na\r\n002;y=\"z\"\r\nbc\r\n000;last\r\nA: b\r\nC: d\r\n\r\n"
        << QByteArray("abc") << true << true << false;
    QTest::newRow("upper case size") << chunked + "A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n"
                                     << QByteArray("01234567890123456789") << true << true << false;
    QTest::newRow("no last chunk") << chunked + "1\r\na\r\n" << QByteArray("a") << false << false << false;
    QTest::newRow("cut in a chunk") << chunked + "5\r\na" << QByteArray("a") << false << false << false;
    QTest::newRow("cut in the last chunk") << chunked + "1\r\na\r\n0\r\n" << QByteArray("a") << false << false << false;
    QTest::newRow("cut in the head") << QByteArray("HTTP/1.1 200 OK\r\nA: b\r\n") << QByteArray() << false << false
                                     << false;
    QTest::newRow("no chunk size") << chunked + "xyz\r\na\r\n" << QByteArray() << false << false << true;
    QTest::newRow("chunk size as in C") << chunked + "0x5\r\nhello\r\n0\r\n\r\n"
                                        << QByteArray() << false << false << true;
    QTest::newRow("line feeds alone around chunks") << chunked + "1\na\n0\n\n"
                                                    << QByteArray() << false << false << true;
    QTest::newRow("a line feed alone behind a chunk") << chunked + "1\r\na\n1\r\nb\r\n0\r\n\r\n"
                                                      << QByteArray("a") << false << false << true;
    QTest::newRow("endless chunk size") << chunked + "fffffffffffffffff\r\na\r\n"
                                        << QByteArray() << false << false << true;
    QTest::newRow("chunk longer than told") << chunked + "1\r\nabc\r\n0\r\n\r\n"
                                            << QByteArray("a") << false << false << true;
    QTest::newRow("two lengths") << QByteArray("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc")
                                 << QByteArray() << false << false << true;
    QTest::newRow("length and chunks")
        << QByteArray("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
                      "5\r\nabcde\r\n0\r\n\r\n")
        << QByteArray("abcde") << true << false << false;
    QTest::newRow("no phrase") << QByteArray("HTTP/1.1 200\r\nContent-Length: 1\r\n\r\na") << QByteArray("a") << true
                               << true << false;
    QTest::newRow("no phrase, length and chunks")
        << QByteArray("HTTP/1.1 200\r\ntransfer-encoding: Chunked\r\ncontent-length: 3\r\n\r\n0\r\n\r\n")
        << QByteArray() << true << false << false;
    QTest::newRow("no HTTP") << QByteArray("SSH-2.0-OpenSSH\r\n") << QByteArray() << false << false << true;
    QTest::newRow("TLS alert") << QByteArray("\x15\x03\x01\x00\x02\x02\x28", 7) << QByteArray() << false << false
                               << true;
}

void TestHttpReader::f21_bodies() {
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, body);
    QFETCH(bool, clean);
    QFETCH(bool, reusable);
    QFETCH(bool, malformed);
    const Outcome whole = readHttp(bytes.toStdString());
    QCOMPARE(QByteArray::fromStdString(whole.body), body);
    QCOMPARE(whole.cleanEnd, clean);
    QCOMPARE(whole.reusable, reusable);
    QCOMPARE(whole.status == HttpReader::Status::malformed, malformed);
    QCOMPARE(whole.notes.find("end\n") != std::string::npos, clean);
    QCOMPARE(whole.problem.empty(), !malformed);
    QVERIFY2(whole.problem.find("need more") == std::string::npos, whole.problem.c_str());
    for (std::size_t step = 1; step < 9; ++step)
        QVERIFY2(readHttp(bytes.toStdString(), step) == whole, qPrintable(QString("in steps of %1").arg(step)));
}

void TestHttpReader::headersAreLowerCaseAndInOrder() {
    const Outcome got =
        readHttp("HTTP/1.1 200 Fine\r\nB-Two: x \r\nA-One:\t y\xFFz\r\nb-two: 2\r\nContent-Length: 0\r\n\r\n");
    const Headers expected{{"b-two", "x"}, {"a-one", "y\uFFFDz"}, {"b-two", "2"}, {"content-length", "0"}};
    QVERIFY(got.headers == expected);
    QVERIFY(got.notes.starts_with("head 200 Fine\n"));
}

void TestHttpReader::interimAnswersAreSkipped() {
    const std::string bytes = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"
                              "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx";
    for (const std::size_t step : {std::size_t{0}, std::size_t{1}, std::size_t{5}}) {
        const Outcome got = readHttp(bytes, step);
        QCOMPARE(got.notes, std::string("head 200 OK\nend\n"));
        QCOMPARE(got.headers.size(), std::size_t{1});
    }
    QVERIFY(!readHttp("HTTP/1.1 100 Continue\r\n\r\n").cleanEnd);
}

void TestHttpReader::leftOverBytesSpoilTheConnection() {
    const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx";
    QVERIFY(readHttp(answer).reusable);
    QVERIFY(!readHttp(answer + "y").reusable);
    QVERIFY(!readHttp(answer + "y", 1).reusable);
}

void TestHttpReader::limits() {
    const std::string frame = "HTTP/1.1 200 OK\r\nX: \r\nContent-Length: 0\r\n\r\n";
    const auto headOf = [&](std::size_t size) {
        std::string head = frame;
        return head.insert(frame.find("X: ") + 3, std::string(size - frame.size(), 'x'));
    };
    for (const std::size_t step : {std::size_t{0}, std::size_t{1}, std::size_t{64}}) {
        QVERIFY(readHttp(headOf(399), step).status == HttpReader::Status::done);
        QVERIFY(readHttp(headOf(400), step).status == HttpReader::Status::done);
        QVERIFY(readHttp(headOf(401), step).status == HttpReader::Status::tooLarge);
    }
    std::string endless = "HTTP/1.1 200 OK\r\n";
    for (int i = 0; i < 100; ++i)
        endless += "A: b\r\n";
    QVERIFY(readHttp(endless, 7).status == HttpReader::Status::tooLarge);
    const std::string extension = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;" + std::string(500, 'x');
    QVERIFY(readHttp(extension, 7).status == HttpReader::Status::tooLarge);
}

QTEST_APPLESS_MAIN(TestHttpReader)
#include "tst_http_reader.moc"
