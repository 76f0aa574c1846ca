#pragma once

#include <QSocketNotifier>

#include <cstdint>
#include <memory>
#include <unordered_map>

namespace decodescope {

/// Tells which of many sockets are ready: one epoll of our own, of which the thread's event loop watches the one
/// descriptor. With a stream each that costs less than a notifier each, and all that are ready come in one turn.
/// Used on one thread, whose event loop runs; may be made and destroyed on any when it watches nothing.
class SocketPoller {
public:
    /// Whose socket it is. May remove itself and others, and destroy them, from within.
    class Client {
    public:
        virtual void onReady() = 0;

    protected:
        ~Client() = default;
    };
    /// What a client waits for, beside errors and hang-ups, which are always told.
    enum class Wait : std::uint8_t { toRead, toWrite, toReadOrWrite };
    /// Names a client that is being watched.
    using Ticket = std::uint64_t;

    SocketPoller() = default;
    ~SocketPoller();
    SocketPoller(const SocketPoller&) = delete;
    SocketPoller& operator=(const SocketPoller&) = delete;

    /// Watches `descriptor`, which must stay open until remove(). Level-triggered. 0: the system has no room for it.
    [[nodiscard]] Ticket add(int descriptor, Wait wait, Client& client);
    void change(Ticket ticket, Wait wait);
    void remove(Ticket ticket);

private:
    struct Entry {
        int descriptor = -1;
        Client* client = nullptr;
    };
    bool start();
    void stop();
    void dispatch();

    int m_epoll = -1; // open while something is watched
    std::unique_ptr<QSocketNotifier> m_notifier;
    /// Shared with a dispatch under way, which outlives the poller when a client destroys it.
    std::shared_ptr<std::unordered_map<Ticket, Entry>> m_entries =
        std::make_shared<std::unordered_map<Ticket, Entry>>();
    Ticket m_lastTicket = 0;
};

} // namespace decodescope
