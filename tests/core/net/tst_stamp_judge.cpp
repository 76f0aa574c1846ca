// Which stamp a read gets, on clocks that the test turns by hand.
#include "core/net/stamp_judge.h"
#include "tests/core/net/stepped_clocks.h"

#include <QtTest>

#include <chrono>
#include <memory>

using namespace decodescope;
using namespace std::chrono_literals;

namespace {

/// One connection and its clocks.
struct Bench {
    std::shared_ptr<HandClocks> hands = std::make_shared<HandClocks>();
    KernelClock clock{hands};
    StampJudge judge{clock, hands->now()};

    /// A packet comes after `gap`, is read `late` after that, and gets a stamp. Returns its error.
    Duration arrive(Duration gap, Duration late) {
        hands->advance(gap);
        const Instant came = hands->now();
        const Duration wall = hands->wallAt(came);
        hands->advance(late);
        return judge.stamp(wall, hands->now()) - came;
    }
    /// The same; whether the stamp is as good as the clock says of itself.
    bool arrivesWell(Duration gap, Duration late) {
        const Duration error = arrive(gap, late);
        return std::chrono::abs(error) <= clock.error();
    }
};

} // namespace

class StampJudgeTest : public QObject {
    Q_OBJECT

private slots:
    void tellsKernelStampsOnTheMonotonicClock() {
        Bench bench;
        for (int i = 0; i < 200; ++i)
            QVERIFY(bench.arrivesWell(20ms, 300us));
        const StampReport report = bench.judge.report();
        QVERIFY(report.source == ClockSource::kernel);
        QCOMPARE(report.kernelStamps, 200U);
        QCOMPARE(report.rejected, 0U);
        QVERIFY(report.errorBound && *report.errorBound > 0ns && *report.errorBound <= 20ns);
        QVERIFY(report.largestLag >= 299us && report.largestLag <= 301us);
    }

    void keepsTheNarrowestBracketAndSaysHowNarrowItIs() {
        const auto hands = std::make_shared<HandClocks>();
        hands->slow(1us);
        KernelClock clock(hands);
        QCOMPARE(clock.error().count(), std::int64_t(1000)); // two readings wide, so one of them to each side
        hands->slow(10ns);
        hands->advance(2s);
        clock.look(hands->now()); // the second is over: measured anew
        QCOMPARE(clock.error().count(), std::int64_t(10));
        QVERIFY(std::chrono::abs(clock.monotonicOf(hands->wallAt(hands->now())) - hands->now()) <= clock.error());
    }

    void f42_aWallClockThatIsSteppedMovesNoStamp_data() {
        QTest::addColumn<qint64>("stepNs");
        QTest::newRow("two hours on") << qint64(toNs(2h));
        QTest::newRow("two hours back") << qint64(toNs(-2h));
        QTest::newRow("a second on") << qint64(toNs(1s));
        QTest::newRow("five milliseconds back") << qint64(toNs(-5ms));
    }
    void f42_aWallClockThatIsSteppedMovesNoStamp() {
        QFETCH(qint64, stepNs);
        Bench bench;
        for (int i = 0; i < 10; ++i)
            bench.arrive(20ms, 50us);
        bench.hands->step(Duration(stepNs));
        // The first read after the step cannot know on which side of it the packet came: the moment of the read counts.
        QVERIFY(std::chrono::abs(bench.arrive(20ms, 50us) - 50us) <= 100ns);
        QCOMPARE(bench.judge.report().rejected, 1U);
        for (int i = 0; i < 10; ++i)
            QVERIFY(bench.arrivesWell(20ms, 50us));
        const StampReport report = bench.judge.report();
        QCOMPARE(report.rejected, 1U);
        QCOMPARE(report.kernelStamps, 20U);
        QVERIFY(report.source == ClockSource::user);              // one read had to do without
        QVERIFY(report.errorBound && *report.errorBound >= 49us); // as late as reads were seen to be
    }

    void aPacketThatCameBeforeTheStepIsNotBelievedEither() {
        Bench bench;
        bench.arrive(20ms, 50us);
        bench.hands->advance(20ms);
        const Instant came = bench.hands->now();
        const Duration wall = bench.hands->wallAt(came);
        bench.hands->step(1ms); // while it waits to be read
        bench.hands->advance(50us);
        const Instant had = bench.hands->now();
        QVERIFY(bench.judge.stamp(wall, had) == had);
        QCOMPARE(bench.judge.report().rejected, 1U);
    }

