#include "tests/core/wire/decode_helper.h"

#include <QtTest>
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>

using namespace decodescope;
using namespace decodescope::test;

namespace {

std::string text(const std::string& content, const std::string& finish = "null") {
    return R"(data: {"choices":[{"index":0,"delta":{"content":")" + content + R"("},"finish_reason":)" + finish +
           "}]}\n\n";
}

const std::string kDone = "data: [DONE]\n\n";

DecoderOptions limited(WireLimits limits) {
    DecoderOptions options = bareBody();
    options.limits = limits;
    return options;
}

} // namespace

class TestStreamDecoder : public QObject {
    Q_OBJECT

private slots:
    void unknownProtocolsAreRefused();
    void everyCutGivesTheSame();
    void eventsCarryTheStampOfTheReadThatCompletedThem();
    void eventsKnowHowManyBytesHadCome();
    void aTailCarriesTheStampOfItsRead();
    void heldTextCarriesTheStampOfItsMessage();
    void transportEnds();
    void theSignsForTheClient();
    void redirectsAreMadeAbsolute();
    void aWholeAnswerThatWasAskedFor();
    void limitOfMessages();
    void limitOfTheBody();
    void limitOfAnEvent();
    void limitOfAnErrorBody();
    void limitOfTheHead();
    void limitOfTheDepth();
    void nothingComesAfterTheEnd();
};

void TestStreamDecoder::unknownProtocolsAreRefused() {
    DecoderOptions options;
    options.protocol = "carrier-pigeon";
    const auto decoder = StreamDecoder::create(options);
    QVERIFY(!decoder);
    QCOMPARE(decoder.error().code, ErrorCode::usage);
    for (const std::string_view name : knownProtocols())
        QVERIFY(decoder.error().message.find(name) != std::string::npos);
}

void TestStreamDecoder::everyCutGivesTheSame() {
    for (const auto& [name, bytes] : rawResponses()) {
        const DecoderOptions options = optionsFor(bytes);
        const auto whole = decode(bytes, options);
        QVERIFY2(brokenPromise(whole).empty(), name.c_str());
        const std::string expected = described(whole);
        const std::size_t size = bytes.size();
        const std::string& raw = bytes;
        const bool good = rc::check(name, [&] {
            auto cuts = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, size + 1));
            std::sort(cuts.begin(), cuts.end());
            RC_ASSERT(described(decode(raw, options, cuts)) == expected);
        });
        QVERIFY2(good, name.c_str());
    }
}

void TestStreamDecoder::eventsCarryTheStampOfTheReadThatCompletedThem() {
    const std::string first = text("a");
    const auto events = decode(first + text("b") + kDone, bareBody(), {5, first.size() - 1, first.size() + 3});
    std::vector<std::uint32_t> reads;
    for (const StreamEvent& event : events) {
        if (std::holds_alternative<TokenDelta>(event.what)) {
            reads.push_back(event.read);
            QCOMPARE(toNs(event.at), (event.read + 1) * 1'000'000LL);
        }
    }
    QCOMPARE(reads, (std::vector<std::uint32_t>{2, 3}));
    QCOMPARE(toNs(events.back().at), 1'004'000'000LL);
}

void TestStreamDecoder::eventsKnowHowManyBytesHadCome() {
    DecoderOptions options;
    options.framing = Framing::bodyOnly;
    const auto decoder = StreamDecoder::create(options);
    QVERIFY(decoder.has_value());
    const std::string event = "data: {\"choices\":[{\"delta\":{\"content\":\"word\"}}]}\n\n";
    const std::string whole = event + event + event;
    std::vector<StreamEvent> out;
    std::vector<std::uint64_t> ends;
    // The first read ends in the middle of the second event, the second one completes it and brings the third.
    for (const auto& [from, to] :
         {std::pair(std::size_t{0}, event.size() + 9), std::pair(event.size() + 9, whole.size())}) {
        ByteChunk chunk;
        chunk.bytes = whole.substr(from, to - from);
        (*decoder)->feed(chunk, out);
    }
    for (const StreamEvent& each : out)
        if (std::holds_alternative<TokenDelta>(each.what))
            ends.push_back(each.streamEnd);
    QVERIFY((ends == std::vector<std::uint64_t>{event.size() + 9, whole.size(), whole.size()}));
}

void TestStreamDecoder::aTailCarriesTheStampOfItsRead() {
    std::string bytes = text("a");
    bytes.pop_back();
    const auto events = decode(bytes, bareBody());
    QVERIFY(warned(events, "unterminated_tail"));
    const auto delta = std::find_if(events.begin(), events.end(),
                                    [](const StreamEvent& e) { return std::holds_alternative<TokenDelta>(e.what); });
    QVERIFY(delta != events.end());
    QCOMPARE(toNs(delta->at), 1'000'000LL);
}

void TestStreamDecoder::heldTextCarriesTheStampOfItsMessage() {
    DecoderOptions options = bareBody();
    options.thinkTags = true;
    const std::string first = text("a <");
    const std::string second = text("<");
    const auto events =
        decode(first + second + text("b", "\"stop\"") + kDone, options, {first.size(), first.size() + second.size()});
    QCOMPARE(textOf(events), std::string("a <<b"));
    std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
    for (const StreamEvent& event : events) {
        if (std::holds_alternative<TokenDelta>(event.what))
            places.emplace_back(event.message, event.read);
    }
    QCOMPARE(places, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, 0}, {0, 0}, {1, 1}, {2, 2}}));
}

