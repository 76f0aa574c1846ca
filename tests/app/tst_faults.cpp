// What the wild sends, a test function each, by the numbers of the faults in tests/faults.md: through `explain`, which
// is the code that measures live streams, at one read and byte by byte.
#include "tests/app/wire_rules.h"
#include "tests/support/compressed.h"

#include <QtTest>

#include <initializer_list>
#include <string>
#include <string_view>

using namespace decodescope::test;
using nlohmann::json;

namespace {

constexpr const char* kStream = "Content-Type: text/event-stream\r\n";

std::string chunked(const std::string& body, std::size_t size, const std::string& extension = {}) {
    std::string out;
    for (std::size_t at = 0; at < body.size(); at += size) {
        const std::string piece = body.substr(at, size);
        out += QByteArray::number(qulonglong(piece.size()), 16).toStdString() + extension + "\r\n" + piece + "\r\n";
    }
    return out;
}

std::string ordinary() {
    return textEvent("one") + textEvent(" two", "\"stop\"") + doneEvent();
}

/// What explain finds, after it was seen to be the same in one read and byte by byte. Null when it was not.
json found(const std::string& bytes, const std::string& protocol = "openai-chat") {
    WireCase c;
    c.protocol = protocol;
    c.bytes = bytes;
    json whole = explained(c, {});
    json single = explained(c, {"single", 1, {}});
    for (json* one : {&whole, &single}) {
        one->erase("reads");
        auto& warnings = (*one)["warnings"];
        for (auto it = warnings.begin(); it != warnings.end();)
            it = *it == "burst" ? warnings.erase(it) : it + 1;
    }
    return whole == single ? whole : json();
}

bool warned(const json& f, std::string_view name) {
    for (const json& one : f["warnings"]) {
        if (one == name)
            return true;
    }
    return false;
}

/// A complete answer of "one two".
bool ordinaryIn(const json& f) {
    return f["status"] == "complete" && f["text"] == "one two" && f["token_events"] == 2;
}

bool refused(const json& f, const char* kind) {
    return f["status"] == "error" && f["error_kind"] == kind && f["token_events"] == 0;
}

} // namespace

