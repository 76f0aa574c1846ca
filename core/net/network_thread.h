#pragma once

#include <QObject>
#include <QThread>
#include <QThreadPool>

#include <functional>
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
    /// Runs `job` on a helper thread, for look-ups that may block. It may post back.
    void runAside(std::function<void()> job);

private:
    class Loop;
    QThread m_thread;
    Loop* m_loop = nullptr; // lives on m_thread
    std::mutex m_mutex;
    std::vector<std::function<void()>> m_tasks;
    QThreadPool m_helpers;

    void runTasks();
};

} // namespace decodescope