void TestStreamDecoder::transportEnds() {
    const auto ended = [](const std::string& bytes, ErrorKind kind) {
        TransportEnd end;
        end.kind = kind;
        end.message = "our words";
        return endOf(decode(bytes, bareBody(), {}, end));
    };
    for (const ErrorKind kind : {ErrorKind::connectionClosed, ErrorKind::timeoutIdle, ErrorKind::timeoutFirstToken,
                                 ErrorKind::timeoutTotal, ErrorKind::cancelled}) {
        const StreamEnd cut = ended(text("a"), kind);
        QVERIFY(cut.kind == kind);
        QCOMPARE(cut.message, std::string("our words"));
        QCOMPARE(cut.verdict, StreamEnd::Verdict::error);
        // A finish reason or [DONE] ends the measurement; what closes the connection after it does not matter.
        QCOMPARE(ended(text("a", "\"stop\""), kind).verdict, StreamEnd::Verdict::complete);
        QCOMPARE(ended(text("a") + kDone, kind).verdict, StreamEnd::Verdict::complete);
        // An error inside the stream wins.
        QVERIFY(ended("data: {\"error\":{\"message\":\"x\"}}\n\n", kind).kind == ErrorKind::inStream);
    }
    // What a cut left behind is no message.
    TransportEnd reset;
    reset.kind = ErrorKind::connectionClosed;
    QCOMPARE(textOf(decode(text("a") + "data: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}", bareBody(), {}, reset)),
             std::string("a"));
}

void TestStreamDecoder::theSignsForTheClient() {
    DecoderOptions options;
    auto decoder = StreamDecoder::create(options);
    QVERIFY(decoder.has_value());
    std::vector<StreamEvent> events;
    std::uint32_t read = 0;
    const auto feed = [&](const std::string& bytes) { (*decoder)->feed({instantFromNs(1), read++, bytes}, events); };
    const std::string body = text("a") + text("", "\"stop\"") + kDone;
    feed("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n");
    feed(text("a"));
    QVERIFY(!(*decoder)->complete() && !(*decoder)->onlyTailExpected());
    feed(text("", "\"stop\""));
    QVERIFY(!(*decoder)->complete() && (*decoder)->onlyTailExpected() && !(*decoder)->reusable());
    feed(kDone);
    QVERIFY((*decoder)->complete() && (*decoder)->reusable());
    QVERIFY(all<StreamEnd>(events).empty());
    (*decoder)->finish({instantFromNs(2), ErrorKind::none, {}}, events);
    QCOMPARE(endOf(events).verdict, StreamEnd::Verdict::complete);
}

void TestStreamDecoder::redirectsAreMadeAbsolute() {
    DecoderOptions options;
    options.requestUrl = "http://one.example:81/v1/chat/completions?x=1";
    const auto target = [&](const std::string& location) {
        return endOf(
                   decode("HTTP/1.1 307 Temporary Redirect\r\nLocation: " + location + "\r\nContent-Length: 0\r\n\r\n",
                          options))
            .redirectTo;
    };
    QCOMPARE(target("https://two.example/a"), std::string("https://two.example/a"));
    QCOMPARE(target("//two.example/a"), std::string("http://two.example/a"));
    QCOMPARE(target("/a/../b?c"), std::string("http://one.example:81/b?c"));
    QCOMPARE(target("models"), std::string("http://one.example:81/v1/chat/models"));
    QCOMPARE(target("?y=2"), std::string("http://one.example:81/v1/chat/completions?y=2"));
}

void TestStreamDecoder::aWholeAnswerThatWasAskedFor() {
    DecoderOptions options;
    options.streamRequested = false;
    const std::string body = R"({"choices":[{"index":0,"message":{"content":"Hi"},"finish_reason":"stop"}]})";
    const auto events =
        decode("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
                   "\r\n\r\n" + body,
               options);
    QVERIFY(endOf(events).notStreamed);
    QVERIFY(!warned(events, "not_streamed"));
    QCOMPARE(textOf(events), std::string("Hi"));
}

