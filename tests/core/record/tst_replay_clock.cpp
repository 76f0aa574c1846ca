#include "core/record/replay_source.h"

#include <QtTest>

#include <limits>

using namespace decodescope;
using namespace std::chrono_literals;

namespace {

const Instant kStart = instantFromNs(5'000'000'000);
const Instant kEnd = kStart + 10s;

} // namespace

class TestReplayClock : public QObject {
    Q_OBJECT

private slots:
    void runsAtItsSpeed();
    void speedChangesDoNotJump();
    void speedStaysInItsRange();
    void standsStillWhilePaused();
    void stepsForwardOnly();
    void neverPassesTheEnd();
};

void TestReplayClock::runsAtItsSpeed() {
    FakeClock real;
    ReplayClock clock(real, kStart, kEnd);
    QVERIFY(clock.now() == kStart);
    real.advance(2s);
    QVERIFY(clock.now() == kStart + 2s);
}

void TestReplayClock::speedChangesDoNotJump() {
    FakeClock real;
    ReplayClock clock(real, kStart, kEnd);
    real.advance(1s);
    clock.setSpeed(0.5);
    QVERIFY(clock.now() == kStart + 1s);
    real.advance(1s);
    QVERIFY(clock.now() == kStart + 1500ms);
    clock.setSpeed(8);
    real.advance(500ms);
    QVERIFY(clock.now() == kStart + 5500ms);
}

void TestReplayClock::speedStaysInItsRange() {
    FakeClock real;
    ReplayClock clock(real, kStart, kEnd);
    clock.setSpeed(100);
    QCOMPARE(clock.speed(), 8.0);
    clock.setSpeed(-3);
    QCOMPARE(clock.speed(), 0.1);
    clock.setSpeed(std::numeric_limits<double>::quiet_NaN());
    QCOMPARE(clock.speed(), 1.0);
}

void TestReplayClock::standsStillWhilePaused() {
    FakeClock real;
    ReplayClock clock(real, kStart, kEnd);
    real.advance(1s);
    clock.pause();
    real.advance(5s);
    QVERIFY(clock.paused());
    QVERIFY(clock.now() == kStart + 1s);
    clock.setSpeed(2);
    real.advance(1s);
    QVERIFY(clock.now() == kStart + 1s);
    clock.resume();
    real.advance(1s);
    QVERIFY(clock.now() == kStart + 3s);
}

void TestReplayClock::stepsForwardOnly() {
    FakeClock real;
    ReplayClock clock(real, kStart, kEnd);
    clock.stepTo(kStart + 4s); // not paused: nothing
    QVERIFY(clock.now() == kStart);
    clock.pause();
    clock.stepTo(kStart + 4s);
    QVERIFY(clock.now() == kStart + 4s);
    clock.stepTo(kStart + 1s);
    QVERIFY(clock.now() == kStart + 4s);
    clock.stepTo(kEnd + 1s);
    QVERIFY(clock.now() == kEnd);
}

void TestReplayClock::neverPassesTheEnd() {
    FakeClock real;
    ReplayClock clock(real, kStart, kEnd);
    clock.setSpeed(8);
    real.advance(24h * 365);
    QVERIFY(clock.now() == kEnd);
    clock.setSpeed(1);
    QVERIFY(clock.now() == kEnd);
    ReplayClock empty(real, kEnd, kStart);
    QVERIFY(empty.now() == kEnd);
}

QTEST_APPLESS_MAIN(TestReplayClock)
#include "tst_replay_clock.moc"
