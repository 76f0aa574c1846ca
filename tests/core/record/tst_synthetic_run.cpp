#include "core/record/run_recorder.h"
#include "core/record/synthetic_run.h"
#include "tests/core/record/record_text.h"

#include <QtTest>

#include <cmath>

using namespace decodescope;
using namespace decodescope::test;
using namespace std::chrono_literals;

namespace {

double secondsBetween(const TokenEvent& a, const TokenEvent& b) {
    return toSeconds(b.at - a.at);
}

} // namespace

class TestSyntheticRun : public QObject {
    Q_OBJECT

private slots:
    void equalSpecsGiveEqualRuns();
    void theFirstTokenComesWhenItShould();
    void theRateIsTheOneAskedFor();
    void jitterIsTheOneAskedFor();
    void reasoningComesFirst();
    void tokensAreCountedByUsage();
    void continuousUsageTellsEachEvent();
    void burstsShareARead();
    void aGenerationStallShiftsWhatFollows();
    void aDeliveryStallIsCaughtUp();
    void anEmptyAnswerIsNoSuccess();
    void aSourceMakesTheSameRun();
    void aSourceIsReadyWhenItsConnectionIs();
    void aCancelledSourceKeepsWhatCame();
};

void TestSyntheticRun::equalSpecsGiveEqualRuns() {
    SyntheticSpec spec;
    const std::string one = recordText(*rebuild(syntheticRun(spec)));
    QCOMPARE(recordText(*rebuild(syntheticRun(spec))), one);
    spec.seed = 2;
    QVERIFY(recordText(*rebuild(syntheticRun(spec))) != one);
}

void TestSyntheticRun::theFirstTokenComesWhenItShould() {
    SyntheticSpec spec;
    spec.ttftMs = 321;
    spec.ttfbMs = 45;
    const auto record = rebuild(syntheticRun(spec));
    QVERIFY(record->outcome == Outcome::complete);
    QVERIFY(record->clock == ClockSource::synthetic);
    QVERIFY(record->warnings.empty());
    QVERIFY(record->events.front().at - *record->started == 321ms);
    QVERIFY(*record->firstByte - *record->started == 45ms);
    QVERIFY(*record->openingTook == 2ms);
    QVERIFY(!record->warmConnection);
    QCOMPARE(record->finish, std::optional<std::string>("length"));
    QCOMPARE(record->identity.model, std::string("synthetic"));
    QVERIFY(*record->finished == record->events.back().at);
}

void TestSyntheticRun::theRateIsTheOneAskedFor() {
    SyntheticSpec spec;
    spec.jitter = 0;
    spec.tokensPerS = 80;
    spec.outputTokens = 401;
    const auto record = rebuild(syntheticRun(spec));
    QCOMPARE(record->events.size(), 401U);
    const double rate = 400 / secondsBetween(record->events.front(), record->events.back());
    QVERIFY(std::abs(rate - 80) < 1e-3);
}

void TestSyntheticRun::jitterIsTheOneAskedFor() {
    SyntheticSpec spec;
    spec.jitter = 0.2;
    spec.outputTokens = 5000;
    const auto record = rebuild(syntheticRun(spec));
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 1; i < record->events.size(); ++i) {
        const double gap = secondsBetween(record->events[i - 1], record->events[i]);
        sum += gap;
        squares += gap * gap;
    }
    const double n = static_cast<double>(record->events.size() - 1);
    const double mean = sum / n;
    const double deviation = std::sqrt(squares / n - mean * mean);
    QVERIFY(std::abs(mean - 0.02) < 0.0005);
    QVERIFY(std::abs(deviation - 0.004) < 0.0004);
}

void TestSyntheticRun::reasoningComesFirst() {
    SyntheticSpec spec;
    spec.outputTokens = 30;
    spec.reasoningTokens = 10;
    spec.tokensPerEvent = 4;
    const auto record = rebuild(syntheticRun(spec));
    // 4 + 4 + 2 tokens of reasoning: an event never spans the change of channel.
    QCOMPARE(record->events.size(), 8U);
    for (std::size_t i = 0; i < record->events.size(); ++i)
        QCOMPARE(record->events[i].answers(), i >= 3);
    QVERIFY(!record->text(Channel::reasoning).empty());
    QCOMPARE(record->spans.size(), 2U);
}

void TestSyntheticRun::tokensAreCountedByUsage() {
    SyntheticSpec spec;
    spec.outputTokens = 40;
    QCOMPARE(*rebuild(syntheticRun(spec))->usage->completion, 40U);
    spec.finish = "stop";
    const auto stopped = rebuild(syntheticRun(spec));
    QCOMPARE(*stopped->usage->completion, 41U); // and the end token
    QCOMPARE(*stopped->usage->prompt, 24U);
    QVERIFY(*stopped->finished > stopped->events.back().at);
    spec.usage = false;
    QVERIFY(!rebuild(syntheticRun(spec))->usage);
}

void TestSyntheticRun::continuousUsageTellsEachEvent() {
    SyntheticSpec spec;
    spec.outputTokens = 10;
    spec.tokensPerEvent = 3;
    spec.continuousUsage = true;
    const auto record = rebuild(syntheticRun(spec));
    QVERIFY(record->usageContinuous);
    std::vector<std::uint32_t> told;
    for (const TokenEvent& e : record->events)
        told.push_back(e.tokens.usage);
    QCOMPARE(told, (std::vector<std::uint32_t>{3, 3, 3, 1}));
}

