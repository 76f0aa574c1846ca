#include "core/wire/body_choice.h"
#include "core/wire/json_cutter.h"
#include "core/wire/prefix_test.h"

#include <QtTest>
#include <rapidcheck.h>

#include <string>
#include <vector>

using namespace decodescope;

namespace {

class Notes final : public JsonTextSink {
public:
    void onJsonText(std::string_view text) override { lines.emplace_back(text); }
    void onArrayEnd() override { lines.emplace_back("<end>"); }
    std::vector<std::string> lines;
};

using Lines = std::vector<std::string>;

template <class Cutter>
Lines cut(const std::string& bytes, const std::vector<std::size_t>& cuts = {}, std::size_t limit = 1000) {
    Notes notes;
    Cutter cutter(notes, limit);
    std::size_t begin = 0;
    for (const std::size_t end : cuts) {
        if (end > begin && end < bytes.size()) {
            (void)cutter.feed(std::string_view(bytes).substr(begin, end - begin));
            begin = end;
        }
    }
    if (cutter.feed(std::string_view(bytes).substr(begin)) == Cutter::Status::tooLarge)
        notes.lines.emplace_back("<too large>");
    if (cutter.finish() != Cutter::Tail::nothing)
        notes.lines.emplace_back("<tail>");
    return notes.lines;
}

std::vector<std::size_t> everyByte(std::size_t size) {
    std::vector<std::size_t> cuts;
    for (std::size_t i = 1; i < size; ++i)
        cuts.push_back(i);
    return cuts;
}

/// What a prefix test makes of texts, as "message:text" in the order in which it is told.
std::string told(const std::vector<std::string>& texts) {
    PrefixTest test(PrefixTest::Knowledge::none);
    std::vector<PrefixTest::Piece> out;
    std::uint32_t message = 0;
    for (const std::string& text : texts)
        test.take(text, message++, out);
    test.finish(out);
    std::string line;
    for (const PrefixTest::Piece& piece : out)
        line += std::to_string(piece.message) + ":" + piece.text + " ";
    return line;
}

} // namespace

/// NDJSON and JSON arrays cut into their texts, what a body is taken for, and cumulative texts told from deltas.
class TestJsonCutter : public QObject {
    Q_OBJECT

private slots:
    void lines_data();
    void lines();
    void arrays_data();
    void arrays();
    void anElementIsToldWithItsLastBracket();
    void cutsDoNotMatter();
    void brackets();
    void choices();
    void refusals();
    void prefixes();
};

Q_DECLARE_METATYPE(Lines)

void TestJsonCutter::lines_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<Lines>("expected");
    QTest::newRow("LF") << QByteArray("{}\n[1]\n") << Lines{"{}", "[1]"};
    QTest::newRow("CRLF") << QByteArray("{}\r\n{ }\r\n") << Lines{"{}\r", "{ }\r"};
    QTest::newRow("blank lines") << QByteArray("\n \t\n{}\n\r\n\n") << Lines{"{}"};
    QTest::newRow("byte order mark") << QByteArray("\xEF\xBB\xBF{}\n") << Lines{"{}"};
    QTest::newRow("a mark alone") << QByteArray("\xEF\xBB\xBF\n{}\n") << Lines{"{}"};
    QTest::newRow("no LF at the end") << QByteArray("{}\n{\"a\":1}") << Lines{"{}", "{\"a\":1}", "<tail>"};
    QTest::newRow("space at the end") << QByteArray("{}\n \r") << Lines{"{}"};
    QTest::newRow("nothing") << QByteArray() << Lines{};
    QTest::newRow("U+2028 is no end") << QByteArray("\"a\xE2\x80\xA8z\"\n") << Lines{"\"a\xE2\x80\xA8z\""};
    QTest::newRow("too large") << QByteArray(2000, 'x') << Lines{"<too large>"};
}

void TestJsonCutter::lines() {
    QFETCH(QByteArray, bytes);
    QFETCH(Lines, expected);
    QCOMPARE(cut<LineCutter>(bytes.toStdString()), expected);
    QCOMPARE(cut<LineCutter>(bytes.toStdString(), everyByte(static_cast<std::size_t>(bytes.size()))), expected);
}

