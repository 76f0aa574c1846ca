#include "core/record/journal.h"
#include "core/record/replay_source.h"
#include "core/record/run_recorder.h"
#include "core/record/synthetic_run.h"
#include "tests/core/record/record_support.h"
#include "tests/core/record/record_text.h"

#include <QTemporaryDir>
#include <QtTest>
#include <rapidcheck.h>

using namespace decodescope;
using namespace decodescope::test;
using namespace std::chrono_literals;

namespace {

/// A sink that keeps what it is given.
struct Keeper final : RawSink {
    void onChunk(Instant at, std::uint32_t read, std::string_view bytes) override {
        run.chunks.push_back({at, read, std::string(bytes)});
    }
    void onMilestone(Instant at, const Milestone& milestone) override { run.milestones.emplace_back(at, milestone); }
    void onEnd(Instant at, ErrorKind kind, std::string_view message) override {
        run.end = TransportEnd{at, kind, std::string(message)};
    }
    void onStamps(Instant, const StampReport& stamps) override { run.stamps = stamps; }
    void onHiccup(const Hiccup& hiccup) override { run.hiccups.push_back(hiccup); }
    RecordedRun run;
};

/// One replay on a clock that stands still until told.
struct Replay {
    explicit Replay(RecordedRun recorded)
        : run(std::make_shared<RecordedRun>(std::move(recorded)))
        , clock(std::make_shared<ReplayClock>(real, run->begin(), run->lastStamp()))
        , record(std::make_shared<RunRecord>(run->asked))
        , recorder(record)
        , source(run, clock, {mailbox, keeper}) {}

    void turn(Duration by = {}) {
        real.advance(by);
        source.pump();
        std::vector<StreamEvent> events;
        mailbox->drain(events);
        for (const StreamEvent& event : events)
            recorder.apply(event);
    }

    FakeClock real;
    std::shared_ptr<const RecordedRun> run;
    std::shared_ptr<ReplayClock> clock;
    std::shared_ptr<EventMailbox> mailbox = std::make_shared<EventMailbox>();
    std::shared_ptr<Keeper> keeper = std::make_shared<Keeper>();
    std::shared_ptr<RunRecord> record;
    RunRecorder recorder;
    ReplaySource source;
};

RecordedRun shortRun() {
    SyntheticSpec spec;
    spec.outputTokens = 20;
    return syntheticRun(spec);
}

SyntheticSpec anySpec() {
    SyntheticSpec spec;
    spec.seed = *rc::gen::arbitrary<std::uint64_t>();
    spec.outputTokens = *rc::gen::inRange<std::uint32_t>(0, 120);
    spec.reasoningTokens = *rc::gen::inRange<std::uint32_t>(0, 40);
    spec.tokensPerEvent = *rc::gen::inRange<std::uint32_t>(1, 5);
    spec.eventsPerRead = *rc::gen::inRange<std::uint32_t>(1, 5);
    spec.continuousUsage = *rc::gen::arbitrary<bool>();
    spec.usage = *rc::gen::arbitrary<bool>();
    spec.finish = *rc::gen::element<std::string>("stop", "length");
    spec.stalls = *rc::gen::container<std::vector<SyntheticStall>>(
        *rc::gen::inRange(0, 4),
        rc::gen::build<SyntheticStall>(
            rc::gen::set(&SyntheticStall::kind,
                         rc::gen::element(SyntheticStall::Kind::generation, SyntheticStall::Kind::delivery)),
            rc::gen::set(&SyntheticStall::afterToken, rc::gen::inRange<std::uint32_t>(1, 99)),
            rc::gen::set(&SyntheticStall::lengthMs, rc::gen::just(400.0))));
    return spec;
}

} // namespace

class TestReplaySource : public QObject {
    Q_OBJECT

private slots:
    void deliversWhatIsDueWithItsOwnStamps();
    void nothingBeforeTheRelease();
    void stepsFromReadToRead();
    void aCutOffRecordingEndsAsInterrupted();
    void aStoppedReplayEndsOnce();
    void anUnknownProtocolIsAnError();
    void keepsTheClockOfTheRecording();
    void hiccupsAndStampsComeBack();
    void liveJournalAndReplayAgree();
};

