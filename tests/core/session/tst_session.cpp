#include "tests/core/session/fake_source.h"

#include <QtTest>

using namespace decodescope;
using namespace std::chrono_literals;

/// One round of lanes: the barrier, the states, the ways to end.
class SessionTest : public QObject {
    Q_OBJECT

private slots:
    void lanesWaitForEachOtherAndShareOneStart() {
        FakeSources fake;
        Session session(fake.factory(), fake.clock);
        session.setLanes(fakeLanes(3));
        QVERIFY(session.start({}));
        QCOMPARE(fake.made().size(), 3U);
        session.pump();
        fake.makeReady("A");
        fake.makeReady("B");
        session.pump();
        for (const auto& state : fake.made())
            QCOMPARE(state->releases, 0);
        QCOMPARE(session.lane(1)->state(), LaneState::connecting);
        fake.clock.advance(40ms);
        fake.makeReady("C");
        session.pump();
        for (const auto& state : fake.made()) {
            QCOMPARE(state->releases, 1);
            QVERIFY(state->scheduled.has_value());
            QCOMPARE(*state->scheduled, fake.clock.now());
        }
    }

    void spreadOfSentIsTold() {
        FakeSources fake;
        Session session(fake.factory(), fake.clock);
        session.setLanes(fakeLanes(2));
        QVERIFY(session.start({}));
        fake.makeReady("A");
        fake.makeReady("B");
        session.pump();
        fake.milestone("A", Milestone::Kind::started);
        fake.milestone("A", Milestone::Kind::sent);
        session.pump();
        QVERIFY(!session.releaseSpread());
        fake.clock.advance(3ms);
        fake.milestone("B", Milestone::Kind::sent);
        session.pump();
        QVERIFY(session.releaseSpread().has_value());
        QCOMPARE(*session.releaseSpread(), Duration(3ms));
    }

    void aLaneThatCannotConnectEndsAloneAndFreesTheOthers() {
        FakeSources fake;
        Session session(fake.factory(), fake.clock);
        session.setLanes(fakeLanes(3));
        QVERIFY(session.start({}));
        fake.makeReady("A");
        fake.makeReady("B");
        fake.end("C", ErrorKind::unreachable, "refused");
        fake.makeReady("C");
        session.pump();
        QCOMPARE(fake.of("A").releases, 1);
        QCOMPARE(fake.of("B").releases, 1);
        QCOMPARE(fake.of("C").releases, 0);
        QCOMPARE(session.lane(3)->state(), LaneState::failed);
        QVERIFY(session.lane(3)->current()->record->outcome == Outcome::error);
        QVERIFY(!session.lane(3)->current()->summary->inStats);
        QVERIFY(session.active());
    }

    void aLaneThatConnectsForEverDoesNotHoldTheOthers() {
        FakeSources fake;
        Session session(fake.factory(), fake.clock);
        session.setLanes(fakeLanes(3));
        QVERIFY(session.start({}));
        fake.makeReady("A");
        fake.makeReady("B");
        session.pump();
        fake.clock.advance(10s);
        session.pump();
        QCOMPARE(fake.of("A").releases, 0);
        fake.clock.advance(10s);
        session.pump();
        QCOMPARE(fake.of("A").releases, 1);
        QCOMPARE(fake.of("B").scheduled, fake.of("A").scheduled);
        QCOMPARE(fake.of("C").releases, 0);
        fake.makeReady("C");
        session.pump();
        QCOMPARE(fake.of("C").releases, 1);
        QVERIFY(!fake.of("C").scheduled);
    }

    void statesFollowTheStream() {
        FakeSources fake;
        Session session(fake.factory(), fake.clock);
        session.setLanes(fakeLanes(1));
        const auto state = [&] { return session.lane(1)->state(); };
        QCOMPARE(state(), LaneState::idle);
        QVERIFY(!session.lane(1)->now());
        QVERIFY(session.start({}));
        QCOMPARE(state(), LaneState::connecting);
        fake.makeReady("A");
        session.pump();
        fake.milestone("A", Milestone::Kind::started);
        fake.milestone("A", Milestone::Kind::sent);
        session.pump();
        QCOMPARE(state(), LaneState::waiting);
        fake.token("A");
        session.pump();
        QCOMPARE(state(), LaneState::running);
        fake.clock.advance(1s);
        QCOMPARE(session.lane(1)->now(), std::optional<Instant>(fake.clock.now()));
        fake.post("A", FinishReported{0, "stop"});
        fake.end("A");
        session.pump();
        QCOMPARE(state(), LaneState::done);
        const Instant ended = fake.clock.now();
        fake.clock.advance(1s);
        QCOMPARE(session.lane(1)->now(), std::optional<Instant>(ended));
        QVERIFY(fake.of("A").destroyed);
        QVERIFY(!session.pump());
        QVERIFY(!session.active());
        QVERIFY(session.lane(1)->current()->record->clock == ClockSource::synthetic);
        QCOMPARE(session.lane(1)->current()->record->text(Channel::answer), std::string("word "));
    }