class TestFaults : public QObject {
    Q_OBJECT

private slots:
    void f07_aCleanCloseWithoutTerminatorIsTruncated() {
        const json f = found(httpAnswer("200 OK", kStream, textEvent("half of ") + textEvent("it")));
        QCOMPARE(f["status"], json("incomplete"));
        QCOMPARE(f["error_kind"], json("truncated"));
        QCOMPARE(f["text"], json("half of it"));
    }
    void f09_dataAfterTheTerminatorDoesNotCount() {
        const json f = found(ordinary() + textEvent("ghost"));
        QVERIFY(ordinaryIn(f));
        QVERIFY(warned(f, "data_after_done"));
        QCOMPARE(f["events"], json(3));
    }
    void f14_errorStatusesAreTold_data() {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("kind");
        for (const auto& [line, kind] :
             std::initializer_list<std::pair<const char*, const char*>>{{"401 Unauthorized", "auth"},
                                                                        {"403 Forbidden", "auth"},
                                                                        {"404 Not Found", "http_status"},
                                                                        {"408 Request Timeout", "http_status"},
                                                                        {"413 Content Too Large", "http_status"},
                                                                        {"429 Too Many Requests", "rate_limited"},
                                                                        {"500 Internal Server Error", "http_status"},
                                                                        {"502 Bad Gateway", "http_status"},
                                                                        {"503 Service Unavailable", "http_status"},
                                                                        {"529 Overloaded", "http_status"}})
            QTest::newRow(line) << QByteArray(line) << QByteArray(kind);
    }
    void f14_errorStatusesAreTold() {
        QFETCH(QByteArray, line);
        QFETCH(QByteArray, kind);
        const std::string first = line.toStdString();
        const json inJson = found(httpAnswer(first, "Content-Type: application/json\r\nRetry-After: 7\r\n",
                                             R"({"error":{"message":"No.","code":"nope"}})"));
        QVERIFY2(refused(inJson, kind.constData()), inJson.dump().c_str());
        QCOMPARE(inJson["http_status"], json(line.left(3).toInt()));
        QCOMPARE(inJson["error_message"], json("No."));
        QCOMPARE(inJson["error_code"], json("nope"));
        QCOMPARE(inJson["retry_after_ms"], json(7000));
        const json page = found(httpAnswer(first, "Content-Type: text/html\r\n", "<title>Oh &amp; no</title>"));
        QVERIFY(refused(page, kind.constData()));
        QCOMPARE(page["error_message"], json("Oh & no"));
        QVERIFY(refused(found(httpAnswer(first, {}, {})), kind.constData()));
    }
    void f15_jsonInsteadOfAStreamIsNoStream() {
        const json f = found(httpAnswer("200 OK", "Content-Type: application/json\r\n",
                                        R"({"choices":[{"index":0,"message":{"role":"assistant","content":"all"},)"
                                        R"("finish_reason":"stop"}],"usage":{"completion_tokens":4}})"));
        QCOMPARE(f["token_events"], json(0));
        QCOMPARE(f["text"], json("all"));
        QVERIFY(warned(f, "not_streamed"));
    }
    void f16_aWrongContentTypeIsSeenThroughOrRefused() {
        const json mislabelled = found(httpAnswer("200 OK", "Content-Type: text/plain\r\n", ordinary()));
        QVERIFY(ordinaryIn(mislabelled));
        QVERIFY(warned(mislabelled, "content_type_mismatch"));
        QVERIFY(refused(found(httpAnswer("200 OK", "Content-Type: text/html\r\n", "<html><title>Sign in</title>")),
                        "bad_content_type"));
        QVERIFY(refused(found(httpAnswer("200 OK", "Content-Type: application/vnd.amazon.eventstream\r\n",
                                         std::string("\0\0\0\x10xyz", 7))),
                        "bad_content_type"));
    }
    void f18_hugeHeadersAreRefused() {
        QVERIFY(refused(found("HTTP/1.1 200 OK\r\nX: " + std::string(70'000, 'h') + "\r\n\r\n"), "too_large"));
        std::string many = "HTTP/1.1 200 OK\r\n";
        for (int i = 0; i < 20'000; ++i)
            many += "A: b\r\n";
        QVERIFY(refused(found(many), "too_large"));
    }
    void f19_chunkExtensionsTrailersAndBadSizes() {
        const std::string head = std::string("HTTP/1.1 200 OK\r\n") + kStream + "Transfer-Encoding: chunked\r\n\r\n";
        QVERIFY(ordinaryIn(found(head + chunked(ordinary(), 7, ";a=\"b;c\";d") + "0\r\nX-Trailer: 1\r\n\r\n")));
        const json bad = found(head + chunked(textEvent("one"), 100) + "zz\r\n" + ordinary());
        QCOMPARE(bad["status"], json("error"));
        QCOMPARE(bad["text"], json("one"));
        QCOMPARE(found(head + "ffffffffffffffffff\r\n" + ordinary())["status"], json("error"));
    }
    void f20_compressionThatNobodyAskedForIsUndone() {
        const std::string coded = compressed(ordinary());
        QVERIFY(ordinaryIn(found(httpAnswer("200 OK", std::string(kStream) + "Content-Encoding: gzip\r\n", coded))));
        QVERIFY(refused(found(httpAnswer("200 OK", std::string(kStream) + "Content-Encoding: br\r\n", coded)),
                        "bad_content_type"));
    }
    void f23_everyLineEnd() {
        for (const std::string_view end : {"\n", "\r\n", "\r"}) {
            std::string bytes;
            for (const char c : ordinary()) {
                if (c == '\n')
                    bytes += end;
                else
                    bytes += c;
            }
            QVERIFY(ordinaryIn(found(bytes)));
        }
        QVERIFY(ordinaryIn(found("data: {\"choices\":[{\"index\":0,\r\ndata: \"delta\":{\"content\":\"one\"}}]}\n\r" +
                                 textEvent(" two", "\"stop\"") + doneEvent())));
    }
    void f24_charactersCutAtEveryByte() {
        const json f = found(textEvent("čašu \xF0\x9F\xAB\x96 \xE6\xBC\xA2", "\"stop\"") + doneEvent());
        QCOMPARE(f["text"], json("čašu \xF0\x9F\xAB\x96 \xE6\xBC\xA2"));
        QVERIFY(f["warnings"].empty());
    }
    void f25_aByteOrderMark() { QVERIFY(ordinaryIn(found("\xEF\xBB\xBF" + ordinary()))); }
    void f26_commentsAndKeepAlives() {
        QVERIFY(ordinaryIn(found(": ping\n\n" + textEvent("one") + ":\n\n: OPENROUTER PROCESSING\n" +
                                 textEvent(" two", "\"stop\"") + doneEvent())));
        const json wrapped =
            found(textEvent("one") + dataEvent(": keepalive") + textEvent(" two", "\"stop\"") + doneEvent());
        QVERIFY(ordinaryIn(wrapped));
        QVERIFY(warned(wrapped, "wrapped_comment"));
    }
    void f27_fieldsOfEventStreams() {
        const std::string id("id: a\0b\n", 8);
        QVERIFY(ordinaryIn(found("retry: 10\n\n" + id + "event: message\ndata:" + textEvent("one").substr(6) +
                                 "id\nunknown: x\n" + textEvent(" two", "\"stop\"") + doneEvent())));
    }
    void f28_aLineOrEventWithoutEndIsCapped() {
        // 16 MiB of one line, and of many lines without a blank one: refused, not kept.
        const std::string line = "data: {\"x\":\"" + std::string((16U << 20) + 10, 'a');
        WireCase c;
        c.bytes = line;
        QVERIFY(refused(explained(c, {}), "too_large"));
        c.bytes.clear();
        while (c.bytes.size() < (17U << 20))
            c.bytes += "data: " + std::string(1 << 16, 'b') + "\n";
        QVERIFY(refused(explained(c, {"blocks", 1 << 16, {}}), "too_large"));
    }
    void f29_manyEventsInOneReadAndOneEventOverMany() {
        WireCase c;
        c.bytes = textEvent("a") + textEvent("b") + textEvent("c", "\"stop\"") + doneEvent();
        QVERIFY(warned(explained(c, {}), "burst"));
        QVERIFY(!warned(explained(c, {"single", 1, {}}), "burst"));
        QCOMPARE(found(c.bytes)["token_events"], json(3));
    }
    void f30_bytesThatAreNoUtf8() {
        // Overlong, surrogate, stray continuation, cut short; each maximal part is one U+FFFD.
        const json f = found(textEvent("a\xC0\xAF"
                                       "b\xED\xA0\x80"
                                       "c\x80"
                                       "d\xF0\x9F",
                                       "\"stop\"") +
                             doneEvent());
        QCOMPARE(f["status"], json("complete"));
        QVERIFY(warned(f, "invalid_utf8"));
        QVERIFY(f["text"].get<std::string>().starts_with("a\uFFFD\uFFFD"
                                                         "b\uFFFD"));
        QVERIFY(f["text"].get<std::string>().ends_with("d\uFFFD"));
        const json nul = found(chatEvent(R"({"content":"x\u0000y"})", "\"stop\"") + doneEvent());
        QCOMPARE(nul["text"].get<std::string>(), std::string("x\0y", 3));
    }
    void f31_emptyChoicesAndMissingDeltas() {
        QVERIFY(ordinaryIn(found(dataEvent(R"({"choices":[]})") + dataEvent(R"({"choices":[{"index":0}]})") +
                                 dataEvent(R"({"choices":null})") + dataEvent(R"({"choices":[{"delta":null}]})") +
                                 ordinary())));
    }
    void f32_aRoleIsNoFirstToken() {
        const json f = found(chatEvent(R"({"role":"assistant","content":""})") + ordinary());
        QVERIFY(ordinaryIn(f));
        QCOMPARE(f["first_token_event"], json(1));
    }
    void f33_everyChannelIsItself() {
        const json f =
            found(chatEvent(R"({"reasoning_content":"think"})") + chatEvent(R"({"refusal":"I will not"})") +
                  chatEvent(R"({"tool_calls":[{"index":0,"id":"t","function":{"name":"f","arguments":"{}"}}]})") +
                  chatEvent(R"({"audio":{"data":"AAAA"}})") +
                  dataEvent(R"({"choices":[{"index":1,"delta":{"content":"other"}}]})") + ordinary());
        QCOMPARE(f["reasoning"], json("think"));
        QCOMPARE(f["refusal"], json("I will not"));
        QCOMPARE(f["tool_calls"][0]["name"], json("f"));
        QCOMPARE(f["text"], json("one two"));
        QCOMPARE(f["choices"]["1"]["text"], json("other"));
        QCOMPARE(f["first_answer_event"], json(1));
    }
    void f34_usageInEveryShape() {
        const auto with = [](const std::string& usage) {
            return found(textEvent("one") + chatEvent(R"({"content":" two"})", "\"stop\"", "\"usage\":" + usage) +
                         doneEvent());
        };
        QVERIFY(found(ordinary())["usage"].is_null());
        QVERIFY(with("null")["usage"].is_null());
        QCOMPARE(with(R"({"prompt_tokens":3,"completion_tokens":2})")["tokens"], json(2));
        const json absurd = with(R"({"completion_tokens":-5})");
        QVERIFY(absurd["tokens"].is_null());
        const json cumulative =
            found(chatEvent(R"({"content":"one"})", "null", R"("usage":{"completion_tokens":1})") +
                  chatEvent(R"({"content":" two"})", "\"stop\"", R"("usage":{"completion_tokens":2})") + doneEvent());
        QCOMPARE(cumulative["tokens"], json(2)); // not 3
        QVERIFY(warned(with(R"({"completion_tokens":200000})"), "usage_mismatch") ||
                with(R"({"completion_tokens":200000})")["tokens"] == 200000);
    }
    void f35_severalTokensInAnEventAndPartsOfOne() {
        const json speculative =
            found(chatEvent(R"({"content":"one two"})", "null", R"("usage":{"completion_tokens":5})") +
                  chatEvent(R"({"content":"!"})", "\"stop\"", R"("usage":{"completion_tokens":6})") + doneEvent());
        QCOMPARE(speculative["tokens"], json(6));
        QCOMPARE(speculative["tokens_per_event"], json({5, 1}));
        const json parts =
            found(textEvent("Hel") + textEvent("lo", "\"stop\"") +
                  dataEvent(R"({"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}})") + doneEvent());
        QCOMPARE(parts["tokens"], json(1)); // events are not tokens
        QCOMPARE(parts["token_events"], json(2));
    }
    void f36_anErrorWithinTheStreamWins() {
        const json f = found(textEvent("one") + dataEvent(R"({"error":{"message":"out of memory","code":500}})") +
                             textEvent(" two", "\"stop\"") + doneEvent());
        QCOMPARE(f["status"], json("error"));
        QCOMPARE(f["error_kind"], json("in_stream"));
        QCOMPARE(f["error_message"], json("out of memory"));
        QVERIFY(f["text"].get<std::string>().starts_with("one"));
    }
    void f37_finishReasonsAreHandedOnAsSpelt() {
        for (const char* reason : {"length", "content_filter", "a_reason_of_next_year"}) {
            const json f = found(textEvent("x", "\"" + std::string(reason) + "\"") + doneEvent());
            QCOMPARE(f["finish"], json(reason));
            QCOMPARE(f["status"], json("complete"));
        }
    }
    void f38_oneBadEventIsCountedAndSkipped() {
        const json f =
            found(textEvent("one") + dataEvent("{\"choices\":[{") + textEvent(" two", "\"stop\"") + doneEvent());
        QVERIFY(ordinaryIn(f));
        QVERIFY(warned(f, "bad_json"));
        QCOMPARE(f["events"], json(4));
    }
    void f39_anAnswerWithoutTokensHasNone() {
        const json f = found(httpAnswer("200 OK", kStream, chatEvent("{}", "\"stop\"") + doneEvent()));
        QCOMPARE(f["token_events"], json(0));
        QVERIFY(f["first_token_event"].is_null());
        QCOMPARE(f["text"], json(""));
        QCOMPARE(found(httpAnswer("200 OK", kStream, {}))["status"], json("incomplete"));
    }
    void f41_otherProtocolsHaveTheirOwnOddities();
};

void TestFaults::f41_otherProtocolsHaveTheirOwnOddities() {
    // Each in its own words: a ping between blocks that come out of order, lines, an array.
    const auto event = [](const char* name, const std::string& data) {
        return std::string("event: ") + name + "\ndata: " + data + "\n\n";
    };
    const json anthropic =
        found(event("message_start", R"({"type":"message_start","message":{"id":"m","usage":{"input_tokens":3}}})") +
                  event("content_block_start",
                        R"({"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}})") +
                  event("ping", R"({"type":"ping"})") +
                  event("content_block_delta",
                        R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"one"}})") +
                  event("content_block_start",
                        R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})") +
                  event("content_block_delta",
                        R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" two"}})") +
                  event("message_delta",
                        R"({"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}})") +
                  event("message_stop", R"({"type":"message_stop"})"),
              "anthropic");
    QVERIFY2(ordinaryIn(anthropic), anthropic.dump().c_str());
    const json ollama =
        found("{\"message\":{\"role\":\"assistant\",\"content\":\"one\"},\"done\":false}\n"
              "{\"message\":{\"content\":\" two\"},\"done\":false}\n"
              "{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\",\"eval_count\":2}\n",
              "ollama-chat");
    QVERIFY2(ordinaryIn(ollama), ollama.dump().c_str());
    const json gemini = found(R"([{"candidates":[{"content":{"parts":[{"text":"one"}]}}]},)"
                              R"({"candidates":[{"content":{"parts":[{"text":" two"}]},"finishReason":"STOP"}]}])",
                              "gemini-array");
    QVERIFY2(ordinaryIn(gemini), gemini.dump().c_str());
}

QTEST_APPLESS_MAIN(TestFaults)
#include "tst_faults.moc"