void TestReplaySource::deliversWhatIsDueWithItsOwnStamps() {
    Replay replay(shortRun());
    replay.clock->setSpeed(2);
    replay.source.prepare();
    QVERIFY(replay.source.ready());
    replay.source.release(std::nullopt);
    replay.turn(100ms); // 200 ms of the recording: the first tokens, at 150 ms, are there
    QVERIFY(!replay.record->events.empty());
    QVERIFY(replay.record->events.size() < 6);
    for (const TokenEvent& event : replay.record->events)
        QVERIFY(event.at <= replay.clock->now());
    QVERIFY(replay.source.now() == replay.clock->now());
    replay.turn(10s);
    QCOMPARE(recordText(*replay.record), recordText(*rebuild(*replay.run)));
    QVERIFY(!replay.source.nextDue());
    QCOMPARE(replay.keeper->run.chunks.size(), replay.run->chunks.size());
    QVERIFY(replay.keeper->run.end.has_value());
}

void TestReplaySource::nothingBeforeTheRelease() {
    Replay replay(shortRun());
    replay.source.prepare();
    replay.turn(10s);
    QVERIFY(replay.keeper->run.chunks.empty());
    QVERIFY(!replay.record->started);
    replay.source.release(std::nullopt);
    replay.turn();
    QVERIFY(replay.record->outcome == Outcome::complete);
}

void TestReplaySource::stepsFromReadToRead() {
    Replay replay(shortRun());
    replay.clock->pause();
    replay.source.release(std::nullopt);
    replay.turn(1s);
    std::size_t steps = 0;
    std::size_t before = replay.keeper->run.chunks.size();
    while (const auto due = replay.source.nextDue()) {
        replay.clock->stepTo(*due);
        replay.turn();
        QVERIFY(replay.keeper->run.chunks.size() <= before + 2); // the tail shares its stamp with the last token
        before = replay.keeper->run.chunks.size();
        QVERIFY(++steps < 100);
    }
    QVERIFY(steps >= 20);
    QVERIFY(replay.record->outcome == Outcome::complete);
}

void TestReplaySource::aCutOffRecordingEndsAsInterrupted() {
    RecordedRun run = shortRun();
    run.end.reset();
    run.chunks.resize(10);
    Replay replay(run);
    replay.source.release(std::nullopt);
    replay.turn(10s);
    QVERIFY(replay.record->outcome == Outcome::interrupted);
    QVERIFY(!replay.record->events.empty());
    QVERIFY(!replay.record->finished);
    QCOMPARE(recordText(*replay.record), recordText(*rebuild(run)));
}

void TestReplaySource::aStoppedReplayEndsOnce() {
    Replay replay(shortRun());
    replay.source.release(std::nullopt);
    replay.turn(200ms);
    replay.source.cancel(ErrorKind::cancelled);
    replay.source.cancel(ErrorKind::cancelled);
    replay.turn(10s);
    QVERIFY(replay.record->outcome == Outcome::cancelled);
    QVERIFY(replay.record->events.size() < 10);
}

void TestReplaySource::anUnknownProtocolIsAnError() {
    RecordedRun run = shortRun();
    run.asked.spec.endpoint.protocol = "carrier-pigeon";
    Replay replay(run);
    replay.source.prepare();
    replay.source.release(std::nullopt);
    replay.turn(10s);
    QVERIFY(replay.record->outcome == Outcome::error);
    QVERIFY(replay.record->end->message.find("openai-chat") != std::string::npos);
    QVERIFY(rebuild(run)->outcome == Outcome::error);
}

void TestReplaySource::keepsTheClockOfTheRecording() {
    RecordedRun run = shortRun();
    run.asked.clock = ClockSource::user;
    QVERIFY(Replay(run).source.clockSource() == ClockSource::user);
}

