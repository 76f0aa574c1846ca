#include "core/wire/body_sniffer.h"
#include "core/wire/cumulative_text.h"
#include "core/wire/server_error.h"
#include "core/wire/surrogates.h"
#include "core/wire/think_splitter.h"

#include <QtTest>
#include <rapidcheck.h>

#include <string>
#include <vector>

using namespace decodescope;

/// The small parts that mend or look at text: halves of pairs, think tags, cumulative text, error bodies, the sniffer.
class TestTextMending : public QObject {
    Q_OBJECT

private slots:
    void halvesOfPairs();
    void thinkTagsByAnyCut();
    void cumulativeText();
    void errorBodies();
    void titles();
    void bodyKinds();
};

namespace {

/// What a splitter makes of pieces: the two sides.
std::pair<std::string, std::string> split(const std::vector<std::string>& pieces) {
    ThinkSplitter splitter;
    std::vector<ThinkSplitter::Piece> out;
    std::uint32_t message = 0;
    for (const std::string& piece : pieces)
        splitter.feed(piece, message++, out);
    splitter.finish(out);
    std::pair<std::string, std::string> sides;
    for (const auto& piece : out)
        (piece.channel == Channel::reasoning ? sides.second : sides.first) += piece.text;
    return sides;
}

} // namespace

void TestTextMending::halvesOfPairs() {
    std::string wtf8;
    appendWtf8(wtf8, 0xD83D);
    QVERIFY(endsWithHighHalf(wtf8));
    QCOMPARE(wtf8ToUtf8(wtf8), std::string("\uFFFD"));
    appendWtf8(wtf8, 0xDE00);
    QVERIFY(!endsWithHighHalf(wtf8));
    QCOMPARE(wtf8ToUtf8(wtf8), std::string("\U0001F600"));
    QCOMPARE(wtf8ToUtf8("plain \xED\x9F\xBF"), std::string("plain \xED\x9F\xBF"));
    QVERIFY(!endsWithHighHalf("\xED"));
}

void TestTextMending::thinkTagsByAnyCut() {
    QVERIFY((split({"a<think>b</think>c"}) == std::pair<std::string, std::string>("ac", "b")));
    QVERIFY((split({"<<think>", "<</think>x</think>"}) == std::pair<std::string, std::string>("<x</think>", "<")));
    QVERIFY((split({"<think>never closed </thin"}) == std::pair<std::string, std::string>("", "never closed </thin")));
    QVERIFY(rc::check("pieces do not matter", [] {
        const auto words = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(std::vector<std::string>{
            "<think>", "</think>", "<", "</", "th", "think", ">", "a", "ink>", "<thin", "k>"}));
        std::string whole;
        std::vector<std::string> letters;
        for (const std::string& word : words) {
            whole += word;
            for (const char c : word)
                letters.emplace_back(1, c);
        }
        RC_ASSERT(split(words) == split({whole}));
        RC_ASSERT(split(letters) == split({whole}));
    }));
}

void TestTextMending::cumulativeText() {
    CumulativeText always(CumulativeText::Mode::always);
    std::string joined;
    for (const char* text : {"Deep", "Deep blue", "Deep", "Deep blue", "Deep blue sea"})
        joined += always.take(text).text;
    QCOMPARE(joined, std::string("Deep blue sea"));

    CumulativeText guard(CumulativeText::Mode::guard);
    joined.clear();
    for (const char* text : {"ha", "ha", "haha", "hahahaha"}) // short repeats are a model's own
        joined += guard.take(text).text;
    QCOMPARE(joined, std::string("hahahahahahahaha"));
    joined += guard.take(" and so on").text;
    QVERIFY(guard.take(joined + "!").repeated);
}

void TestTextMending::errorBodies() {
    const auto messageOf = [](std::string_view body) { return errorFromBody(body).message; };
    QCOMPARE(messageOf(R"({"error":{"message":"a","code":5}})"), std::string("a"));
    QCOMPARE(messageOf(R"({"error":"b"})"), std::string("b"));
    QCOMPARE(messageOf(R"({"message":"c"})"), std::string("c"));
    QCOMPARE(messageOf(R"({"detail":"d"})"), std::string("d"));
    QCOMPARE(messageOf(R"([{"error":{"message":"e"}}])"), std::string("e"));
    QCOMPARE(messageOf(R"("f")"), std::string("f"));
    QCOMPARE(messageOf("  plain\n words "), std::string("plain words"));
    QCOMPARE(messageOf(""), std::string());
    QCOMPARE(messageOf("<html>no title"), std::string());
    QVERIFY(messageOf(std::string(5000, 'x')).size() <= 300);
    const ServerError coded = errorFromBody(R"({"error":{"message":"a","code":null,"type":"t"}})");
    QCOMPARE(coded.code, std::string("t"));
    QVERIFY(!coded.codeIsNumber);
}

void TestTextMending::titles() {
    QCOMPARE(htmlTitle("<title>a</title>"), std::string("a"));
    QCOMPARE(htmlTitle("<TITLE class='x'>\n a &lt;b&gt; &#x41;&#66;&amp;&unknown; \n</TITLE>"),
             std::string("a <b> AB&&unknown;"));
    QCOMPARE(htmlTitle("<title>cut"), std::string("cut"));
    QCOMPARE(htmlTitle("<title"), std::string());
    QCOMPARE(htmlTitle("<title>&#xD800;&#99999999999;&#"), std::string("\uFFFD&#99999999999;&#"));
}

void TestTextMending::bodyKinds() {
    for (const char* text : {"data: x", "data:x", "data\n", "event: y", ": c", ":", "id: 1", "retry: 5", "error: {}",
                             "\xEF\xBB\xBF\r\n data:"})
        QVERIFY2(sniffBody(text) == BodyKind::sse, text);
    for (const char* text : {"", " \n", "d", "data", "even", "\xEF\xBB", "\xEF\xBB\xBF"})
        QVERIFY2(sniffBody(text) == BodyKind::undecided, text);
    QVERIFY(sniffBody(" {") == BodyKind::object && sniffBody("[") == BodyKind::array &&
            sniffBody("\n<") == BodyKind::html && sniffBody("\x01") == BodyKind::binary);
    for (const char* text : {"database", "hello", "eventually", "\xC3\xA4"})
        QVERIFY2(sniffBody(text) == BodyKind::other, text);
    QVERIFY(isMediaType("Text/Event-Stream ; charset=x", "text/event-stream"));
    QVERIFY(!isMediaType("text/event-streams", "text/event-stream"));
}

QTEST_APPLESS_MAIN(TestTextMending)
#include "tst_text_mending.moc"
