#include "tests/core/session/fake_source.h"

#include <QtTest>

using namespace decodescope;
using namespace std::chrono_literals;

/// Plans over several runs: repeats, warm-ups, sequence, prefixes, lanes that come and go.
class SessionOrderTest : public QObject {
    Q_OBJECT

    static void finishRound(FakeSources& fake, Session& session, const std::vector<std::string>& lanes) {
        for (const std::string& lane : lanes)
            fake.makeReady(lane);
        session.pump();
        for (const std::string& lane : lanes)
            fake.wholeRun(lane);
        session.pump();
    }

private slots:
    void warmUpsComeFirstAndAreMarked() {
        FakeSources fake;
        Session session(fake.factory(), fake.clock);
        session.setLanes(fakeLanes(2));
        QVERIFY(session.start({2, 1, false}));
        for (int round = 0; round < 3; ++round)
            finishRound(fake, session, {"A", "B"});
        QVERIFY(!session.active());
        const auto& runs = session.lane(2)->runs();
        QCOMPARE(runs.size(), 3U);
        QVERIFY(runs[0]->record->warmup);
        QCOMPARE(runs[0]->record->repeat, 1);
        QVERIFY(!runs[0]->summary->inStats);
        QVERIFY(!runs[1]->record->warmup);
        QCOMPARE(runs[1]->record->repeat, 1);
        QVERIFY(runs[1]->summary->inStats);
        QCOMPARE(runs[2]->record->repeat, 2);
        QCOMPARE(runs[2]->record->lane, 1);
        QCOMPARE(runs[2]->record->card.concurrency, std::optional<int>(2));
    }

    void everyRoundIsABarrierOfItsOwn() {
        FakeSources fake;
        Session session(fake.factory(), fake.clock);
        session.setLanes(fakeLanes(2));
        QVERIFY(session.start({2, 0, false}));
        fake.makeReady("A");
        session.pump();
        QCOMPARE(fake.of("A").releases, 0);
        finishRound(fake, session, {"A", "B"});
        QCOMPARE(fake.made().size(), 4U);
        fake.makeReady("B");
        session.pump();
        QCOMPARE(fake.of("B").releases, 0);
        fake.makeReady("A");
        session.pump();
        QCOMPARE(fake.of("A").scheduled, fake.of("B").scheduled);
    }

    void inSequenceOneLaneRunsAtATime() {
        FakeSources fake;
        Session session(fake.factory(), fake.clock);
        session.setLanes(fakeLanes(3));
        QVERIFY(session.start({2, 0, true}));
        QString order;
        while (session.active() && order.size() < 10) {
            const std::string lane = fake.made().back()->request.laneName;
            order += QString::fromStdString(lane);
            QCOMPARE(std::count_if(session.lanes().begin(), session.lanes().end(),
                                   [](const auto& l) { return l->inFlight(); }),
                     1);
            finishRound(fake, session, {lane});
        }
        QCOMPARE(order, QString("ABCABC"));
        QVERIFY(!session.releaseSpread());
        QVERIFY(!fake.of("A").scheduled);
        QCOMPARE(session.lane(3)->runs().back()->record->card.concurrency, std::optional<int>(1));
    }

    void stoppingALaneInSequenceGoesOnWithTheNext() {
        FakeSources fake;
        Session session(fake.factory(), fake.clock);
        session.setLanes(fakeLanes(3));
        QVERIFY(session.start({1, 0, true}));
        session.stopLane(1);
        session.pump();
        QCOMPARE(fake.made().back()->request.laneName, std::string("B"));
        finishRound(fake, session, {"B"});
        finishRound(fake, session, {"C"});
        QVERIFY(!session.active());
        QCOMPARE(fake.made().size(), 3U);
    }

