#include "core/net/network_thread.h"

#include <QCoreApplication>
#include <QEvent>

#include <utility>

namespace decodescope {

/// The object whose event the posted tasks ride on.
class NetworkThread::Loop final : public QObject {
public:
    explicit Loop(NetworkThread& owner)
        : m_owner(owner) {}

    bool event(QEvent* event) override {
        if (event->type() != QEvent::User)
            return QObject::event(event);
        m_owner.runTasks();
        return true;
    }

private:
    NetworkThread& m_owner;
};

NetworkThread::NetworkThread()
    : m_loop(new Loop(*this)) {
    m_helpers.setMaxThreadCount(2);
    m_thread.setObjectName(QStringLiteral("network"));
    m_loop->moveToThread(&m_thread);
    m_thread.start();
}

NetworkThread::~NetworkThread() {
    m_helpers.waitForDone(); // what they found is posted before the last task
    post([this] { m_thread.quit(); });
    m_thread.wait();
    runTasks(); // takes the lock once more: all that the thread did is visible here
    delete m_loop;
}

void NetworkThread::post(std::function<void()> task) {
    bool wake = false;
    {
        const std::lock_guard lock(m_mutex);
        wake = m_tasks.empty();
        m_tasks.push_back(std::move(task));
    }
    if (wake)
        QCoreApplication::postEvent(m_loop, new QEvent(QEvent::User));
}

void NetworkThread::runAside(std::function<void()> job) {
    m_helpers.start(std::move(job));
}

void NetworkThread::runTasks() {
    std::vector<std::function<void()>> tasks;
    {
        const std::lock_guard lock(m_mutex);
        tasks.swap(m_tasks);
    }
    for (auto& task : tasks) {
        task();
        task = nullptr; // what it held goes before the next one runs
    }
}

} // namespace decodescope
