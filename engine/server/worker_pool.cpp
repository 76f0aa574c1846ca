#include "engine/server/worker_pool.h"

#include <system_error>
#include <utility>

namespace decodescope::engine {

WorkerPool::WorkerPool(int threads) {
    for (int i = 0; i < threads; ++i) {
        try { // the one way to learn that the system has no thread left
            m_threads.emplace_back([this] { run(); });
        } catch (const std::system_error&) {
            break;
        }
    }
}

WorkerPool::~WorkerPool() {
    {
        const std::lock_guard lock(m_mutex);
        m_ended = true;
    }
    m_wake.notify_all();
    for (std::thread& thread : m_threads)
        thread.join();
}

void WorkerPool::post(std::function<void()> work) {
    if (m_threads.empty())
        return work();
    {
        const std::lock_guard lock(m_mutex);
        m_work.push_back(std::move(work));
    }
    m_wake.notify_one();
}

void WorkerPool::run() {
    while (true) {
        std::function<void()> work;
        {
            std::unique_lock lock(m_mutex);
            m_wake.wait(lock, [this] { return m_ended || !m_work.empty(); });
            if (m_ended)
                return;
            work = std::move(m_work.front());
            m_work.pop_front();
        }
        work();
    }
}

} // namespace decodescope::engine
