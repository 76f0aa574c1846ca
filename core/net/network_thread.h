#pragma once

#include "core/net/lag_probe.h"

#include <QThread>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace decodescope {

/// The one thread that owns every socket and every decoder. Nothing else runs there: no metrics, no logging, no
/// waiting, so that a read is stamped as soon as the kernel has it. Must outlive everything that posts to it.
class NetworkThread {
public:
    NetworkThread();
    /// Runs what was posted so far, then ends the thread.
    ~NetworkThread();
    NetworkThread(const NetworkThread&) = delete;
    NetworkThread& operator=(const NetworkThread&) = delete;

    /// Runs `task` on the network thread. Thread-safe, returns at once. Tasks run in the order they were posted;
    /// those posted close together run in one turn of the event loop, which is how lanes start together.
    void post(std::function<void()> task);
    /// Runs `job` on a helper thread, for look-ups that may block. It may post back. A slow one holds up no other,
    /// unless kMostHelpers are slow at once.
    void runAside(std::function<void()> job);
    /// Runs `task` on the network thread when that is about to end, after everything else: the place to let go of what
    /// lives on it. Thread-safe.
    void whenEnding(std::function<void()> task);

    static constexpr std::size_t kMostHelpers = 4;
    /// How late this thread comes to its sockets. To be called on it.
    [[nodiscard]] LagProbe& lag();

private:
    class Loop;
    void runTasks();
    void help();

    QThread m_thread;
    Loop* m_loop = nullptr;          // lives on m_thread
    std::unique_ptr<LagProbe> m_lag; // made, used and destroyed on m_thread
    std::mutex m_mutex;              // guards all that follows
    std::vector<std::function<void()>> m_tasks;
    std::deque<std::function<void()>> m_jobs;
    bool m_ending = false;
    std::vector<std::function<void()>> m_lastTasks;
    std::condition_variable m_jobCame;
    std::vector<std::thread> m_helpers; // started when a job finds none free
    std::size_t m_freeHelpers = 0;
};

} // namespace decodescope