void TestJsonCutter::arrays_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<Lines>("expected");
    QTest::newRow("plain") << QByteArray("[{\"a\":1}\r\n,\n{\"b\":[2]}\n]\n")
                           << Lines{"{\"a\":1}", "{\"b\":[2]}", "<end>"};
    QTest::newRow("byte order mark") << QByteArray("\xEF\xBB\xBF [{}]") << Lines{"{}", "<end>"};
    QTest::newRow("brackets in strings") << QByteArray("[{\"a\":\"}]\\\"}\\\\\"},{}]")
                                         << Lines{"{\"a\":\"}]\\\"}\\\\\"}", "{}", "<end>"};
    QTest::newRow("no comma") << QByteArray("[{}{}]") << Lines{"{}", "{}", "<end>"};
    QTest::newRow("commas alone") << QByteArray("[,,{},]") << Lines{"{}", "<end>"};
    QTest::newRow("words between") << QByteArray("[null, x y ,{},\"a,b\", 5]")
                                   << Lines{"null", "x y ", "{}", "\"a,b\"", "5", "<end>"};
    QTest::newRow("nested") << QByteArray("[[[1],{}],{}]") << Lines{"[[1],{}]", "{}", "<end>"};
    QTest::newRow("empty") << QByteArray("[ ]") << Lines{"<end>"};
    QTest::newRow("not closed") << QByteArray("[{},") << Lines{"{}", "<tail>"};
    QTest::newRow("cut inside") << QByteArray("[{},{\"a\":\"") << Lines{"{}", "<tail>"};
    QTest::newRow("after the end") << QByteArray("[{}] {\"x\":1}") << Lines{"{}", "<end>", "{\"x\":1}"};
    QTest::newRow("closed twice") << QByteArray("[{}]]") << Lines{"{}", "<end>"};
    QTest::newRow("an element too large")
        << QByteArray("[{},{" + QByteArray(2000, ' ') + "}]") << Lines{"{}", "<too large>", "<tail>"};
    QTest::newRow("much in all") << QByteArray("[" + QByteArray("{\"a\":1},").repeated(200) + "{}]") << [] {
        Lines all(200, "{\"a\":1}");
        all.insert(all.end(), {"{}", "<end>"});
        return all;
    }();
}

void TestJsonCutter::arrays() {
    QFETCH(QByteArray, bytes);
    QFETCH(Lines, expected);
    QCOMPARE(cut<ArrayCutter>(bytes.toStdString()), expected);
    QCOMPARE(cut<ArrayCutter>(bytes.toStdString(), everyByte(static_cast<std::size_t>(bytes.size()))), expected);
}

void TestJsonCutter::anElementIsToldWithItsLastBracket() {
    Notes notes;
    ArrayCutter cutter(notes, 1000);
    (void)cutter.feed("[{\"a\":1");
    QVERIFY(notes.lines.empty());
    (void)cutter.feed("}");
    QCOMPARE(notes.lines, (Lines{"{\"a\":1}"}));
}

void TestJsonCutter::cutsDoNotMatter() {
    QVERIFY(rc::check([](const std::vector<std::size_t>& places) {
        static const std::vector<std::string> kParts{"[",  "]",    "{", "}", "\"",       "\\",           ",",
                                                     "\n", "\r\n", " ", "a", "\xC3\xA4", "{\"x\":\"]\"}"};
        std::string bytes;
        std::vector<std::size_t> cuts;
        for (const std::size_t place : places) {
            bytes += kParts[place % kParts.size()];
            if (place % 3 == 0)
                cuts.push_back(bytes.size() - place % 2);
        }
        RC_ASSERT(cut<ArrayCutter>(bytes, cuts, 40) == cut<ArrayCutter>(bytes, {}, 40));
        RC_ASSERT(cut<LineCutter>(bytes, cuts, 10) == cut<LineCutter>(bytes, {}, 10));
    }));
}

void TestJsonCutter::brackets() {
    QVERIFY(opensBrackets("{") && opensBrackets(" [ {\"a\": \"}}}\","));
    QVERIFY(!opensBrackets("{}") && !opensBrackets("{\"a") && !opensBrackets("nothing"));
}

