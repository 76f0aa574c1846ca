#include "tests/engine/scheduler/rig.h"

#include <QtTest>

#include <random>
#include <thread>

using namespace decodescope::engine;

/// Several threads at once do everything that the header allows.
class SchedulerThreadsTest : public QObject {
    Q_OBJECT
private slots:
    void cleanup();
    void manyClients();
    void shutdownUnderLoad();
    void destructionUnderLoad();

private:
    Rig m_rig{threadedOptions()};

    static SchedulerOptions threadedOptions() {
        SchedulerOptions options = Rig::plainOptions();
        options.kvBlocks = 20;
        options.maxRows = 48;
        options.traceSteps = 16;
        return options;
    }
};

void SchedulerThreadsTest::cleanup() {
    m_rig.scheduler.reset();
    QCOMPARE(m_rig.watch->faults(), std::string());
}

void SchedulerThreadsTest::manyClients() {
    m_rig.start();
    constexpr int kClients = 6;
    constexpr int kRequests = 25;
    std::atomic<int> wrong{0};
    std::atomic<int> cancelled{0};
    std::vector<std::thread> clients;
    for (int client = 0; client < kClients; ++client) {
        clients.emplace_back([&, client] {
            std::mt19937 random(static_cast<unsigned>(client));
            for (int i = 0; i < kRequests; ++i) {
                GenerationRequest request =
                    greedyRequest(promptOf(1 + random() % 120, static_cast<int>(random() % 3)), 1 + random() % 30);
                request.speculate = random() % 2 == 0;
                Listener listener;
                const auto id = m_rig.scheduler->submit(request, listener.sink());
                if (!id) {
                    ++wrong;
                    continue;
                }
                const bool cancels = random() % 4 == 0;
                if (cancels)
                    m_rig.scheduler->cancel(*id);
                listener.wait();
                if (listener.finish() == FinishReason::cancelled)
                    ++cancelled;
                else
                    wrong += listener.ids() != m_rig.model.answer(request, request.maxTokens);
                wrong += !listener.faults().empty();
                m_rig.scheduler->addSpan({"send", 1, *id, -1, 1, 2, 1});
            }
        });
    }
    std::atomic<bool> done{false};
    std::thread onlooker([&] {
        bool on = false;
        while (!done) {
            (void)m_rig.scheduler->stats();
            (void)m_rig.scheduler->trace();
            (void)m_rig.scheduler->backendFacts();
            m_rig.scheduler->setTracing(on = !on);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    for (std::thread& client : clients)
        client.join();
    done = true;
    onlooker.join();
    QCOMPARE(wrong.load(), 0);
    const SchedulerStats stats = m_rig.settled();
    QCOMPARE(stats.requestsTotal, std::uint64_t{kClients * kRequests});
    QCOMPARE(stats.requestsCancelled, static_cast<std::uint64_t>(cancelled.load()));
    QCOMPARE(stats.kvBlocksUsed, 0U);
}

void SchedulerThreadsTest::shutdownUnderLoad() {
    m_rig.start();
    std::atomic<int> wrong{0};
    std::atomic<int> ended{0};
    std::vector<std::thread> clients;
    for (int client = 0; client < 4; ++client) {
        clients.emplace_back([&] {
            for (;;) {
                Listener listener;
                const auto id = m_rig.scheduler->submit(greedyRequest(promptOf(40), 100), listener.sink());
                if (!id) {
                    wrong += id.error().code != ErrorCode::cancelled;
                    return;
                }
                listener.wait();
                wrong += listener.finish() == FinishReason::error && listener.message() != "Going.";
                ended += listener.finish() == FinishReason::error;
            }
        });
    }
    while (m_rig.scheduler->stats().steps < 20)
        std::this_thread::yield();
    m_rig.scheduler->shutdown("Going.");
    for (std::thread& client : clients)
        client.join();
    QCOMPARE(wrong.load(), 0);
    QVERIFY(ended.load() <= 4);
    QCOMPARE(m_rig.settled().requestsFailed, static_cast<std::uint64_t>(ended.load()));
}

void SchedulerThreadsTest::destructionUnderLoad() {
    m_rig.start();
    std::vector<Listener> listeners(12);
    for (Listener& listener : listeners)
        QVERIFY(m_rig.scheduler->submit(greedyRequest(promptOf(40), 300), listener.sink()));
    while (m_rig.scheduler->stats().steps < 5)
        std::this_thread::yield();
    m_rig.scheduler.reset();
    for (Listener& listener : listeners) {
        QVERIFY(listener.finish().has_value());
        QCOMPARE(listener.faults(), std::string());
    }
}

QTEST_APPLESS_MAIN(SchedulerThreadsTest)
#include "tst_scheduler_threads.moc"
