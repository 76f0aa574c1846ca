#include "core/base/hiccup_meter.h"

#include <QtTest>

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

using namespace decodescope;
using namespace std::chrono_literals;

namespace {

Instant at(Duration sinceStart) {
    return instantFromNs(1'000'000'000) + sinceStart;
}

/// A clock whose sleeps take exactly as long as the test says; once they are used up the meter ends.
struct ScriptedSleeps {
    explicit ScriptedSleeps(std::vector<Duration> lateness)
        : late(std::move(lateness)) {}

    std::vector<Duration> late;
    std::size_t next = 0;
    Instant now = at(0ms);
    std::atomic<bool> over = false;

    HiccupMeter::Hands hands() {
        return {[this] { return now; },
                [this](Instant due) {
                    if (next == late.size()) {
                        over = true;
                        return false;
                    }
                    now = due + late[next++];
                    return true;
                }};
    }
};

} // namespace

class HiccupMeterTest : public QObject {
    Q_OBJECT

private slots:
    void onlyLateWakeUpsWorthNotingAreNoted() {
        ScriptedSleeps sleeps({0ms, 60us, 4'999'999ns, 5ms, 0ms, 80ms, 1ms});
        const auto log = std::make_shared<HiccupLog>();
        HiccupLog::Cursor cursor = log->end();
        log->listen();
        {
            const HiccupMeter meter(log, sleeps.hands());
            QTRY_VERIFY(sleeps.over);
        }
        const std::vector<Hiccup> hiccups = log->since(cursor);
        QCOMPARE(hiccups.size(), 2U);
        QVERIFY(hiccups[0].late() == 5ms);
        QVERIFY(hiccups[0].due == at(4ms + 60us + 4'999'999ns));
        QVERIFY(hiccups[1].late() == 80ms);
        QVERIFY(hiccups[1].due == hiccups[0].woke + 2ms);
        QVERIFY(log->since(cursor).empty());
    }

    void nobodyListeningMeansNoSleeps() {
        ScriptedSleeps sleeps({50ms, 50ms});
        const auto log = std::make_shared<HiccupLog>();
        { const HiccupMeter meter(log, sleeps.hands()); }
        QCOMPARE(sleeps.next, 0U);
        QCOMPARE(log->end(), 0U);
    }

    void eachReaderHasItsOwnCursor() {
        HiccupLog log;
        HiccupLog::Cursor early = log.end();
        log.note({at(0ms), at(6ms)});
        HiccupLog::Cursor late = log.end();
        log.note({at(10ms), at(17ms)});
        QCOMPARE(log.since(early).size(), 2U);
        const auto seen = log.since(late);
        QCOMPARE(seen.size(), 1U);
        QVERIFY(seen[0].woke == at(17ms));
    }

    void whatNobodyReadsIsBounded() {
        HiccupLog log(3);
        HiccupLog::Cursor cursor = log.end();
        for (int i = 0; i < 10; ++i)
            log.note({at(10ms * i), at(10ms * i + 5ms)});
        const auto kept = log.since(cursor);
        QCOMPARE(kept.size(), 3U);
        QVERIFY(kept.front().due == at(70ms));
        QCOMPARE(cursor, 10U);
        log.note({at(200ms), at(205ms)});
        QCOMPARE(log.since(cursor).size(), 1U);
    }

    /// A run that ends while everything stands still must not miss the hiccup that nobody has noted yet.
    void theLastReaderSeesWhatStillGoesOn() {
        HiccupLog log;
        HiccupLog::Cursor cursor = log.end();
        QVERIFY(log.sleepUntil(at(0ms))); // long past by the real clock: returns at once
        QVERIFY(log.sinceAndNow(cursor, at(4ms)).empty());
        const auto seen = log.sinceAndNow(cursor, at(9ms));
        QCOMPARE(seen.size(), 1U);
        QVERIFY((seen[0] == Hiccup{at(0ms), at(9ms)}));
        log.note({at(0ms), at(12ms)}); // noted: no longer going on
        QCOMPARE(log.sinceAndNow(cursor, at(30ms)).size(), 1U);
        QVERIFY(log.sinceAndNow(cursor, at(40ms)).empty());
    }

    void theRealMeterEndsAtOnce() {
        const auto log = std::make_shared<HiccupLog>();
        log->listen();
        for (int i = 0; i < 20; ++i) {
            const HiccupMeter meter(std::make_shared<HiccupLog>());
        }
        auto meter = std::make_unique<HiccupMeter>(log);
        meter.reset(); // in the middle of its sleeps
        QVERIFY(!log->sleepUntil(std::chrono::steady_clock::now() + 1h));
        QVERIFY(!log->waitForListener());
    }
};

QTEST_APPLESS_MAIN(HiccupMeterTest)
#include "tst_hiccup_meter.moc"