    void uniquePrefixesDifferAndAreRecorded() {
        FakeSources fake;
        Session session(fake.factory(), fake.clock);
        std::vector<LaneConfig> lanes = fakeLanes(1);
        lanes[0].spec.uniquePrefix = true;
        session.setLanes(lanes);
        QVERIFY(session.start({2, 0, false}));
        finishRound(fake, session, {"A"});
        finishRound(fake, session, {"A"});
        const std::string first = fake.made()[0]->request.prompt;
        const std::string second = fake.made()[1]->request.prompt;
        QVERIFY(first != second);
        QVERIFY(QString::fromStdString(first).endsWith("\nSay something."));
        QVERIFY(first.size() < 40);
        QCOMPARE(session.lane(1)->runs()[0]->record->spec.prompt, first);
        QVERIFY(session.lane(1)->runs()[0]->record->requestBody.find(first.substr(0, 8)) != std::string::npos);
        QCOMPARE(session.lane(1)->config().spec.prompt, std::string("Say something."));
    }

    void theKeyReachesTheSourceAndNotTheRecord() {
        FakeSources fake;
        Session session(fake.factory(), fake.clock);
        std::vector<LaneConfig> lanes = fakeLanes(1);
        lanes[0].spec.key = std::make_shared<const Secret>("DSCANARY-session");
        session.setLanes(lanes);
        QVERIFY(session.start({}));
        QVERIFY(fake.of("A").request.key != nullptr);
        QVERIFY(session.lane(1)->current()->record->spec.key == nullptr);
    }

    void oneLaneCanBeStartedBesideTheOthers() {
        FakeSources fake;
        Session session(fake.factory(), fake.clock);
        session.setLanes(fakeLanes(2));
        QVERIFY(session.start({}));
        QVERIFY(!session.startLane(1));
        QVERIFY(!session.start({}));
        fake.makeReady("A");
        fake.makeReady("B");
        session.pump();
        fake.wholeRun("A");
        session.pump();
        QVERIFY(!session.startLane(1)); // its plan still runs
        fake.wholeRun("B");
        session.pump();
        QVERIFY(session.startLane(1));
        QVERIFY(session.startLane(2));
        QCOMPARE(session.lane(1)->runs().size(), 1U);
        fake.makeReady("A");
        session.pump();
        QCOMPARE(fake.of("A").releases, 1);
        QVERIFY(!fake.of("A").scheduled);
        QVERIFY(!session.startLane(99));
    }

    void lanesAreKeptByIdAndEditsWaitForTheNextPlan() {
        FakeSources fake;
        Session session(fake.factory(), fake.clock);
        session.setLanes(fakeLanes(2));
        QVERIFY(session.start({2, 0, false}));
        std::vector<LaneConfig> edited = fakeLanes(3);
        std::swap(edited[0], edited[1]);
        edited[1].spec.prompt = "Something else."; // lane 1, now in second place
        session.setLanes(edited);
        QCOMPARE(session.lanes()[0]->config().id, 2U);
        QVERIFY(session.lane(1)->inFlight());
        finishRound(fake, session, {"A", "B"});
        QCOMPARE(fake.of("A").request.prompt, std::string("Say something."));
        QCOMPARE(session.lane(1)->config().spec.prompt, std::string("Something else."));
        QCOMPARE(session.lane(1)->current()->record->lane, 0); // its number in the recording: where it stood at the start
        session.setLanes({edited[0]});
        QVERIFY(session.lane(1) == nullptr);
        QVERIFY(fake.of("A").destroyed);
        finishRound(fake, session, {"B"});
        QVERIFY(!session.active());
    }

    void finishedRunsCanBeShown() {
        FakeSources fake;
        Session session(fake.factory(), fake.clock);
        session.setLanes(fakeLanes(1));
        auto run = std::make_shared<LaneRun>();
        run->record = std::make_shared<RunRecord>();
        run->record->outcome = Outcome::interrupted;
        run->record->started = fake.clock.now();
        const std::uint64_t before = session.lane(1)->revision();
        session.showRuns(1, {run});
        QCOMPARE(session.lane(1)->state(), LaneState::cut);
        QVERIFY(session.lane(1)->revision() > before);
        QCOMPARE(session.lane(1)->now(), run->record->started);
        QVERIFY(!session.active());
    }
};

QTEST_GUILESS_MAIN(SessionOrderTest)
#include "tst_session_order.moc"