void TestReplaySource::hiccupsAndStampsComeBack() {
    RecordedRun run = shortRun();
    const Instant end = run.lastStamp();
    run.asked.clock = ClockSource::kernel; // as announced; the report knows better
    run.stamps = StampReport{ClockSource::user, Duration(80'000), 0, 2, Duration(80'000)};
    run.hiccups = {{run.begin() + 60ms, run.begin() + 66ms}, {end - 3ms, end + 9ms}};
    Replay replay(run);
    replay.source.release(std::nullopt);
    replay.turn(65ms);
    QVERIFY(replay.record->hiccups.empty());
    QVERIFY(!replay.record->stamps);
    replay.turn(2ms);
    QVERIFY(replay.record->hiccups == std::vector{run.hiccups[0]});
    replay.turn(10s);
    QVERIFY(replay.record->hiccups == run.hiccups);
    QVERIFY(replay.record->stamps == run.stamps);
    QVERIFY(replay.record->clock == ClockSource::user);
    QVERIFY(replay.record->outcome == Outcome::complete);
    QCOMPARE(recordText(*replay.record), recordText(*rebuild(run)));
    QVERIFY(replay.keeper->run.hiccups == run.hiccups);
    QVERIFY(replay.keeper->run.stamps == run.stamps);

    run.end.reset(); // cut off: what is known of the instrument is kept
    run.stamps.reset();
    Replay cut(run);
    cut.source.release(std::nullopt);
    cut.turn(10s);
    QVERIFY(cut.record->hiccups == run.hiccups);
    QCOMPARE(recordText(*cut.record), recordText(*rebuild(run)));
}

void TestReplaySource::liveJournalAndReplayAgree() {
    QTemporaryDir dir;
    int number = 0;
    const bool agree = rc::check("a recording gives the live record again", [&] {
        const SyntheticSpec spec = anySpec();
        const bool stopped = *rc::gen::weightedElement<bool>({{3, false}, {1, true}});
        const auto stopAfter = std::chrono::milliseconds(*rc::gen::inRange(0, 3000));
        const auto step = std::chrono::milliseconds(*rc::gen::inRange(1, 400));

        // Live.
        const std::string path = dir.filePath(QString::number(number++)).toStdString();
        const auto journal = Journal::create(path, sampleHeader());
        RC_ASSERT(journal.has_value());
        auto record = std::make_shared<RunRecord>(sampleAsked());
        record->clock = ClockSource::synthetic;
        RunRecorder recorder(record);
        FakeClock clock;
        const Instant began = clock.now();
        const auto mailbox = std::make_shared<EventMailbox>();
        const auto sink = (*journal)->openRun(*record);
        SyntheticSource source(spec, clock, {mailbox, sink});
        source.release(std::nullopt);
        // Written behind the end of the run as often as before it, as the session's thread and the network's race.
        const auto hiccup = [&](Duration late) {
            const Hiccup one{clock.now() - late, clock.now()};
            sink->onHiccup(one);
            recorder.apply({one.woke, 0, 0, one});
        };
        if (*rc::gen::arbitrary<bool>())
            hiccup(8ms);
        std::vector<StreamEvent> events;
        while (record->outcome == Outcome::running) {
            if (stopped && clock.now() - began >= stopAfter)
                source.cancel(ErrorKind::cancelled);
            source.pump();
            mailbox->drain(events);
            if (!events.empty() && std::holds_alternative<StreamEnd>(events.back().what))
                hiccup(6ms);
            for (const StreamEvent& event : events)
                recorder.apply(event);
            clock.advance(step);
        }
        (*journal)->close();

        // From the file, at once.
        const auto recording = readRecording(path);
        RC_ASSERT(recording.has_value());
        RC_ASSERT(recording->droppedBytes == 0U);
        RC_ASSERT(recordText(*rebuild(*recording->runs.at(0))) == recordText(*record));

        // From the file, at its pace.
        Replay replay(*recording->runs.at(0));
        replay.source.release(std::nullopt);
        while (replay.record->outcome == Outcome::running)
            replay.turn(step);
        RC_ASSERT(recordText(*replay.record) == recordText(*record));
    });
    QVERIFY(agree);
}

QTEST_APPLESS_MAIN(TestReplaySource)
#include "tst_replay_source.moc"
