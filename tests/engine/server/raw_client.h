#pragma once

#include <algorithm>
#include <arpa/inet.h>
#include <chrono>
#include <cstdint>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

/// A client that sends exactly the bytes it is told, and what it reads back.
class RawClient {
public:
    explicit RawClient(std::uint16_t port) {
        m_fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(port);
        if (::connect(m_fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
            close();
    }
    RawClient(RawClient&& other) noexcept
        : m_fd(std::exchange(other.m_fd, -1))
        , m_pending(std::move(other.m_pending)) {}
    RawClient(const RawClient&) = delete;
    RawClient& operator=(const RawClient&) = delete;
    ~RawClient() { close(); }

    [[nodiscard]] bool connected() const { return m_fd >= 0; }
    void close() {
        if (m_fd >= 0)
            ::close(m_fd);
        m_fd = -1;
    }
    bool send(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(m_fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0)
                return false;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }
    /// Reads until `end` has come, the server closes, or `limitMs` is over; what was read, up to and with `end`.
    std::string readUntil(std::string_view end, int limitMs = kPatienceMs) {
        return readWhile([&] { return m_pending.find(end) == std::string::npos; }, limitMs)
                   ? take(m_pending.find(end) + end.size())
                   : take(m_pending.size());
    }
    /// A whole answer with Content-Length: head and body.
    std::string readAnswer(int limitMs = kPatienceMs) {
        std::string answer = readUntil("\r\n\r\n", limitMs);
        constexpr std::string_view kName = "Content-Length: ";
        std::size_t length = 0;
        if (const std::size_t at = answer.find(kName); at != std::string::npos) {
            for (std::size_t i = at + kName.size(); answer[i] >= '0' && answer[i] <= '9'; ++i)
                length = length * 10 + static_cast<std::size_t>(answer[i] - '0');
        }
        readWhile([&] { return m_pending.size() < length; }, limitMs);
        return answer + take(std::min(length, m_pending.size()));
    }
    /// True when the server closes within the time.
    bool waitClosed(int limitMs = kPatienceMs) {
        readWhile([] { return true; }, limitMs);
        return m_closed;
    }

private:
    static constexpr int kPatienceMs = 20'000;

    std::string take(std::size_t count) {
        std::string out = m_pending.substr(0, count);
        m_pending.erase(0, count);
        return out;
    }
    /// False when the time is over or the server has closed before `wanting` was satisfied.
    template <class Wanting> bool readWhile(Wanting wanting, int limitMs) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(limitMs);
        while (wanting()) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
            pollfd wait{m_fd, POLLIN, 0};
            if (m_closed || left.count() <= 0 || ::poll(&wait, 1, static_cast<int>(left.count())) <= 0)
                return false;
            char buffer[16384];
            const ssize_t got = ::recv(m_fd, buffer, sizeof buffer, 0);
            m_closed = got <= 0;
            if (got > 0)
                m_pending.append(buffer, static_cast<std::size_t>(got));
        }
        return true;
    }

    int m_fd = -1;
    bool m_closed = false;
    std::string m_pending;
};