void TestJsonCutter::choices() {
    using enum MessageFraming;
    const auto form = [](BodyKind kind, MessageFraming framing, std::string_view type, bool mayBeArray = false) {
        return chooseBody(kind, {framing, mayBeArray, false, type}).form;
    };
    QVERIFY(form(BodyKind::sse, lines, "application/x-ndjson") == BodyForm::events);
    QVERIFY(form(BodyKind::sse, jsonArray, "text/event-stream", true) == BodyForm::events);
    QVERIFY(form(BodyKind::object, lines, "text/plain") == BodyForm::lines);
    QVERIFY(form(BodyKind::object, serverSentEvents, "text/event-stream") == BodyForm::whole);
    QVERIFY(form(BodyKind::array, serverSentEvents, "application/json", true) == BodyForm::array);
    QVERIFY(form(BodyKind::array, serverSentEvents, "application/json") == BodyForm::whole);
    QVERIFY(form(BodyKind::other, lines, "application/x-ndjson") == BodyForm::lines);
    QVERIFY(form(BodyKind::other, serverSentEvents, "application/x-ndjson") == BodyForm::refused);
    QVERIFY(form(BodyKind::binary, serverSentEvents, "text/event-stream") == BodyForm::refused);
    QVERIFY(form(BodyKind::undecided, jsonArray, "") == BodyForm::array);
    const auto mismatch = [](BodyKind kind, BodyExpectation expected) { return chooseBody(kind, expected).mismatch; };
    QVERIFY(mismatch(BodyKind::array, {serverSentEvents, true, true, {}}));
    QVERIFY(!mismatch(BodyKind::array, {jsonArray, true, true, {}}));
    QVERIFY(!mismatch(BodyKind::array, {serverSentEvents, true, false, "application/json; charset=utf-8"}));
    QVERIFY(mismatch(BodyKind::sse, {jsonArray, true, false, "application/json"}));
    QVERIFY(mismatch(BodyKind::object, {lines, false, false, "text/plain"}));
    QVERIFY(!mismatch(BodyKind::object, {lines, false, true, {}}));
}

void TestJsonCutter::refusals() {
    const std::string prelude("\0\0\0\x76\0\0\0\x52\x96\xD5\xFA\xDE\x0B:event-type", 24);
    for (const char* type : {"application/vnd.amazon.eventstream", "text/event-stream", ""})
        QVERIFY(refusalOf(prelude, type).find("Bedrock") != std::string::npos);
    QVERIFY(refusalOf("\x01\x02", "application/grpc").find("application/grpc") != std::string::npos);
    QVERIFY(refusalOf("\x01\x02", "").find("binary") != std::string::npos);
    QVERIFY(refusalOf("\x1F\x8B\x08", "text/event-stream").find("gzip") != std::string::npos);
    QVERIFY(refusalOf("<p>", "text/html").find("web page") != std::string::npos);
    QVERIFY(refusalOf("hello", "text/plain").find("text/plain") != std::string::npos);
}

void TestJsonCutter::prefixes() {
    QCOMPARE(told({"Deep", "Deep blue", "Deep blue sea"}), std::string("0:Deep 1: blue 2: sea "));
    QCOMPARE(told({"Deep", "Deep blue"}), std::string("0:Deep 1: blue "));
    QCOMPARE(told({"Deep", " blue", " sea"}), std::string("0:Deep 1: blue 2: sea "));
    // "110," in pieces: that "10" begins with "1" says nothing yet.
    QCOMPARE(told({"1", "10", ","}), std::string("0:1 1:10 2:, "));
    QCOMPARE(told({"ha", "ha", "ha", "!"}), std::string("0:ha 1:ha 2:ha 3:! "));
    QCOMPARE(told({"ha", "ha", "ha"}), std::string("0:ha 1:ha 2:ha "));
    QCOMPARE(told({"Yes", "Yes"}), std::string("0:Yes "));
    QCOMPARE(told({"one", "", "one two", "one two", "one two three"}), std::string("0:one 2: two 4: three "));
    // What is cut at the end of a cumulative text was held to be a stop string.
    QCOMPARE(told({"a b", "a b c", "a b c d", "a b c"}), std::string("0:a b 1: c 2: d "));
    QCOMPARE(told({"x\uFFFD", "x\u6DF1", "x\u6DF1y"}), std::string("0:x 1:\u6DF1 2:y "));
    QCOMPARE(told({"x\uFFFD", "y"}), std::string("0:x 0:\uFFFD 1:y "));
    QCOMPARE(told({"x", "xy", "xyz\uFFFD"}), std::string("0:x 1:y 2:z 2:\uFFFD "));
    QCOMPARE(told({}), std::string());
    const std::vector<std::string> many(1000, "a");
    QVERIFY(told(many).ends_with("999:a "));
}

QTEST_APPLESS_MAIN(TestJsonCutter)
#include "tst_json_cutter.moc"