void TestSyntheticRun::burstsShareARead() {
    SyntheticSpec spec;
    spec.outputTokens = 12;
    spec.eventsPerRead = 4;
    const auto record = rebuild(syntheticRun(spec));
    QCOMPARE(record->events.size(), 12U);
    for (std::size_t i = 0; i < 12; ++i)
        QVERIFY(record->events[i].read == record->events[i / 4 * 4].read);
    QCOMPARE(record->reads, 5U); // head, three bursts, tail
    QCOMPARE(record->warnings, std::vector<std::string>{"burst"});
}

void TestSyntheticRun::aGenerationStallShiftsWhatFollows() {
    SyntheticSpec spec;
    spec.jitter = 0;
    spec.outputTokens = 40;
    spec.stalls = {{SyntheticStall::Kind::generation, 20, 500}};
    const auto record = rebuild(syntheticRun(spec));
    for (std::size_t i = 1; i < 40; ++i)
        QVERIFY(std::abs(secondsBetween(record->events[i - 1], record->events[i]) - (i == 20 ? 0.52 : 0.02)) < 1e-6);
}

void TestSyntheticRun::aDeliveryStallIsCaughtUp() {
    SyntheticSpec spec;
    spec.jitter = 0;
    spec.outputTokens = 60;
    SyntheticSpec smooth = spec;
    spec.stalls = {{SyntheticStall::Kind::delivery, 20, 500}};
    const auto held = rebuild(syntheticRun(spec));
    const auto even = rebuild(syntheticRun(smooth));
    QCOMPARE(held->transcript, even->transcript);
    QVERIFY(std::abs(secondsBetween(held->events[19], held->events[20]) - 0.5) < 1e-6);
    // 24 tokens were made meanwhile and come in one read; after that all is as if nothing had been.
    std::size_t together = 0;
    for (const TokenEvent& e : held->events)
        together += e.read == held->events[20].read ? 1 : 0;
    QVERIFY(together == 24 || together == 25);
    QVERIFY(held->events[50].at == even->events[50].at);
}

void TestSyntheticRun::anEmptyAnswerIsNoSuccess() {
    SyntheticSpec spec;
    spec.outputTokens = 0;
    const auto record = rebuild(syntheticRun(spec));
    QVERIFY(record->events.empty());
    QVERIFY(record->outcome == Outcome::truncated); // a told usage of 0 and no text
}

void TestSyntheticRun::aSourceMakesTheSameRun() {
    SyntheticSpec spec;
    spec.reasoningTokens = 20;
    spec.stalls = {{SyntheticStall::Kind::delivery, 50, 300}};
    const RecordedRun whole = syntheticRun(spec);
    FakeClock clock(*rebuild(whole)->started);
    const auto mailbox = std::make_shared<EventMailbox>();
    auto record = std::make_shared<RunRecord>(whole.asked);
    RunRecorder recorder(record);
    SyntheticSource source(spec, clock, {mailbox, nullptr});
    source.release(std::nullopt);
    std::vector<StreamEvent> events;
    while (record->outcome == Outcome::running) {
        source.pump();
        mailbox->drain(events);
        for (const StreamEvent& event : events) {
            QVERIFY(event.at <= clock.now());
            recorder.apply(event);
        }
        clock.advance(7ms);
        QVERIFY(clock.now() - *record->started < 1min);
    }
    QCOMPARE(recordText(*record), recordText(*rebuild(whole)));
}

void TestSyntheticRun::aSourceIsReadyWhenItsConnectionIs() {
    FakeClock clock;
    const auto mailbox = std::make_shared<EventMailbox>();
    SyntheticSource source({}, clock, {mailbox, nullptr});
    QVERIFY(!source.ready());
    source.prepare();
    QVERIFY(!source.ready());
    clock.advance(3ms);
    QVERIFY(source.ready());
    QVERIFY(source.now() == clock.now());
}

void TestSyntheticRun::aCancelledSourceKeepsWhatCame() {
    FakeClock clock;
    const auto mailbox = std::make_shared<EventMailbox>();
    auto record = std::make_shared<RunRecord>();
    RunRecorder recorder(record);
    SyntheticSource source({}, clock, {mailbox, nullptr});
    const Instant scheduled = clock.now() + 5ms;
    source.release(scheduled);
    clock.advance(1s);
    source.pump();
    source.cancel(ErrorKind::cancelled);
    source.cancel(ErrorKind::cancelled);
    clock.advance(10s);
    source.pump();
    std::vector<StreamEvent> events;
    mailbox->drain(events);
    int ends = 0;
    for (const StreamEvent& event : events) {
        recorder.apply(event);
        ends += std::holds_alternative<StreamEnd>(event.what) ? 1 : 0;
    }
    QCOMPARE(ends, 1);
    QVERIFY(record->outcome == Outcome::cancelled);
    QVERIFY(*record->started == scheduled);
    QVERIFY(record->events.size() > 20 && record->events.size() < 60);
}

QTEST_APPLESS_MAIN(TestSyntheticRun)
#include "tst_synthetic_run.moc"