    void aSlowDriftIsFollowedAndTold() {
        Bench bench;
        bench.hands->drift(500); // as fast as a clock is ever disciplined: 10 us from one read to the next
        for (int i = 0; i < 100; ++i)
            QVERIFY(bench.arrivesWell(20ms, 50us));
        const StampReport report = bench.judge.report();
        QCOMPARE(report.rejected, 0U);
        QVERIFY(report.errorBound && *report.errorBound >= 9us && *report.errorBound <= 25us);
    }

    void rejectsWhatCannotBe_data() {
        QTest::addColumn<qint64>("offNs");
        QTest::addColumn<bool>("rejected");
        QTest::newRow("after the read") << qint64(toNs(51us)) << true;
        QTest::newRow("long after the read") << qint64(toNs(2h)) << true;
        QTest::newRow("as from before a step") << qint64(toNs(-2h)) << true;
        QTest::newRow("right after the read before") << qint64(toNs(-19ms)) << false;
        QTest::newRow("right before the read") << qint64(toNs(49us)) << false;
    }
    void rejectsWhatCannotBe() {
        QFETCH(qint64, offNs);
        QFETCH(bool, rejected);
        Bench bench;
        bench.arrive(20ms, 0ns);
        bench.hands->advance(20ms);
        const Instant came = bench.hands->now();
        bench.hands->advance(50us);
        const Instant had = bench.hands->now();
        const Instant stamp = bench.judge.stamp(bench.hands->wallAt(came + Duration(offNs)), had);
        QCOMPARE(bench.judge.report().rejected, rejected ? 1U : 0U);
        if (rejected)
            QVERIFY(stamp == had);
        else
            QVERIFY(std::chrono::abs(stamp - (came + Duration(offNs))) <= bench.clock.error());
    }

    void aPacketThatOvertookALostOneCountsFromWhenTheHoleWasFilled() {
        Bench bench;
        bench.arrive(20ms, 50us);
        bench.hands->advance(5ms);
        const Duration overtaking = bench.hands->wallAt(bench.hands->now());
        bench.hands->advance(200ms);
        const Instant filled = bench.hands->now();
        const Duration again = bench.hands->wallAt(filled);
        bench.hands->advance(50us);
        const Duration error = bench.clock.error() + 5ns;
        QVERIFY(std::chrono::abs(bench.judge.stamp(again, bench.hands->now()) - filled) <= error);
        QVERIFY(std::chrono::abs(bench.judge.stamp(overtaking, bench.hands->now()) - filled) <= error);
        const StampReport report = bench.judge.report();
        QCOMPARE(report.rejected, 0U);
        QCOMPARE(report.kernelStamps, 3U);
        QVERIFY(report.source == ClockSource::kernel);
    }

    void aReadWithoutAKernelStampIsNoStep() {
        Bench bench;
        bench.arrive(20ms, 50us);
        bench.hands->advance(20ms);
        const Instant came = bench.hands->now();
        bench.hands->advance(3ms);
        const Instant had = bench.hands->now();
        QVERIFY(bench.judge.stamp({}, had) == had);
        // The next packet came while the one before was waiting: stamps do not run backwards for it.
        const Instant next = bench.judge.stamp(bench.hands->wallAt(came + 1ms), bench.hands->now());
        QVERIFY(next >= had);
        const StampReport report = bench.judge.report();
        QCOMPARE(report.rejected, 0U);
        QCOMPARE(report.kernelStamps, 1U);
        QVERIFY(report.source == ClockSource::user);
    }

    void eachRunHasItsOwnAccount() {
        Bench bench;
        bench.arrive(20ms, 5ms);
        QVERIFY(bench.judge.stamp({}, bench.hands->now()) == bench.hands->now());
        QVERIFY(bench.judge.report().source == ClockSource::user);
        bench.judge.beginAnew();
        QVERIFY(bench.judge.report().source == ClockSource::kernel);
        bench.arrive(20ms, 1ms);
        const StampReport report = bench.judge.report();
        QVERIFY(report.source == ClockSource::kernel);
        QCOMPARE(report.kernelStamps, 1U);
        QVERIFY(report.largestLag < 2ms);
    }
};

QTEST_GUILESS_MAIN(StampJudgeTest)
#include "tst_stamp_judge.moc"
