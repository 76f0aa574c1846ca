#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace decodescope::engine {

/// A few threads for work that takes long enough to hold up the loop: tokenising, large answers.
class WorkerPool {
public:
    /// At most `threads`; fewer when the system has no more, and with none at all the work is done in post().
    explicit WorkerPool(int threads);
    ~WorkerPool(); ///< what is being done is finished, what waits is dropped
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    void post(std::function<void()> work);

private:
    void run();

    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<std::function<void()>> m_work;
    bool m_ended = false;
    std::vector<std::thread> m_threads;
};

} // namespace decodescope::engine
