#include "core/record/run_recorder.h"

#include <QtTest>

using namespace decodescope;

namespace {

/// A recorder with hand-made events: one message per text, one read per call of read().
class Bench {
public:
    Bench()
        : recorder(record) {}

    void nextRead(int ms = 10) {
        at += std::chrono::milliseconds(ms);
        ++read;
    }
    template <class T> void event(T what) { recorder.apply({at, read, message, std::move(what)}); }
    void delta(std::vector<Fragment> fragments, TokenHints hints = {}) {
        event(MessageArrived{});
        event(TokenDelta{std::move(fragments), hints});
        ++message;
    }
    void text(const std::string& t, TokenHints hints = {}) { delta({{Channel::answer, 0, t}}, hints); }
    void end(StreamEnd e = {}) { event(std::move(e)); }

    std::shared_ptr<RunRecord> record = std::make_shared<RunRecord>();
    RunRecorder recorder;
    Instant at = instantFromNs(1'000'000'000);
    std::uint32_t read = 0;
    std::uint32_t message = 0;
};

TokenHints usage(std::uint64_t total) {
    TokenHints hints;
    hints.runningUsage = total;
    return hints;
}

Outcome outcomeAfter(StreamEnd end) {
    Bench bench;
    bench.end(std::move(end));
    return bench.record->outcome;
}

} // namespace

class TestRunRecorder : public QObject {
    Q_OBJECT

private slots:
    void rowsFollowFragments();
    void emptyFragmentsAreNoEvents();
    void otherChoicesStayOutOfTheTranscript();
    void twoDeltasOfOneMessageAreOneEvent();
    void toolCallsAreJoined();
    void runningTotalsBecomeDifferences();
    void countsOfTextlessMessagesPassOn();
    void lastUsageWithTextIsNotContinuous();
    void hugeCountsSaturate();
    void usageKeepsWhatIsNotToldAgain();
    void laterFinishWins();
    void burstNeedsThreeEventsOfOneRead();
    void rejectedStampsFlagTheRun();
    void warningsAreKeptOnceInOrder();
    void milestonesAreSetOnce();
    void connectionBeforeReleaseCountsFromRelease();
    void readsAreCounted();
    void failureBeforeAnyByteHasNoReads();
    void outcomesFollowTheEnd_data();
    void outcomesFollowTheEnd();
    void nothingChangesAfterTheEnd();
    void interruptKeepsWhatArrived();
};

void TestRunRecorder::rowsFollowFragments() {
    Bench b;
    b.delta({{Channel::reasoning, 0, "Hm, "}});
    b.nextRead();
    b.delta({{Channel::reasoning, 0, "yes."}, {Channel::answer, 0, "Yes"}});
    b.nextRead();
    b.text("!");
    const RunRecord& r = *b.record;
    QCOMPARE(r.events.size(), 3U);
    QCOMPARE(r.transcript, std::string("Hm, yes.Yes!"));
    QCOMPARE(r.text(Channel::reasoning), std::string("Hm, yes."));
    QCOMPARE(r.text(Channel::answer), std::string("Yes!"));
    QCOMPARE(r.textOf(r.events[1]), std::string_view("yes.Yes"));
    QVERIFY(!r.events[0].answers());
    QVERIFY(r.events[1].answers() && r.events[1].has(Channel::reasoning));
    QCOMPARE(r.spans.size(), 2U);
    QCOMPARE(r.spans[1].begin, 8U);
    QVERIFY(r.channelAt(7) == Channel::reasoning);
    QVERIFY(r.channelAt(8) == Channel::answer);
    QCOMPARE(r.events[2].read, 2U);
    QCOMPARE(r.events[2].message, 2U);
    QCOMPARE(toNs(r.events[2].at), 1'020'000'000);
    QCOMPARE(r.messages, 3U);
    QCOMPARE(r.choices.at(0).text, std::string("Yes!"));
    QVERIFY(r.outcome == Outcome::running);
}

void TestRunRecorder::emptyFragmentsAreNoEvents() {
    Bench b;
    b.text("");
    b.delta({});
    b.text("x");
    QCOMPARE(b.record->events.size(), 1U);
    QCOMPARE(b.record->events[0].message, 2U);
    QCOMPARE(b.record->messages, 3U);
}

void TestRunRecorder::otherChoicesStayOutOfTheTranscript() {
    Bench b;
    b.text("A");
    b.delta({{Channel::answer, 1, "B"}});
    b.delta({{Channel::answer, 0, "C"}, {Channel::answer, 1, "D"}});
    const RunRecord& r = *b.record;
    QCOMPARE(r.transcript, std::string("AC"));
    QCOMPARE(r.events.size(), 3U);
    QCOMPARE(r.textOf(r.events[1]), std::string_view());
    QCOMPARE(r.textOf(r.events[2]), std::string_view("C"));
    QCOMPARE(r.choices.at(1).text, std::string("BD"));
}

void TestRunRecorder::twoDeltasOfOneMessageAreOneEvent() {
    Bench b;
    b.event(MessageArrived{});
    b.event(TokenDelta{{{Channel::answer, 1, "x"}}, {}});
    b.event(TokenDelta{{{Channel::answer, 0, "a"}}, {}});
    b.event(TokenDelta{{{Channel::reasoning, 0, "b"}}, {}});
    QCOMPARE(b.record->events.size(), 1U);
    QCOMPARE(b.record->textOf(b.record->events[0]), std::string_view("ab"));
    QVERIFY(b.record->events[0].has(Channel::reasoning));
}

void TestRunRecorder::toolCallsAreJoined() {
    Bench b;
    b.event(ToolCallOpened{0, 0, "call_1"});
    b.delta({{Channel::tool, 0, "weather", 0, true}});
    b.delta({{Channel::tool, 0, R"({"city":)", 0, false}});
    b.delta({{Channel::tool, 0, R"("Oslo"})", 0, false}, {Channel::tool, 0, "time", 2, true}});
    b.event(ToolCallOpened{0, 0, std::nullopt});
    const RunRecord& r = *b.record;
    QCOMPARE(r.toolCalls.size(), 3U);
    QCOMPARE(r.toolCalls[0].name, std::string("weather"));
    QCOMPARE(r.toolCalls[0].arguments, std::string(R"({"city":"Oslo"})"));
    QCOMPARE(r.toolCalls[0].id, std::optional<std::string>("call_1"));
    QVERIFY(!r.toolCalls[2].id);
    QCOMPARE(r.toolCalls[2].name, std::string("time"));
    QCOMPARE(r.transcript, std::string(R"(weather{"city":"Oslo"}time)"));
    QCOMPARE(r.events.size(), 3U);
    QVERIFY(r.events[0].answers());
}

void TestRunRecorder::runningTotalsBecomeDifferences() {
    Bench b;
    b.text("The", usage(1));
    b.text(" quick brown fox", usage(4));
    b.text(" jumps", usage(5));
    b.text("?", usage(3)); // a total that falls back adds nothing
    b.text(" over it", usage(8));
    const RunRecord& r = *b.record;
    std::vector<std::uint32_t> told;
    for (const TokenEvent& e : r.events)
        told.push_back(e.tokens.usage);
    QCOMPARE(told, (std::vector<std::uint32_t>{1, 3, 1, 0, 3}));
    QVERIFY(r.usageContinuous);
    QCOMPARE(r.trailing, EventTokens{});
}

void TestRunRecorder::countsOfTextlessMessagesPassOn() {
    Bench b;
    TokenHints one;
    one.ids = 1;
    one.logprobs = 2;
    one.engine = 3;
    one.runningTimings = 1;
    b.delta({}, one);
    QCOMPARE(b.record->trailing, (EventTokens{0, 1, 1, 2, 3}));
    one.runningTimings = 2;
    b.text("\U0001F600", one);
    QCOMPARE(b.record->events[0].tokens, (EventTokens{0, 2, 2, 4, 6}));
    QCOMPARE(b.record->trailing, EventTokens{});
    one.runningTimings = 3;
    b.delta({}, one);
    b.end();
    QCOMPARE(b.record->trailing, (EventTokens{0, 1, 1, 2, 3}));
    QVERIFY(!b.record->usageContinuous);
}

void TestRunRecorder::lastUsageWithTextIsNotContinuous() {
    Bench b;
    b.text("a");
    b.text("b", usage(2));
    b.delta({}, usage(3));
    QVERIFY(!b.record->usageContinuous);
    QCOMPARE(b.record->trailing.usage, 1U);
}

void TestRunRecorder::hugeCountsSaturate() {
    Bench b;
    TokenHints hints = usage(std::numeric_limits<std::uint64_t>::max());
    hints.ids = std::numeric_limits<std::uint32_t>::max();
    b.delta({}, hints);
    b.text("x", hints);
    QCOMPARE(b.record->events[0].tokens.usage, std::numeric_limits<std::uint32_t>::max());
    QCOMPARE(b.record->events[0].tokens.ids, std::numeric_limits<std::uint32_t>::max());
}

void TestRunRecorder::usageKeepsWhatIsNotToldAgain() {
    Bench b;
    b.event(UsageReport{16, 1, 2, std::nullopt});
    b.event(UsageReport{std::nullopt, 8, std::nullopt, 4});
    const UsageReport& u = *b.record->usage;
    QCOMPARE(u.prompt, std::optional<std::uint64_t>(16));
    QCOMPARE(u.completion, std::optional<std::uint64_t>(8));
    QCOMPARE(u.reasoning, std::optional<std::uint64_t>(2));
    QCOMPARE(u.cached, std::optional<std::uint64_t>(4));
    b.event(ServerTimings{std::nullopt, std::nullopt, 5.0, std::nullopt, "{1}"});
    b.event(ServerTimings{std::nullopt, std::nullopt, std::nullopt, 7.0, "{2}"});
    QCOMPARE(*b.record->timings->promptMs, 5.0);
    QCOMPARE(*b.record->timings->decodeMs, 7.0);
    QCOMPARE(b.record->timings->raw, std::string("{2}"));
    b.event(ServerIdentity{"p", "", "m"});
    b.event(ServerIdentity{"", "fp", ""});
    QCOMPARE(b.record->identity.provider, std::string("p"));
    QCOMPARE(b.record->identity.systemFingerprint, std::string("fp"));
}

void TestRunRecorder::laterFinishWins() {
    Bench b;
    b.event(FinishReported{0, "stop"});
    b.event(FinishReported{1, "length"});
    b.event(FinishReported{0, ""});
    QCOMPARE(b.record->finish, std::optional<std::string>("stop"));
    b.event(FinishReported{0, "tool_calls"});
    QCOMPARE(b.record->finish, std::optional<std::string>("tool_calls"));
    QCOMPARE(b.record->choices.at(1).finish, std::optional<std::string>("length"));
}

void TestRunRecorder::burstNeedsThreeEventsOfOneRead() {
    Bench b;
    b.text("a");
    b.text("b");
    b.nextRead();
    b.text("c");
    b.text("d");
    QVERIFY(b.record->warnings.empty());
    b.text("e");
    b.text("f");
    QCOMPARE(b.record->warnings, std::vector<std::string>{"burst"});
}

void TestRunRecorder::rejectedStampsFlagTheRun() {
    Bench good;
    good.text("a");
    good.nextRead(); // it comes when no further read does
    good.event(StampReport{ClockSource::kernel, Duration(30), 1, 0, Duration(40'000)});
    QVERIFY(good.record->clock == ClockSource::kernel);
    QVERIFY(good.record->warnings.empty());
    QCOMPARE(good.record->reads, 1U);
    Bench stepped;
    stepped.text("a");
    stepped.event(StampReport{ClockSource::user, {}, 3, 2, Duration(40'000)});
    QVERIFY(stepped.record->clock == ClockSource::user);
    QCOMPARE(stepped.record->warnings, std::vector<std::string>{"stamp_rejected"});
}

void TestRunRecorder::warningsAreKeptOnceInOrder() {
    Bench b;
    for (const char* name : {"bad_json", "lone_surrogate", "bad_json"})
        b.event(WarningRaised{name});
    QCOMPARE(b.record->warnings, (std::vector<std::string>{"bad_json", "lone_surrogate"}));
}

void TestRunRecorder::milestonesAreSetOnce() {
    Bench b;
    b.event(Milestone{Milestone::Kind::started});
    b.nextRead(5);
    b.event(Milestone{Milestone::Kind::connected, true, std::chrono::milliseconds(3)});
    b.nextRead(5);
    b.event(Milestone{Milestone::Kind::sent});
    b.nextRead(5);
    b.event(Milestone{Milestone::Kind::firstByte});
    b.event(Milestone{Milestone::Kind::started});
    const RunRecord& r = *b.record;
    QCOMPARE(toNs(*r.started), 1'000'000'000);
    QCOMPARE(toNs(*r.connected), 1'005'000'000);
    QCOMPARE(toNs(*r.sent), 1'010'000'000);
    QCOMPARE(toNs(*r.firstByte), 1'015'000'000);
    QVERIFY(r.warmConnection);
    QCOMPARE(*r.openingTook, Duration(std::chrono::milliseconds(3)));
    QCOMPARE(r.reads, 0U);
    // The proxy of a connection that did not come about, and whether certificates were looked at, are told, too.
    Milestone routed{Milestone::Kind::routed};
    routed.proxy = "p:1";
    b.event(routed);
    QCOMPARE(r.proxy, std::string("p:1"));
    Milestone lax{Milestone::Kind::connected};
    lax.tlsVersion = "TLSv1.3";
    lax.unverified = true;
    Bench other;
    other.event(lax);
    QVERIFY(other.record->tlsUnverified);
}

void TestRunRecorder::connectionBeforeReleaseCountsFromRelease() {
    Bench b;
    b.event(Milestone{Milestone::Kind::connected, false, std::chrono::milliseconds(3)});
    b.nextRead(50);
    b.event(Milestone{Milestone::Kind::started});
    QCOMPARE(*b.record->connected, *b.record->started);
    QVERIFY(!b.record->warmConnection);
}

void TestRunRecorder::readsAreCounted() {
    Bench b;
    b.event(ResponseHead{});
    QCOMPARE(b.record->reads, 1U);
    b.nextRead();
    b.nextRead();
    b.text("a");
    b.nextRead();
    b.end();
    QCOMPARE(b.record->reads, 4U);
}

void TestRunRecorder::failureBeforeAnyByteHasNoReads() {
    Bench b;
    StreamEnd end;
    end.verdict = StreamEnd::Verdict::error;
    end.kind = ErrorKind::unreachable;
    b.end(end);
    QCOMPARE(b.record->reads, 0U);
    QVERIFY(b.record->end->kind == ErrorKind::unreachable);
}

void TestRunRecorder::outcomesFollowTheEnd_data() {
    using Verdict = StreamEnd::Verdict;
    QTest::addColumn<int>("verdict");
    QTest::addColumn<int>("kind");
    QTest::addColumn<bool>("notStreamed");
    QTest::addColumn<QString>("outcome");
    const auto row = [](const char* name, Verdict verdict, ErrorKind kind, bool notStreamed, const char* outcome) {
        QTest::newRow(name) << static_cast<int>(verdict) << static_cast<int>(kind) << notStreamed << outcome;
    };
    row("complete", Verdict::complete, ErrorKind::none, false, "complete");
    row("whole json", Verdict::complete, ErrorKind::none, true, "not_streamed");
    row("whole json, failed", Verdict::error, ErrorKind::inStream, true, "error");
    row("clean end", Verdict::incomplete, ErrorKind::truncated, false, "truncated");
    row("reset", Verdict::error, ErrorKind::connectionClosed, false, "error");
    row("401", Verdict::error, ErrorKind::auth, false, "error");
    row("stopped", Verdict::error, ErrorKind::cancelled, false, "cancelled");
    row("connect", Verdict::error, ErrorKind::timeoutConnect, false, "timeout");
    row("first token", Verdict::error, ErrorKind::timeoutFirstToken, false, "timeout");
    row("idle", Verdict::error, ErrorKind::timeoutIdle, false, "timeout");
    row("total", Verdict::error, ErrorKind::timeoutTotal, false, "timeout");
}

void TestRunRecorder::outcomesFollowTheEnd() {
    QFETCH(int, verdict);
    QFETCH(int, kind);
    QFETCH(bool, notStreamed);
    QFETCH(QString, outcome);
    StreamEnd end;
    end.verdict = static_cast<StreamEnd::Verdict>(verdict);
    end.kind = static_cast<ErrorKind>(kind);
    end.notStreamed = notStreamed;
    QCOMPARE(toString(outcomeAfter(end)), std::string_view(outcome.toStdString()));
}

void TestRunRecorder::nothingChangesAfterTheEnd() {
    Bench b;
    b.text("a");
    b.end();
    const Instant finished = *b.record->finished;
    b.nextRead();
    b.text("b");
    StreamEnd late;
    late.verdict = StreamEnd::Verdict::error;
    b.end(late);
    b.recorder.interrupt();
    QVERIFY(b.record->outcome == Outcome::complete);
    QCOMPARE(*b.record->finished, finished);
    QCOMPARE(b.record->transcript, std::string("a"));
}

void TestRunRecorder::interruptKeepsWhatArrived() {
    Bench b;
    b.text("a");
    b.recorder.interrupt();
    QVERIFY(b.record->outcome == Outcome::interrupted);
    QVERIFY(!b.record->finished);
    QCOMPARE(b.record->events.size(), 1U);
}

QTEST_APPLESS_MAIN(TestRunRecorder)
#include "tst_run_recorder.moc"
