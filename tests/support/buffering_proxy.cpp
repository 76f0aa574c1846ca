#include "tests/support/buffering_proxy.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace decodescope::fault {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

std::optional<Holding> Holding::fromWord(std::string_view word) {
    const auto number = [&](std::string_view name) -> long {
        return word.starts_with(name) ? std::strtol(std::string(word.substr(name.size())).c_str(), nullptr, 10) : 0;
    };
    if (word == "nothing")
        return Holding{};
    if (word == "all")
        return Holding{Until::end, 0, {}};
    if (word == "nagle")
        return Holding{Until::acknowledged, 0, milliseconds(40)};
    if (const long bytes = number("bytes="); bytes > 0)
        return Holding{Until::full, static_cast<std::size_t>(bytes), {}};
    if (const long time = number("ms="); time > 0)
        return Holding{Until::clock, 0, milliseconds(time)};
    return std::nullopt;
}

namespace {

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

int newSocket() {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

bool sendAll(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

/// The bytes that were there; absent once the peer has closed.
std::optional<std::string> receive(int fd) {
    std::array<char, 65536> buffer; // NOLINT: filled by the read
    const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), 0);
    return got > 0 ? std::optional<std::string>(std::in_place, buffer.data(), static_cast<std::size_t>(got))
                   : std::nullopt;
}

/// The answer as it waits to be sent on.
class Held {
public:
    explicit Held(const Holding& holding)
        : m_holding(holding) {}

    void add(const std::string& bytes) {
        if (m_waiting.empty() && !m_turn)
            m_turn = Clock::now();
        m_waiting += bytes;
    }
    /// What is to go now, in one piece; empty: nothing.
    std::string take(Clock::time_point now) {
        if (m_waiting.empty())
            return {};
        switch (m_holding.until) {
        case Holding::Until::nothing:
            break;
        case Holding::Until::full:
            if (m_waiting.size() < m_holding.bytes)
                return {};
            return takeFront(m_holding.bytes);
        case Holding::Until::clock:
            if (now < *m_turn + m_holding.time)
                return {};
            while (*m_turn + m_holding.time <= now)
                *m_turn += m_holding.time;
            break;
        case Holding::Until::acknowledged:
            if (m_sent && now < *m_sent + m_holding.time)
                return {};
            m_sent = now;
            break;
        case Holding::Until::end:
            return {};
        }
        return takeFront(m_waiting.size());
    }
    std::string takeAll() { return takeFront(m_waiting.size()); }
    /// When take() is to be asked again though nothing has come.
    [[nodiscard]] std::optional<Clock::time_point> due() const {
        if (m_waiting.empty())
            return std::nullopt;
        if (m_holding.until == Holding::Until::clock)
            return *m_turn + m_holding.time;
        if (m_holding.until == Holding::Until::acknowledged && m_sent)
            return *m_sent + m_holding.time;
        return std::nullopt;
    }

private:
    std::string takeFront(std::size_t bytes) {
        std::string front = m_waiting.substr(0, bytes);
        m_waiting.erase(0, bytes);
        return front;
    }

    Holding m_holding;
    std::string m_waiting;
    std::optional<Clock::time_point> m_turn; // of the clock
    std::optional<Clock::time_point> m_sent; // last
};

} // namespace

struct BufferingProxy::Private {
    std::uint16_t upstreamPort = 0;
    Holding holding;
    int listener = -1;
    int wake = -1; // becomes readable for good when the proxy stops
    std::uint16_t port = 0;
    std::vector<std::thread> threads; // the acceptor's, until it is over
    std::thread acceptor;

    void acceptLoop() {
        for (;;) {
            std::array<pollfd, 2> entries{{{listener, POLLIN, 0}, {wake, POLLIN, 0}}};
            if (::poll(entries.data(), entries.size(), -1) < 0)
                continue;
            if (entries[1].revents != 0)
                return;
            const int client = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
            if (client < 0)
                continue;
            const int on = 1;
            ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            threads.emplace_back([this, client] { serve(client); });
        }
    }

    void serve(int client) const {
        const int server = newSocket();
        const sockaddr_in address = loopback(upstreamPort);
        if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
            relay(client, server);
        ::close(server);
        ::close(client);
    }

    /// Until one of the two has gone.
    void relay(int client, int server) const {
        Held held(holding);
        for (;;) {
            timespec left{};
            const auto due = held.due();
            if (due) {
                const auto rest = std::max<nanoseconds>(*due - Clock::now(), nanoseconds(0));
                left.tv_sec = static_cast<time_t>(rest.count() / 1'000'000'000);
                left.tv_nsec = static_cast<long>(rest.count() % 1'000'000'000);
            }
            std::array<pollfd, 3> entries{{{client, POLLIN, 0}, {server, POLLIN, 0}, {wake, POLLIN, 0}}};
            if (::ppoll(entries.data(), entries.size(), due ? &left : nullptr, nullptr) < 0)
                continue;
            if (entries[2].revents != 0)
                return;
            if (entries[0].revents != 0) {
                const auto asked = receive(client);
                if (!asked || !sendAll(server, *asked))
                    return;
            }
            if (entries[1].revents != 0) {
                const auto answered = receive(server);
                if (!answered) {
                    sendAll(client, held.takeAll());
                    return;
                }
                held.add(*answered);
            }
            for (std::string piece = held.take(Clock::now()); !piece.empty(); piece = held.take(Clock::now())) {
                if (!sendAll(client, piece))
                    return;
            }
        }
    }
};

BufferingProxy::BufferingProxy(std::uint16_t upstreamPort, const Holding& holding)
    : d(std::make_unique<Private>()) {
    d->upstreamPort = upstreamPort;
    d->holding = holding;
    d->wake = ::eventfd(0, EFD_CLOEXEC);
    d->listener = newSocket();
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    if (::bind(d->listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(d->listener, 64) != 0 ||
        ::getsockname(d->listener, reinterpret_cast<sockaddr*>(&address), &size) != 0)
        throw std::runtime_error("a proxy cannot listen");
    d->port = ntohs(address.sin_port);
    d->acceptor = std::thread([p = d.get()] { p->acceptLoop(); });
}

BufferingProxy::~BufferingProxy() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(d->wake, &one, sizeof one);
    d->acceptor.join();
    for (std::thread& thread : d->threads)
        thread.join();
    ::close(d->listener);
    ::close(d->wake);
}

std::string BufferingProxy::url() const {
    return "http://127.0.0.1:" + std::to_string(d->port);
}

} // namespace decodescope::fault
