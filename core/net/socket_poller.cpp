#include "core/net/socket_poller.h"

#include <array>
#include <cerrno>
#include <sys/epoll.h>
#include <unistd.h>

namespace decodescope {

namespace {

constexpr std::size_t kReadyAtOnce = 64; // those beyond are told in the next turn

epoll_event eventFor(SocketPoller::Wait wait, SocketPoller::Ticket ticket) {
    epoll_event event{};
    if (wait != SocketPoller::Wait::toWrite)
        event.events |= EPOLLIN;
    if (wait != SocketPoller::Wait::toRead)
        event.events |= EPOLLOUT;
    event.data.u64 = ticket;
    return event;
}

} // namespace

SocketPoller::~SocketPoller() {
    m_entries->clear();
    stop();
}

SocketPoller::Ticket SocketPoller::add(int descriptor, Wait wait, Client& client) {
    if (!start())
        return 0;
    const Ticket ticket = ++m_lastTicket;
    epoll_event event = eventFor(wait, ticket);
    if (::epoll_ctl(m_epoll, EPOLL_CTL_ADD, descriptor, &event) != 0) {
        if (m_entries->empty())
            stop();
        return 0;
    }
    (*m_entries)[ticket] = {descriptor, &client};
    return ticket;
}

void SocketPoller::change(Ticket ticket, Wait wait) {
    if (const auto found = m_entries->find(ticket); found != m_entries->end()) {
        epoll_event event = eventFor(wait, ticket);
        ::epoll_ctl(m_epoll, EPOLL_CTL_MOD, found->second.descriptor, &event);
    }
}

void SocketPoller::remove(Ticket ticket) {
    const auto found = m_entries->find(ticket);
    if (found == m_entries->end())
        return;
    ::epoll_ctl(m_epoll, EPOLL_CTL_DEL, found->second.descriptor, nullptr);
    m_entries->erase(found);
    if (m_entries->empty())
        stop();
}

bool SocketPoller::start() {
    if (m_epoll >= 0)
        return true;
    m_epoll = ::epoll_create1(EPOLL_CLOEXEC);
    if (m_epoll < 0)
        return false;
    m_notifier = std::make_unique<QSocketNotifier>(m_epoll, QSocketNotifier::Read);
    QObject::connect(m_notifier.get(), &QSocketNotifier::activated, m_notifier.get(), [this] { dispatch(); });
    return true;
}

void SocketPoller::stop() {
    if (m_notifier) {
        m_notifier->setEnabled(false);
        m_notifier.release()->deleteLater(); // this may run inside its own signal
    }
    if (m_epoll >= 0)
        ::close(m_epoll);
    m_epoll = -1;
}

void SocketPoller::dispatch() {
    std::array<epoll_event, kReadyAtOnce> ready; // NOLINT: filled by the call
    const auto entries = m_entries;
    const int count = ::epoll_wait(m_epoll, ready.data(), static_cast<int>(ready.size()), 0);
    for (int i = 0; i < count; ++i) {
        // A client that went in this turn, or whose poller did, is not in the map any more.
        const auto found = entries->find(ready[static_cast<std::size_t>(i)].data.u64);
        if (found != entries->end())
            found->second.client->onReady();
    }
}

} // namespace decodescope
