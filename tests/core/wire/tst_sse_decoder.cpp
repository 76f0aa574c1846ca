#include "core/wire/sse_decoder.h"

#include <QtTest>
#include <rapidcheck.h>

#include <string>
#include <vector>

using namespace decodescope;

namespace {

/// Writes down what it is told.
class Notes final : public SseSink {
public:
    void onSseEvent(std::string_view name, std::string_view data) override {
        lines.push_back("event " + std::string(name) + "|" + std::string(data));
    }
    void onSseComment(std::string_view text) override { lines.push_back("comment" + std::string(text)); }
    void onSseErrorField(std::string_view data) override { lines.push_back("error " + std::string(data)); }
    void onSseBareJson(std::string_view text) override { lines.push_back("bare " + std::string(text)); }

    std::vector<std::string> lines;
};

using Lines = std::vector<std::string>;

Lines decodeSse(const std::string& bytes, const std::vector<std::size_t>& cuts = {}, std::size_t limit = 1000) {
    Notes notes;
    SseDecoder decoder(notes, limit);
    std::size_t begin = 0;
    for (const std::size_t cut : cuts) {
        if (cut > begin && cut < bytes.size()) {
            (void)decoder.feed(std::string_view(bytes).substr(begin, cut - begin));
            begin = cut;
        }
    }
    if (decoder.feed(std::string_view(bytes).substr(begin)) == SseDecoder::Status::tooLarge)
        notes.lines.emplace_back("too large");
    if (decoder.finish() == SseDecoder::Tail::used)
        notes.lines.emplace_back("tail");
    return notes.lines;
}

} // namespace

class TestSseDecoder : public QObject {
    Q_OBJECT

private slots:
    void standard_data();
    void standard();
    void limits();
    void cutsDoNotMatter();
};

Q_DECLARE_METATYPE(Lines)

void TestSseDecoder::standard_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<Lines>("expected");
    QTest::newRow("LF") << QByteArray("data: a\n\n") << Lines{"event |a"};
    QTest::newRow("CRLF") << QByteArray("data: a\r\n\r\n") << Lines{"event |a"};
    QTest::newRow("CR") << QByteArray("data: a\r\r") << Lines{"event |a"};
    QTest::newRow("mixed") << QByteArray("data: a\r\ndata: b\rdata: c\n\r\n") << Lines{"event |a\nb\nc"};
    QTest::newRow("LF CR is two ends") << QByteArray("data: a\n\rdata: b\n\n") << Lines{"event |a", "event |b"};
    QTest::newRow("one space is stripped") << QByteArray("data:a\ndata:  b\n\n") << Lines{"event |a\n b"};
    QTest::newRow("bare field") << QByteArray("data\ndata: x\n\n") << Lines{"event |\nx"};
    QTest::newRow("empty data is no event") << QByteArray("data\n\ndata:\n\nevent: x\n\nid: 1\n\n") << Lines{};
    QTest::newRow("a name is for one event")
        << QByteArray("event: e\ndata: a\n\ndata: b\n\n") << Lines{"event e|a", "event |b"};
    QTest::newRow("the last name counts") << QByteArray("event: e\nevent: f\ndata: a\n\n") << Lines{"event f|a"};
    QTest::newRow("comments") << QByteArray(": c\n:\n:d\ndata: a\n\n")
                              << Lines{"comment c", "comment", "commentd", "event |a"};
    QTest::newRow("other fields") << QByteArray("retry: 5\nid: 1\nx: y\nDATA: no\n data: no\ndata: a\n\n")
                                  << Lines{"event |a"};
    QTest::newRow("byte order mark once") << QByteArray("\xEF\xBB\xBF"
                                                        "data: a\n\n\xEF\xBB\xBF"
                                                        "data: b\n\n")
                                          << Lines{"event |a"};
    QTest::newRow("an object between events")
        << QByteArray("data: a\n\n{\n  \"x\": \"}\"\n}\n{}\ndata: b\n\n")
        << Lines{"event |a", "bare {\n  \"x\": \"}\"\n}\n", "bare {}\n", "event |b"};
    QTest::newRow("an object that is never closed swallows no event")
        << QByteArray("{ \"x\": [\n  1\ndata: b\n\n}\n") << Lines{"event |b"};
    QTest::newRow("a bracket within an event") << QByteArray("data: a\n{}\n\n") << Lines{"event |a"};
    QTest::newRow("error field") << QByteArray("error: a\nerror: b\n\ndata: c\n\n") << Lines{"error a\nb", "event |c"};
    QTest::newRow("colons in the value") << QByteArray("data: a:b: c\n\n") << Lines{"event |a:b: c"};
    QTest::newRow("NUL and U+2028 are text") << QByteArray("data: a\0b\xE2\x80\xA8"
                                                           "c\n\n",
                                                           15)
                                             << Lines{std::string("event |a\0b\xE2\x80\xA8"
                                                                  "c",
                                                                  14)};
    QTest::newRow("tail without end") << QByteArray("data: a\n\ndata: b") << Lines{"event |a", "event |b", "tail"};
    QTest::newRow("tail without blank line") << QByteArray("event: e\ndata: b\n") << Lines{"event e|b", "tail"};
    QTest::newRow("a comment is no tail") << QByteArray("data: a\n\n: bye") << Lines{"event |a", "comment bye"};
}

