// Regions and barriers under more threads than the machine has processors: nothing is lost, nobody passes early.
#include "engine/cpu/thread_pool.h"
#include "engine/cpu/work_queue.h"

#include <QTest>

#include <atomic>
#include <thread>
#include <vector>

using namespace decodescope::engine;

class TestThreadPool : public QObject {
    Q_OBJECT

private slots:
    void everyThreadRunsEveryRegion_data();
    void everyThreadRunsEveryRegion();
    void whatWasWrittenBeforeTheBarrierIsSeenBehindIt_data() { everyThreadRunsEveryRegion_data(); }
    void whatWasWrittenBeforeTheBarrierIsSeenBehindIt();
    void sleepersWake();
    void queuesHandOutEveryNumberOnce();
    void sharesCoverEverythingOnce();
};

void TestThreadPool::everyThreadRunsEveryRegion_data() {
    QTest::addColumn<int>("threads");
    for (const int threads : {1, 2, 3, 7})
        QTest::addRow("%d threads", threads) << threads;
}

void TestThreadPool::everyThreadRunsEveryRegion() {
    QFETCH(int, threads);
    ThreadPool pool(threads);
    std::vector<int> runs(static_cast<std::size_t>(threads), 0);
    for (int region = 1; region <= 200; ++region) {
        pool.run([&](int thread) { ++runs[static_cast<std::size_t>(thread)]; });
        for (const int count : runs)
            QCOMPARE(count, region);
    }
}

void TestThreadPool::whatWasWrittenBeforeTheBarrierIsSeenBehindIt() {
    QFETCH(int, threads);
    constexpr int kRounds = 300;
    ThreadPool pool(threads);
    std::vector<int> numbers(static_cast<std::size_t>(threads), 0); // plain: the barrier alone orders them
    std::atomic<int> wrong{0};
    pool.run([&](int thread) {
        for (int round = 1; round <= kRounds; ++round) {
            numbers[static_cast<std::size_t>(thread)] = round;
            pool.barrier();
            for (const int number : numbers)
                wrong += number != round;
            pool.barrier();
        }
    });
    QCOMPARE(wrong.load(), 0);
}

void TestThreadPool::sleepersWake() {
    ThreadPool pool(3);
    std::atomic<int> through{0};
    for (int i = 0; i < 3; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5)); // longer than anybody spins
        pool.run([&](int thread) {
            if (thread == 0)
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            pool.barrier();
            ++through;
        });
    }
    QCOMPARE(through.load(), 9);
}

void TestThreadPool::queuesHandOutEveryNumberOnce() {
    constexpr std::uint32_t kItems = 100;
    constexpr std::uint32_t kPhases = 40;
    ThreadPool pool(3);
    WorkQueues queues;
    std::vector<std::atomic<int>> taken(kItems);
    std::atomic<int> wrong{0};
    pool.run([&](int thread) {
        for (std::uint32_t phase = 0; phase < kPhases; ++phase) {
            WorkQueue& queue = queues.of(phase, thread);
            for (std::uint32_t item = queue.take(); item < kItems; item = queue.take())
                ++taken[item];
            pool.barrier();
            if (thread == 0)
                for (const auto& times : taken)
                    wrong += times.load() != static_cast<int>(phase) + 1;
            pool.barrier();
        }
    });
    QCOMPARE(wrong.load(), 0);
}

void TestThreadPool::sharesCoverEverythingOnce() {
    for (const std::uint32_t count : {0U, 1U, 5U, 64U, 4294967295U}) {
        for (const int parts : {1, 2, 3, 16}) {
            std::uint32_t at = 0;
            for (int part = 0; part < parts; ++part) {
                const Share share = shareOf(count, part, parts);
                QCOMPARE(share.begin, at);
                QVERIFY(share.end >= share.begin);
                QVERIFY(share.end - share.begin <= count / std::uint64_t(parts) + 1);
                at = share.end;
            }
            QCOMPARE(at, count);
        }
    }
}

QTEST_APPLESS_MAIN(TestThreadPool)
#include "tst_thread_pool.moc"
