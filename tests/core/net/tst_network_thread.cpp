#include "core/net/network_thread.h"
#include "tests/support/fault_server.h"

#include <QThread>
#include <QtTest>

#include <array>
#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace decodescope;

class NetworkThreadTest : public QObject {
    Q_OBJECT

private slots:
    void aSlowLookUpHoldsUpNoOther() {
        std::promise<void> slow;
        const std::shared_future<void> gate = slow.get_future().share();
        std::promise<void> quick;
        NetworkThread network;
        network.runAside(
            [gate] {
                gate.wait();
                return SideJobs::Found();
            },
            SideJobs::AtEnd::waitFor);
        network.runAside([&quick] { return [&quick] { quick.set_value(); }; }, SideJobs::AtEnd::waitFor);
        quick.get_future().wait(); // would wait for ever behind the slow one
        slow.set_value();
    }

    void startsNoMoreHelpersThanItShould() {
        std::promise<void> all;
        const std::shared_future<void> gate = all.get_future().share();
        std::atomic<int> begun = 0;
        std::atomic<int> done = 0;
        constexpr int kJobs = 3 * int(SideJobs::kMost);
        NetworkThread network;
        for (int i = 0; i < kJobs; ++i) {
            network.runAside(
                [&, gate] {
                    ++begun;
                    gate.wait();
                    return [&] { ++done; };
                },
                SideJobs::AtEnd::waitFor);
        }
        QVERIFY(fault::FaultServer::waitFor([&] { return begun == int(SideJobs::kMost); }));
        QThread::msleep(20);
        QCOMPARE(begun.load(), int(SideJobs::kMost));
        all.set_value();
        QVERIFY(fault::FaultServer::waitFor([&] { return done == kJobs; }));
    }

#ifdef __linux__
    void asksForShortTurnsAndNothingElse() {
        // The kernel's sched_attr of a thread: size and policy, flags, nice and priority, length of a turn, the rest.
        using Attributes = std::array<std::uint64_t, 6>;
        const auto attributes = [] {
            Attributes now{};
            ::syscall(SYS_sched_getattr, 0, now.data(), sizeof now, 0);
            return now;
        };
        NetworkThread network;
        std::promise<std::pair<Attributes, Attributes>> told;
        network.post([&] {
            Attributes started{};
            std::thread([&] { started = attributes(); }).join();
            told.set_value({attributes(), started});
        });
        auto [there, started] = told.get_future().get();
        const Attributes here = attributes();
        constexpr std::size_t kFlags = 1;
        constexpr std::size_t kTurn = 3;
        if (here[kTurn] == 0)
            QSKIP("this kernel has turns of one length for all");
        QCOMPARE(there[kTurn], std::uint64_t{100'000});
        QVERIFY(here[kTurn] != there[kTurn]);
        QVERIFY(started == here);
        there[kTurn] = here[kTurn];
        there[kFlags] = here[kFlags]; // not for what it starts
        QVERIFY(there == here);
    }
#endif

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
                network.runAside([held] { return [held] {}; }, SideJobs::AtEnd::waitFor);
        }
        QCOMPARE(held.use_count(), 1L);
    }

    void aLookUpThatDoesNotComeBackHoldsUpNoEnd() {
        std::promise<void> never;
        const std::shared_future<void> gate = never.get_future().share();
        const auto held = std::make_shared<std::atomic<int>>(0);
        const auto posted = std::make_shared<std::atomic<bool>>(false);
        {
            NetworkThread network;
            network.runAside(
                [gate, held, posted] {
                    ++*held;
                    gate.wait();
                    ++*held;
                    return [posted] { *posted = true; };
                },
                SideJobs::AtEnd::leave);
            QVERIFY(fault::FaultServer::waitFor([&] { return *held == 1; }));
        } // would wait for ever
        QCOMPARE(held->load(), 1);
        never.set_value();
        // It comes back when there is nobody left to tell: what it found is let go of.
        QVERIFY(fault::FaultServer::waitFor([&] { return posted.use_count() == 1; }));
        QCOMPARE(held->load(), 2);
        QVERIFY(!*posted);
    }

    void whatComesBackIsWaitedFor() {
        std::promise<void> begun;
        std::atomic<bool> over = false;
        {
            NetworkThread network;
            network.runAside(
                [&] {
                    begun.set_value();
                    QThread::msleep(200); // longer than the farewell of those that are left
                    over = true;
                    return SideJobs::Found();
                },
                SideJobs::AtEnd::waitFor);
            begun.get_future().wait();
        }
        QVERIFY(over);
    }
};

QTEST_GUILESS_MAIN(NetworkThreadTest)
#include "tst_network_thread.moc"