void TestSseDecoder::standard() {
    QFETCH(QByteArray, bytes);
    QFETCH(Lines, expected);
    const std::string text = bytes.toStdString();
    QVERIFY(decodeSse(text) == expected);
    for (std::size_t cut = 1; cut < text.size(); ++cut)
        QVERIFY2(decodeSse(text, {cut}) == expected, qPrintable(QString("cut at %1").arg(cut)));
}

void TestSseDecoder::limits() {
    constexpr std::size_t kLimit = 40;
    const auto lineOf = [](std::size_t size) { return "data: " + std::string(size - 6, 'x'); };
    const auto tooLarge = [](const Lines& lines) { return lines.size() == 1 && lines[0] == "too large"; };
    QVERIFY(!tooLarge(decodeSse(lineOf(kLimit - 1) + "\n\n", {}, kLimit)));
    QVERIFY(!tooLarge(decodeSse(lineOf(kLimit) + "\n\n", {}, kLimit)));
    QVERIFY(tooLarge(decodeSse(lineOf(kLimit + 1) + "\n\n", {}, kLimit)));
    QVERIFY(tooLarge(decodeSse(lineOf(kLimit + 1), {10, 20, 30}, kLimit))); // a line that never ends

    const auto eventOf = [](std::size_t size) {
        return "data: " + std::string(size - 11, 'x') + "\ndata: " + "yyyyyyyyyy\n\n";
    };
    QVERIFY(!tooLarge(decodeSse(eventOf(kLimit - 1), {}, kLimit)));
    QVERIFY(!tooLarge(decodeSse(eventOf(kLimit), {}, kLimit)));
    QVERIFY(tooLarge(decodeSse(eventOf(kLimit + 1), {}, kLimit)));
    std::string endless;
    for (int i = 0; i < 20; ++i)
        endless += "data: x\n"; // an event that never ends
    QVERIFY(!tooLarge(decodeSse(endless, {}, kLimit)));
    for (int i = 0; i < 20; ++i)
        endless += "data: x\n";
    QVERIFY(tooLarge(decodeSse(endless, {}, kLimit)));
}

void TestSseDecoder::cutsDoNotMatter() {
    const bool good = rc::check("the same for every cut", [] {
        const auto words = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(
            std::vector<std::string>{"data", "data: ", "event:", ":", "error: ", "\r", "\n", "\r\n", "\n\n", "\r\n\r\n",
                                     "a", " ", "\xEF\xBB\xBF", "\xE2\x80", "\xA8", "id: 3", "[DONE]"}));
        std::string bytes;
        for (const std::string& word : words)
            bytes += word;
        auto cuts = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, bytes.size() + 1));
        std::sort(cuts.begin(), cuts.end());
        RC_ASSERT(decodeSse(bytes, cuts) == decodeSse(bytes));
    });
    QVERIFY(good);
}

QTEST_APPLESS_MAIN(TestSseDecoder)
#include "tst_sse_decoder.moc"
