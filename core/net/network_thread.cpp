#include "core/net/network_thread.h"

#include "core/net/short_turns.h"

#include <QCoreApplication>
#include <QEvent>

#include <openssl/crypto.h>
#include <utility>

namespace decodescope {

/// The object whose event the posted tasks ride on.
class NetworkThread::Loop final : public QObject {
public:
    explicit Loop(NetworkThread& owner)
        : m_owner(owner) {}

protected:
    void customEvent(QEvent*) override { m_owner.runTasks(); }

private:
    NetworkThread& m_owner;
};

NetworkThread::NetworkThread()
    : m_loop(new Loop(*this))
    , m_sideJobs([this](SideJobs::Found found) { post(std::move(found)); }) {
    m_thread.setObjectName(QStringLiteral("network"));
    m_loop->moveToThread(&m_thread);
    m_thread.start();
    post(askForShortTurns); // beside whatever else this machine does, reads are for now
}

NetworkThread::~NetworkThread() {
    m_sideJobs.end(); // whatever it still found is dropped, and nothing posts from there any more
    post([this] {
        std::vector<std::function<void()>> last;
        {
            const std::lock_guard lock(m_mutex);
            last.swap(m_lastTasks);
        }
        for (auto& task : last) {
            task();
            task = nullptr;
        }
        m_lag.reset();
        // QThread::wait() returns before the thread's own destructors have run: what OpenSSL keeps for this thread must
        // not be given back while the process ends and OpenSSL tidies up.
        OPENSSL_thread_stop();
        { // taken once more, as below: the last thing that it does
            const std::lock_guard lock(m_mutex);
        }
        m_thread.quit();
    });
    m_thread.wait();
    { // taken once more: all that the thread did is visible here
        const std::lock_guard lock(m_mutex);
    }
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

void NetworkThread::runAside(SideJobs::Job job, SideJobs::AtEnd atEnd) {
    m_sideJobs.add(std::move(job), atEnd);
}

void NetworkThread::whenEnding(std::function<void()> task) {
    const std::lock_guard lock(m_mutex);
    m_lastTasks.push_back(std::move(task));
}

LagProbe& NetworkThread::lag() {
    if (!m_lag)
        m_lag = std::make_unique<LagProbe>();
    return *m_lag;
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
