#pragma once

#include <arpa/inet.h>
#include <array>
#include <cstdint>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace decodescope {

/// A port of ::1 that neither takes connections nor refuses them, as behind a firewall that drops packets: its queue is
/// full and nobody accepts.
class SilentPort {
public:
    SilentPort() {
        m_address.sin6_family = AF_INET6;
        m_address.sin6_addr = in6addr_loopback;
        m_sockets[0] = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
        socklen_t size = sizeof m_address;
        ::bind(m_sockets[0], reinterpret_cast<const sockaddr*>(&m_address), size);
        ::getsockname(m_sockets[0], reinterpret_cast<sockaddr*>(&m_address), &size);
        ::listen(m_sockets[0], 0);
        for (std::size_t i = 1; i < m_sockets.size(); ++i) {
            const int wait = i == 1 ? 0 : SOCK_NONBLOCK; // the first one takes the only place
            m_sockets[i] = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | wait, 0);
            const int failed = ::connect(m_sockets[i], reinterpret_cast<const sockaddr*>(&m_address), size);
            m_full = m_full || (i == 1 && failed == 0);
        }
    }
    ~SilentPort() {
        for (const int socket : m_sockets)
            ::close(socket);
    }
    SilentPort(const SilentPort&) = delete;
    SilentPort& operator=(const SilentPort&) = delete;

    [[nodiscard]] bool good() const { return m_full; }
    [[nodiscard]] std::uint16_t port() const { return ntohs(m_address.sin6_port); }

private:
    sockaddr_in6 m_address{};
    std::array<int, 3> m_sockets{};
    bool m_full = false;
};

} // namespace decodescope
