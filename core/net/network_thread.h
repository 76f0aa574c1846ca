#pragma once

#include "core/net/lag_probe.h"
#include "core/net/side_jobs.h"

#include <QThread>

#include <functional>
#include <memory>
#include <mutex>
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
    /// Runs `job`, which may block, on a helper thread (side_jobs.h), and posts what it returns. Thread-safe.
    void runAside(SideJobs::Job job, SideJobs::AtEnd atEnd);
    /// Runs `task` on the network thread when that is about to end, after everything else: the place to let go of what
    /// lives on it. Thread-safe.
    void whenEnding(std::function<void()> task);

    /// How late this thread comes to its sockets. To be called on it.
    [[nodiscard]] LagProbe& lag();

private:
    class Loop;
    void runTasks();

    QThread m_thread;
    Loop* m_loop = nullptr;          // lives on m_thread
    std::unique_ptr<LagProbe> m_lag; // made, used and destroyed on m_thread
    std::mutex m_mutex;              // guards all that follows
    std::vector<std::function<void()>> m_tasks;
    std::vector<std::function<void()>> m_lastTasks;
    SideJobs m_sideJobs; // guards itself
};

} // namespace decodescope
