#include "core/base/hiccup_meter.h"
#include "tests/core/session/fake_source.h"

#include <QtTest>

#include <atomic>
#include <utility>

using namespace decodescope;
using namespace std::chrono_literals;

namespace {

/// A session of fake lanes that hears of hiccups.
struct Rig {
    FakeSources fake;
    std::shared_ptr<HiccupLog> log = std::make_shared<HiccupLog>();
    Session session{fake.factory(), fake.clock};

    explicit Rig(int lanes) {
        session.setLanes(fakeLanes(lanes));
        session.setHiccups(log);
    }

    void begin(const std::string& lane) {
        fake.milestone(lane, Milestone::Kind::started);
        fake.milestone(lane, Milestone::Kind::sent);
        fake.token(lane);
    }

    /// A hiccup that ends now.
    Hiccup hiccup(Duration late) {
        const Hiccup hiccup{fake.clock.now() - late, fake.clock.now()};
        log->note(hiccup);
        return hiccup;
    }

    const std::vector<Hiccup>& of(LaneId lane) const { return session.lane(lane)->current()->record->hiccups; }
};

} // namespace

/// Which hiccups of ours go into which run.
class SessionHiccupsTest : public QObject {
    Q_OBJECT

private slots:
    void aHiccupGoesIntoEveryRunInFlight() {
        Rig rig(2);
        rig.log->note({rig.fake.clock.now() - 40ms, rig.fake.clock.now() - 20ms}); // before the runs
        rig.fake.clock.advance(100ms);
        QVERIFY(rig.session.start({}));
        rig.fake.clock.advance(10ms);
        rig.begin("A");
        rig.begin("B");
        rig.session.pump();
        rig.fake.clock.advance(30ms);
        const Hiccup first = rig.hiccup(20ms);
        QVERIFY(rig.session.pump()); // nothing else has come
        QVERIFY(rig.of(1) == std::vector{first});
        rig.fake.end("A");
        rig.session.pump();
        rig.fake.clock.advance(30ms);
        const Hiccup second = rig.hiccup(7ms);
        rig.session.pump();
        QVERIFY(rig.of(1) == std::vector{first});
        QVERIFY((rig.of(2) == std::vector{first, second}));
    }

    void oneThatOverlapsTheEndBelongsToTheRun() {
        Rig rig(1);
        QVERIFY(rig.session.start({}));
        rig.fake.clock.advance(10ms);
        rig.begin("A");
        rig.fake.clock.advance(10ms);
        rig.fake.end("A"); // in the middle of a hiccup, after which the session looks again
        rig.fake.clock.advance(10ms);
        const Hiccup over = rig.hiccup(18ms);
        rig.fake.clock.advance(50ms);
        rig.hiccup(20ms); // behind the end
        rig.session.pump();
        QVERIFY(rig.session.lane(1)->state() == LaneState::cut || rig.session.lane(1)->state() == LaneState::done);
        QVERIFY(rig.of(1) == std::vector{over});
    }

    void aStoppedRunKeepsItsHiccups() {
        Rig rig(1);
        QVERIFY(rig.session.start({}));
        rig.begin("A");
        rig.session.pump();
        rig.fake.clock.advance(30ms);
        const Hiccup hiccup = rig.hiccup(9ms);
        rig.session.stop();
        rig.session.pump();
        QVERIFY(rig.session.lane(1)->current()->record->outcome == Outcome::cancelled);
        QVERIFY(rig.of(1) == std::vector{hiccup});
    }

    void theNextRunBeginsWithoutThem() {
        Rig rig(1);
        QVERIFY(rig.session.start({.repeats = 2}));
        rig.begin("A");
        rig.fake.clock.advance(30ms);
        rig.hiccup(9ms);
        rig.fake.end("A");
        rig.session.pump();
        QCOMPARE(rig.session.lane(1)->runs().size(), 2U);
        rig.begin("A");
        rig.session.pump();
        QCOMPARE(rig.session.lane(1)->runs().front()->record->hiccups.size(), 1U);
        QVERIFY(rig.of(1).empty());
    }

    /// What was recorded or made up was not stamped by us now.
    void aReplayedRunTakesNone() {
        Rig rig(2);
        QVERIFY(rig.session.start({}));
        rig.fake.of("B").stampedNow = false;
        rig.begin("A");
        rig.begin("B");
        rig.fake.clock.advance(30ms);
        rig.hiccup(9ms);
        rig.session.pump();
        QCOMPARE(rig.of(1).size(), 1U);
        QVERIFY(rig.of(2).empty());
    }

    void theHandlerAndTheRecordingHearOfThem() {
        struct Keeper final : RawSink {
            void onChunk(Instant, std::uint32_t, std::string_view) override {}
            void onMilestone(Instant, const Milestone&) override {}
            void onEnd(Instant, ErrorKind, std::string_view) override {}
            void onHiccup(const Hiccup& hiccup) override { hiccups.push_back(hiccup); }
            std::vector<Hiccup> hiccups;
        };
        Rig rig(1);
        int told = 0;
        rig.session.onEvent = [&](const Lane&, const StreamEvent& event) {
            told += std::holds_alternative<Hiccup>(event.what) ? 1 : 0;
        };
        QVERIFY(rig.session.start({}));
        const auto keeper = std::make_shared<Keeper>();
        rig.session.lane(1)->current()->raw->teeTo(keeper);
        rig.begin("A");
        rig.fake.clock.advance(30ms);
        const Hiccup hiccup = rig.hiccup(9ms);
        rig.fake.end("A");
        rig.session.pump();
        QCOMPARE(told, 1);
        QVERIFY(keeper->hiccups == std::vector{hiccup});
    }

    /// An idle window costs no wake-ups: the log is listened to while something runs.
    void isListenedToOnlyWhileAPlanIsInProgress() {
        FakeSources fake;
        const auto log = std::make_shared<HiccupLog>();
        std::atomic<int> sleeps = 0;
        const HiccupMeter meter(log, {[] { return Instant(std::chrono::steady_clock::now()); },
                                      [&](Instant due) {
                                          ++sleeps;
                                          return log->sleepUntil(due);
                                      }});
        Session session(fake.factory(), fake.clock);
        session.setLanes(fakeLanes(1));
        session.setHiccups(log);
        QCOMPARE(sleeps.load(), 0);
        QVERIFY(session.start({}));
        QTRY_VERIFY(sleeps > 3);
        fake.wholeRun("A");
        session.pump();
        QVERIFY(!session.active());
        int before = -1;
        QTRY_VERIFY(std::exchange(before, sleeps.load()) == sleeps.load());
        const int after = sleeps;
        QTest::qWait(20);
        QVERIFY(sleeps <= after + 1);
    }
};

QTEST_GUILESS_MAIN(SessionHiccupsTest)
#include "tst_session_hiccups.moc"