void TestStreamDecoder::limitOfMessages() {
    WireLimits limits;
    limits.messages = 3;
    const auto kindOf = [&](int n) {
        std::string bytes;
        for (int i = 0; i < n; ++i)
            bytes += text("a", i + 1 == n ? "\"stop\"" : "null");
        return endOf(decode(bytes, limited(limits))).kind;
    };
    QVERIFY(kindOf(2) == ErrorKind::none);
    QVERIFY(kindOf(3) == ErrorKind::none);
    QVERIFY(kindOf(4) == ErrorKind::tooLarge);
}

void TestStreamDecoder::limitOfTheBody() {
    WireLimits limits;
    const std::string body = text("a") + text("b", "\"stop\"");
    for (const int more : {-1, 0, 1}) {
        limits.bodyBytes = static_cast<std::size_t>(static_cast<int>(body.size()) - more);
        for (const auto& cuts : {std::vector<std::size_t>{}, std::vector<std::size_t>{10, 20, 30, body.size() - 2}}) {
            const auto events = decode(body, limited(limits), cuts);
            QVERIFY(endOf(events).kind == (more > 0 ? ErrorKind::tooLarge : ErrorKind::none));
            QCOMPARE(textOf(events), std::string(more > 0 ? "a" : "ab"));
        }
    }
}

void TestStreamDecoder::limitOfAnEvent() {
    WireLimits limits;
    limits.eventBytes = text("abcd", "\"stop\"").size() - 2;
    QVERIFY(endOf(decode(text("abc", "\"stop\""), limited(limits))).kind == ErrorKind::none);
    QVERIFY(endOf(decode(text("abcd", "\"stop\""), limited(limits))).kind == ErrorKind::none);
    QVERIFY(endOf(decode(text("abcde", "\"stop\""), limited(limits))).kind == ErrorKind::tooLarge);
    QVERIFY(endOf(decode("{" + std::string(1000, ' ') + "}", limited(limits))).kind == ErrorKind::tooLarge);
}

void TestStreamDecoder::limitOfAnErrorBody() {
    DecoderOptions options;
    options.limits.errorBodyBytes = 10;
    const auto kept = [&](const std::string& body) {
        return endOf(decode("HTTP/1.1 500 Oops\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body,
                            options))
            .body;
    };
    QCOMPARE(kept("123456789"), std::string("123456789"));
    QCOMPARE(kept("1234567890"), std::string("1234567890"));
    QCOMPARE(kept("1234567890a"), std::string("1234567890"));
    QCOMPARE(kept("123456789\xC3\xA9"), std::string("123456789\uFFFD")); // valid also where the limit cuts
    // An endless error page need not be waited for.
    auto decoder = StreamDecoder::create(options);
    std::vector<StreamEvent> events;
    (*decoder)->feed({instantFromNs(1), 0, "HTTP/1.1 500 Oops\r\n\r\n1234567890"}, events);
    QVERIFY(!(*decoder)->complete());
    (*decoder)->feed({instantFromNs(1), 1, "more"}, events);
    QVERIFY((*decoder)->complete());
}

void TestStreamDecoder::limitOfTheHead() {
    DecoderOptions options;
    const auto kindOf = [&](std::size_t size) {
        std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX: ";
        head += std::string(size - head.size() - 4, 'x') + "\r\n\r\n";
        return endOf(decode(head + text("a", "\"stop\""), options)).kind;
    };
    QVERIFY(kindOf(options.limits.headerBytes - 1) == ErrorKind::none);
    QVERIFY(kindOf(options.limits.headerBytes) == ErrorKind::none);
    QVERIFY(kindOf(options.limits.headerBytes + 1) == ErrorKind::tooLarge);
}

void TestStreamDecoder::limitOfTheDepth() {
    const auto nested = [](std::size_t depth) {
        return R"(data: {"x":)" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}\n\n";
    };
    QVERIFY(!warned(decode(nested(63), bareBody()), "bad_json"));
    QVERIFY(!warned(decode(nested(64), bareBody()), "bad_json"));
    QVERIFY(warned(decode(nested(65), bareBody()), "bad_json"));
}

void TestStreamDecoder::nothingComesAfterTheEnd() {
    auto decoder = StreamDecoder::create(bareBody());
    std::vector<StreamEvent> events;
    (*decoder)->finish({instantFromNs(5), ErrorKind::cancelled, "stopped"}, events);
    const std::size_t count = events.size();
    QVERIFY(endOf(events).kind == ErrorKind::cancelled);
    (*decoder)->feed({instantFromNs(6), 0, text("late")}, events);
    (*decoder)->finish({instantFromNs(7), ErrorKind::none, {}}, events);
    QCOMPARE(events.size(), count);
}

QTEST_APPLESS_MAIN(TestStreamDecoder)
#include "tst_stream_decoder.moc"
