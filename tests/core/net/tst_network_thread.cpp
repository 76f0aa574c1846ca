#include "core/net/network_thread.h"
#include "tests/support/fault_server.h"

#include <QThread>
#include <QtTest>

#include <atomic>
#include <future>
#include <memory>
#include <vector>

using namespace decodescope;

class NetworkThreadTest : public QObject {
    Q_OBJECT

private slots:
    void aSlowLookUpHoldsUpNoOther() {
        std::promise<void> slow;
        const std::shared_future<void> gate = slow.get_future().share();
        std::promise<void> quick;
        NetworkThread network;
        network.runAside([gate] { gate.wait(); });
        network.runAside([&quick] { quick.set_value(); });
        quick.get_future().wait(); // would wait for ever behind the slow one
        slow.set_value();
    }

    void startsNoMoreHelpersThanItShould() {
        std::promise<void> all;
        const std::shared_future<void> gate = all.get_future().share();
        std::atomic<int> begun = 0;
        std::atomic<int> done = 0;
        constexpr int kJobs = 3 * int(NetworkThread::kMostHelpers);
        NetworkThread network;
        for (int i = 0; i < kJobs; ++i) {
            network.runAside([&, gate] {
                ++begun;
                gate.wait();
                ++done;
            });
        }
        QVERIFY(fault::FaultServer::waitFor([&] { return begun == int(NetworkThread::kMostHelpers); }));
        QThread::msleep(20);
        QCOMPARE(begun.load(), int(NetworkThread::kMostHelpers));
        all.set_value();
        QVERIFY(fault::FaultServer::waitFor([&] { return done == kJobs; }));
    }

    void letsGoOfWhatLivesOnItInTheEnd() {
        std::vector<int> order;
        QThread* endedOn = nullptr;
        QThread* livedOn = nullptr;
        {
            NetworkThread network;
            network.whenEnding([&] {
                order.push_back(3);
                endedOn = QThread::currentThread();
            });
            network.post([&] {
                order.push_back(1);
                livedOn = QThread::currentThread();
            });
            network.post([&] { order.push_back(2); });
        }
        QVERIFY(order == (std::vector<int>{1, 2, 3}));
        QVERIFY(endedOn == livedOn && endedOn != QThread::currentThread());
    }

    void jobsThatNobodyWaitsForGoQuietly() {
        const auto held = std::make_shared<int>(1);
        {
            NetworkThread network;
            for (int i = 0; i < 50; ++i)
                network.runAside([held, &network] { network.post([held] {}); });
        }
        QCOMPARE(held.use_count(), 1L);
    }
};

QTEST_GUILESS_MAIN(NetworkThreadTest)
#include "tst_network_thread.moc"
