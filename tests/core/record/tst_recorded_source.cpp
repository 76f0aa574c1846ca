#include "core/record/recorded_source.h"
#include "core/record/recording_format.h"
#include "core/record/recording_shelf.h"
#include "core/record/run_recorder.h"
#include "core/record/synthetic_run.h"
#include "tests/core/record/record_support.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace decodescope;
using namespace decodescope::test;
using namespace std::chrono_literals;

namespace {

/// One recorded run beside a clock that stands still until told.
struct Played {
    explicit Played(std::shared_ptr<const RecordedRun> run)
        : record(std::make_shared<RunRecord>(run->asked))
        , recorder(record)
        , source(std::move(run), clock, {mailbox, nullptr}) {}

    void turn(Duration by = {}) {
        clock.advance(by);
        source.pump();
        std::vector<StreamEvent> events;
        mailbox->drain(events);
        for (const StreamEvent& event : events)
            recorder.apply(event);
    }

    FakeClock clock{instantFromNs(777'000'000'000'000)};
    std::shared_ptr<EventMailbox> mailbox = std::make_shared<EventMailbox>();
    std::shared_ptr<RunRecord> record;
    RunRecorder recorder;
    RecordedSource source;
};

std::shared_ptr<const RecordedRun> shortRun() {
    SyntheticSpec spec;
    spec.outputTokens = 20;
    return std::make_shared<RecordedRun>(syntheticRun(spec));
}

/// A run of our engine: one event, sampled 1 ms before its read.
RecordedRun engineRun() {
    RecordedRun run;
    run.asked.clock = ClockSource::kernel;
    run.milestones = {{instantFromNs(5'000'000'000), {Milestone::Kind::started}},
                      {instantFromNs(5'001'000'000), {Milestone::Kind::sent}}};
    const std::string event =
        "data: {'choices':[{'index':0,'delta':{'content':'Hi'},'finish_reason':'stop'}],"
        "'decodescope':{'tokens':[7],'sampled_at_ns':5099000000,'position':3,'step':{'id':1,'begin_ns':5090000000,"
        "'end_ns':5099000000},'engine':{'model':'M','parallel':4,'quantization':'Q4_1'},'prompt':{'tokens':3}}}\n\n"
        "data: [DONE]\n\n";
    std::string body = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    for (const char c : event)
        body += c == '\'' ? '"' : c;
    run.chunks.push_back({instantFromNs(5'100'000'000), 0, body});
    run.end = TransportEnd{instantFromNs(5'101'000'000), ErrorKind::none, {}};
    return run;
}

} // namespace

class RecordedSourceTest : public QObject {
    Q_OBJECT

private slots:
    void itsStartIsTheRelease() {
        const auto run = shortRun();
        const std::shared_ptr<RunRecord> original = rebuild(*run);
        Played played(run);
        QVERIFY(!played.source.ready());
        played.source.prepare();
        QVERIFY(played.source.ready());
        played.clock.advance(3s); // waiting for others at the barrier
        played.turn();
        QVERIFY(!played.record->started);
        const Instant t0 = played.clock.now();
        played.source.release(t0);
        played.turn();
        QCOMPARE(played.record->started, std::optional(t0));
        QVERIFY(played.record->events.empty());
        for (int i = 0; i < 200; ++i)
            played.turn(10ms);
        QVERIFY(played.record->outcome == Outcome::complete);
        QCOMPARE(played.record->transcript, original->transcript);
        QCOMPARE(played.record->events.size(), original->events.size());
        for (std::size_t i = 0; i < original->events.size(); ++i)
            QCOMPARE(toNs(played.record->events[i].at - *played.record->started),
                     toNs(original->events[i].at - *original->started));
        QCOMPARE(toNs(*played.record->finished - t0), toNs(*original->finished - *original->started));
    }

    void theEnginesStampsMoveAlong() {
        Played played(std::make_shared<RecordedRun>(engineRun()));
        QVERIFY(played.source.clockSource() == ClockSource::kernel);
        played.source.release(played.clock.now());
        played.turn(1s);
        QVERIFY(played.record->outcome == Outcome::complete);
        QCOMPARE(played.record->engineSteps.size(), 1U);
        const EngineRow& row = played.record->engineSteps[0];
        QCOMPARE(toNs(row.at) - row.step.sampledAtNs, 1'000'000);
        QCOMPARE(row.step.endNs - row.step.beginNs, 9'000'000);
        QCOMPARE(row.event, 0U);
        QCOMPARE(played.record->events.at(0).tokens.engine, 1U);
        QCOMPARE(played.record->card.quantization, std::optional<std::string>("Q4_1"));
        QCOMPARE(played.record->enginePrompt->tokens, 3U);
    }

    void hiccupsMoveAlong() {
        RecordedRun run = engineRun();
        run.hiccups = {{instantFromNs(5'090'000'000), instantFromNs(5'099'000'000)}};
        run.stamps = StampReport{ClockSource::kernel, Duration(400), 1, 0, Duration(31'000)};
        Played played(std::make_shared<RecordedRun>(run));
        QVERIFY(!played.source.stampedNow());
        const Instant t0 = played.clock.now();
        played.source.release(t0);
        played.turn(1s);
        const Hiccup moved{t0 + 90ms, t0 + 99ms};
        QVERIFY(played.record->hiccups == std::vector{moved});
        QVERIFY(played.record->stamps == run.stamps);
    }

    void theMoveIsKeptInARecording() {
        Milestone started;
        started.moved = Duration(-123'456'789'012);
        std::string line;
        appendMarkLine(line, 3, instantFromNs(42), started);
        const auto parsed = parseRecordingLine(std::string_view(line).substr(0, line.size() - 1));
        QVERIFY(parsed && std::holds_alternative<MarkLine>(*parsed));
        QCOMPARE(toNs(std::get<MarkLine>(*parsed).milestone.moved), toNs(started.moved));
        line.clear();
        appendMarkLine(line, 3, instantFromNs(42), Milestone{});
        QVERIFY(line.find("moved") == std::string::npos);
    }

    void howTheConnectionWasIsKeptInARecording() {
        for (const auto kind : {Milestone::Kind::connected, Milestone::Kind::routed}) {
            Milestone milestone{kind};
            milestone.proxy = "p:1";
            milestone.unverified = kind == Milestone::Kind::connected;
            std::string line;
            appendMarkLine(line, 3, instantFromNs(42), milestone);
            const auto parsed = parseRecordingLine(std::string_view(line).substr(0, line.size() - 1));
            QVERIFY(parsed && std::holds_alternative<MarkLine>(*parsed));
            const Milestone& back = std::get<MarkLine>(*parsed).milestone;
            QVERIFY(back.kind == kind);
            QCOMPARE(back.proxy, milestone.proxy);
            QCOMPARE(back.unverified, milestone.unverified);
        }
    }

    void stoppingBeforeAndAfterTheRelease() {
        Played early(shortRun());
        early.source.cancel(ErrorKind::cancelled);
        early.turn();
        QVERIFY(early.record->outcome == Outcome::cancelled);
        QVERIFY(early.source.ready());
        Played late(shortRun());
        late.source.release({});
        late.turn(200ms);
        QVERIFY(!late.record->events.empty());
        late.source.cancel(ErrorKind::cancelled);
        late.turn();
        QVERIFY(late.record->outcome == Outcome::cancelled);
    }

    void theLanesSpecIsWhatWasAsked() {
        Recording recording;
        recording.lanes = {{0, "first", {}}, {1, "second", {}}};
        auto warmup = std::make_shared<RecordedRun>(engineRun());
        warmup->asked = sampleAsked(1);
        auto good = std::make_shared<RecordedRun>(engineRun());
        good->asked = sampleAsked(1);
        good->asked.warmup = false;
        good->asked.spec.local.emplace().path = "/models/a.gguf";
        good->asked.route = "local:/models/a.gguf";
        recording.runs = {warmup, good};
        QCOMPARE(typicalRun(recording, 1).get(), good.get());
        QVERIFY(!typicalRun(recording, 0));
        const Result<RunSpec> spec = recordedLaneSpec(recording, {"race.decodescope", 1});
        QVERIFY(spec);
        QCOMPARE(spec->laneName, std::string("second"));
        QCOMPARE(spec->prompt, good->asked.spec.prompt);
        QVERIFY(!spec->local && !spec->uniquePrefix);
        QVERIFY(spec->endpoint.key.kind == KeyReference::Kind::none);
        QCOMPARE(spec->endpoint.url, std::string("local:/models/a.gguf"));
        const Result<RunSpec> none = recordedLaneSpec(recording, {"race.decodescope", 0});
        QVERIFY(!none && none.error().code == ErrorCode::usage);
    }

    void theShelfReadsOnce() {
        int reads = 0;
        RecordingShelf shelf([&](const std::string& path) -> Result<Recording> {
            ++reads;
            if (path == "missing")
                return fail(ErrorCode::io, "not there");
            return parseRecording(sampleRecording(), path);
        });
        const auto a = shelf.open("a");
        QVERIFY(a && shelf.open("a")->get() == a->get());
        QCOMPARE(reads, 1);
        QVERIFY(!shelf.open("missing"));
    }
};

QTEST_GUILESS_MAIN(RecordedSourceTest)
#include "tst_recorded_source.moc"