    void endsAreShownAsWhatTheyAre_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<bool>("withText");
        QTest::addColumn<int>("state");
        const auto row = [](const char* name, ErrorKind kind, bool withText, LaneState state) {
            QTest::newRow(name) << int(kind) << withText << int(state);
        };
        row("complete", ErrorKind::none, true, LaneState::done);
        row("truncated", ErrorKind::truncated, true, LaneState::cut);
        row("lost after text", ErrorKind::connectionClosed, true, LaneState::cut);
        row("lost before text", ErrorKind::connectionClosed, false, LaneState::failed);
        row("idle", ErrorKind::timeoutIdle, true, LaneState::failed);
        row("error in the stream", ErrorKind::inStream, true, LaneState::failed);
        row("refused", ErrorKind::auth, false, LaneState::failed);
        row("cancelled", ErrorKind::cancelled, true, LaneState::cancelled);
    }
    void endsAreShownAsWhatTheyAre() {
        QFETCH(int, kind);
        QFETCH(bool, withText);
        QFETCH(int, state);
        FakeSources fake;
        Session session(fake.factory(), fake.clock);
        session.setLanes(fakeLanes(1));
        QVERIFY(session.start({}));
        fake.makeReady("A");
        session.pump();
        fake.milestone("A", Milestone::Kind::started);
        if (withText)
            fake.token("A", "kept");
        fake.end("A", static_cast<ErrorKind>(kind), "what was said");
        session.pump();
        QCOMPARE(int(session.lane(1)->state()), state);
        const LaneRun& run = *session.lane(1)->current();
        QCOMPARE(run.record->text(Channel::answer), std::string(withText ? "kept" : ""));
        QCOMPARE(run.summary->inStats, static_cast<ErrorKind>(kind) == ErrorKind::none);
    }

    void stopKeepsWhatHadArrivedAndStartsNothingMore() {
        FakeSources fake;
        Session session(fake.factory(), fake.clock);
        session.setLanes(fakeLanes(2));
        QVERIFY(session.start({3, 0, false}));
        fake.makeReady("A");
        session.pump();
        session.stop();
        fake.makeReady("B");
        session.pump();
        QCOMPARE(fake.of("A").releases, 0);
        QVERIFY(fake.of("A").cancelKind == ErrorKind::cancelled);
        QCOMPARE(session.lane(2)->state(), LaneState::cancelled);
        QVERIFY(!session.active());
        session.pump();
        QCOMPARE(fake.made().size(), 2U);
    }

    void stoppingOneLaneLeavesTheOthers() {
        FakeSources fake;
        Session session(fake.factory(), fake.clock);
        session.setLanes(fakeLanes(2));
        QVERIFY(session.start({2, 0, false}));
        session.stopLane(1);
        fake.makeReady("A");
        fake.makeReady("B");
        session.pump();
        QCOMPARE(fake.of("A").releases, 0);
        QCOMPARE(fake.of("B").releases, 1);
        fake.wholeRun("B");
        session.pump();
        QCOMPARE(fake.made().size(), 3U); // the second round is B's alone
        QCOMPARE(session.lane(1)->runs().size(), 1U);
        QCOMPARE(session.lane(2)->runs().size(), 2U);
    }

    void nothingStartsWithoutAnAddress() {
        FakeSources fake;
        Session session(fake.factory(), fake.clock);
        QVERIFY(!session.start({}));
        std::vector<LaneConfig> lanes = fakeLanes(2);
        lanes[1].spec.endpoint.url = "not a url";
        session.setLanes(lanes);
        const Result<void> started = session.start({});
        QVERIFY(!started);
        QCOMPARE(started.error().code, ErrorCode::usage);
        QVERIFY(QString::fromStdString(started.error().message).contains("B"));
        QVERIFY(fake.made().empty());
        QVERIFY(!session.active());
    }

    void aFactoryWithoutASourceEndsTheRun() {
        FakeClock clock;
        Session session([](const RunSpec&, SourceOutput) { return std::unique_ptr<TokenSource>(); }, clock);
        session.setLanes(fakeLanes(1));
        QVERIFY(session.start({}));
        session.pump();
        QVERIFY(!session.active());
        QCOMPARE(session.lane(1)->state(), LaneState::failed);
    }

    void eventsAreHandedOnAfterTheyWereRecorded() {
        FakeSources fake;
        Session session(fake.factory(), fake.clock);
        session.setLanes(fakeLanes(1));
        std::vector<std::size_t> seen;
        int ends = 0;
        session.onEvent = [&](const Lane& lane, const StreamEvent& event) {
            if (std::holds_alternative<TokenDelta>(event.what))
                seen.push_back(lane.current()->record->events.size());
            if (std::holds_alternative<StreamEnd>(event.what)) {
                ++ends;
                QVERIFY(lane.current()->summary.has_value());
            }
        };
        QVERIFY(session.start({}));
        fake.makeReady("A");
        session.pump();
        fake.wholeRun("A");
        fake.token("A", "too late");
        session.pump();
        QCOMPARE(seen, (std::vector<std::size_t>{1, 2}));
        QCOMPARE(ends, 1);
        QCOMPARE(session.lane(1)->current()->record->text(Channel::answer), std::string("word word "));
    }

    void destroyingASessionInFlightDropsItsSources() {
        FakeSources fake;
        {
            Session session(fake.factory(), fake.clock);
            session.setLanes(fakeLanes(2));
            QVERIFY(session.start({}));
        }
        QVERIFY(fake.of("A").destroyed);
        QVERIFY(fake.of("B").destroyed);
    }
};

QTEST_GUILESS_MAIN(SessionTest)
#include "tst_session.moc"
