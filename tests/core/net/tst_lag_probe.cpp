#include "core/net/lag_probe.h"
#include "core/net/network_thread.h"

#include <QtTest>

#include <future>
#include <thread>

using namespace decodescope;
using namespace std::chrono_literals;

class LagProbeTest : public QObject {
    Q_OBJECT

private slots:
    /// A loop that stands still for a while is at least that late, but for one period of the timer.
    void seesTheLoopStandStill() {
        LagProbe probe;
        const auto watch = probe.watch();
        QVERIFY(watch->measured());
        std::this_thread::sleep_for(40ms);
        QVERIFY(watch->largest() >= 36ms); // still going on: the timer has had no turn yet
        QCoreApplication::processEvents();
        QVERIFY(watch->largest() >= 36ms);
        const Duration before = watch->largest();
        QTest::qWait(20);
        QVERIFY(watch->largest() >= before);
    }

    void eachRunHasItsOwn() {
        LagProbe probe;
        const auto early = probe.watch();
        std::this_thread::sleep_for(60ms);
        QTRY_VERIFY(early->largest() >= 50ms);
        QCoreApplication::processEvents(); // the timer has had its turn
        // Whatever else this machine does, one of several runs begun since then saw nothing like it.
        bool apart = false;
        for (int i = 0; i < 20 && !apart; ++i) {
            const auto late = probe.watch();
            QTest::qWait(5);
            apart = late->largest() < 50ms;
        }
        QVERIFY(apart);
        QVERIFY(early->largest() >= 50ms);
    }

    void aWatchMayOutliveItsProbe() {
        std::unique_ptr<LagProbe::Watch> watch;
        {
            LagProbe probe;
            watch = probe.watch();
        }
        QTest::qWait(10);
        QVERIFY(watch->largest() >= 0ns);
    }

    void livesOnTheNetworkThread() {
        NetworkThread network;
        std::promise<Duration> answer;
        std::unique_ptr<LagProbe::Watch> watch;
        network.post([&] {
            watch = network.lag().watch();
            std::this_thread::sleep_for(30ms);
            const Duration largest = watch->largest();
            watch.reset(); // here, before the test's own thread goes on
            answer.set_value(largest);
        });
        QVERIFY(answer.get_future().get() >= 26ms);
    }
};

QTEST_GUILESS_MAIN(LagProbeTest)
#include "tst_lag_probe.moc"
