#include "core/net/floor_streams.h"

#include "core/base/clock.h"
#include "core/net/floor_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <map>
#include <memory>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace decodescope {

namespace {

/// From the request to the first point of the grid: long enough for other streams to be asked for too.
constexpr std::int64_t kLeadNs = 150'000'000;
constexpr std::size_t kLongestRequest = 64 * 1024;

std::int64_t nowNs() {
    return toNs(Instant(std::chrono::steady_clock::now()));
}

/// What a client and we say to each other.
class Peer {
public:
    Peer(int fd, SSL_CTX* tls)
        : m_fd(fd)
        , m_tls(tls != nullptr ? SSL_new(tls) : nullptr) {
        if (m_tls) {
            SSL_set_fd(m_tls.get(), fd);
            SSL_set_accept_state(m_tls.get());
        }
    }

    /// So much was read; 0: nothing yet; absent: it is over.
    std::optional<std::size_t> read(char* into, std::size_t room) {
        if (!m_tls) {
            const ssize_t got = ::recv(m_fd, into, room, 0);
            if (got > 0)
                return static_cast<std::size_t>(got);
            return got < 0 && (errno == EAGAIN || errno == EINTR) ? std::optional<std::size_t>(0) : std::nullopt;
        }
        ERR_clear_error();
        std::size_t got = 0;
        const int result = SSL_read_ex(m_tls.get(), into, room, &got);
        if (result == 1)
            return got;
        return SSL_get_error(m_tls.get(), result) == SSL_ERROR_WANT_READ ? std::optional<std::size_t>(0) : std::nullopt;
    }

    /// All at once, or not at all: a client that does not keep up measures nothing.
    [[nodiscard]] bool write(std::string_view bytes) {
        if (!m_tls)
            return ::send(m_fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
        ERR_clear_error();
        std::size_t written = 0;
        return SSL_write_ex(m_tls.get(), bytes.data(), bytes.size(), &written) == 1 && written == bytes.size();
    }

    void sayGoodbye() {
        if (m_tls)
            SSL_shutdown(m_tls.get());
    }

private:
    struct Free {
        void operator()(SSL* tls) const { SSL_free(tls); }
    };
    int m_fd;
    std::unique_ptr<SSL, Free> m_tls;
};

struct Stream {
    Peer peer;
    std::string request;
    FloorPace pace;
    std::int64_t gridNs = 0;
    std::int64_t sent = 0; // tokens
    bool asked = false;

    [[nodiscard]] std::int64_t dueNs() const { return pace.dueNs(gridNs, sent); }
};

class FloorStreams {
public:
    FloorStreams(const std::vector<int>& listeners, int lifeline, SSL_CTX* tls)
        : m_listeners(listeners)
        , m_lifeline(lifeline)
        , m_tls(tls)
        , m_epoll(::epoll_create1(EPOLL_CLOEXEC))
        , m_timer(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {
        for (const int fd : m_listeners)
            watch(fd);
        watch(m_lifeline);
        watch(m_timer);
    }
    ~FloorStreams() {
        for (const auto& [fd, stream] : m_streams)
            ::close(fd);
        ::close(m_timer);
        ::close(m_epoll);
    }
    FloorStreams(const FloorStreams&) = delete;
    FloorStreams& operator=(const FloorStreams&) = delete;

    void run() {
        std::array<epoll_event, 64> ready{};
        for (;;) {
            const int count = ::epoll_wait(m_epoll, ready.data(), static_cast<int>(ready.size()), -1);
            if (count < 0 && errno != EINTR)
                return;
            for (int i = 0; i < count; ++i) {
                const int fd = ready[static_cast<std::size_t>(i)].data.fd;
                if (fd == m_lifeline)
                    return;
                if (std::find(m_listeners.begin(), m_listeners.end(), fd) != m_listeners.end())
                    accept(fd);
                else if (fd != m_timer)
                    read(fd);
            }
            sendWhatIsDue();
        }
    }

private:
    void watch(int fd) {
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.fd = fd;
        ::epoll_ctl(m_epoll, EPOLL_CTL_ADD, fd, &event);
    }

    void accept(int listener) {
        for (;;) {
            const int fd = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
            if (fd < 0)
                return;
            const int yes = 1;
            ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
            m_streams.insert_or_assign(fd, Stream{Peer(fd, m_tls), {}, {}});
            watch(fd);
        }
    }

    void drop(int fd) {
        m_streams.erase(fd);
        ::close(fd); // leaves the epoll set with it
    }

    void read(int fd) {
        const auto stream = m_streams.find(fd);
        if (stream == m_streams.end())
            return;
        std::array<char, 16 * 1024> buffer; // NOLINT: filled by the read
        const std::optional<std::size_t> got = stream->second.peer.read(buffer.data(), buffer.size());
        if (!got) {
            drop(fd);
            return;
        }
        if (*got == 0 || stream->second.asked)
            return;
        stream->second.request.append(buffer.data(), *got);
        if (stream->second.request.size() > kLongestRequest)
            drop(fd);
        else if (isWhole(stream->second.request))
            begin(fd, stream->second);
    }

    static bool isWhole(const std::string& request) {
        const std::size_t head = request.find("\r\n\r\n");
        if (head == std::string::npos)
            return false;
        std::string lower = request.substr(0, head);
        std::transform(lower.begin(), lower.end(), lower.begin(),
                       [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
        constexpr std::string_view kLength = "content-length:";
        std::size_t length = 0;
        if (std::size_t at = lower.find(kLength); at != std::string::npos) {
            at = std::min(lower.find_first_not_of(' ', at + kLength.size()), lower.size());
            std::from_chars(lower.data() + at, lower.data() + lower.size(), length);
        }
        return request.size() >= head + 4 + std::min(length, kLongestRequest);
    }

    void begin(int fd, Stream& stream) {
        stream.asked = true;
        stream.pace = FloorPace::fromRequest(stream.request);
        stream.request.clear();
        const std::int64_t interval = stream.pace.intervalUs * 1000;
        stream.gridNs = (nowNs() + kLeadNs + interval - 1) / interval * interval;
        send(fd, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n");
    }

    bool send(int fd, std::string_view bytes) {
        if (m_streams.at(fd).peer.write(bytes))
            return true;
        drop(fd);
        return false;
    }

    void sendWhatIsDue() {
        std::vector<std::pair<std::int64_t, int>> due; // by time, then by socket
        const std::int64_t now = nowNs();
        for (const auto& [fd, stream] : m_streams) {
            if (stream.asked && stream.dueNs() <= now)
                due.emplace_back(stream.dueNs(), fd);
        }
        std::sort(due.begin(), due.end());
        for (const auto& [when, fd] : due)
            sendToken(fd);
        arm();
    }

    void sendToken(int fd) {
        Stream& stream = m_streams.at(fd);
        std::array<char, 160> text; // NOLINT: written next
        const auto end = fmt::format_to_n(text.data(), text.size(),
                                          R"(data: {{"choices":[{{"index":0,"delta":{{"content":"{} "}}}}]}})"
                                          "\n\n",
                                          nowNs());
        if (!send(fd, {text.data(), end.size}) || ++stream.sent < stream.pace.tokens)
            return;
        if (send(fd,
                 "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")) {
            stream.peer.sayGoodbye();
            drop(fd);
        }
    }

    void arm() {
        std::int64_t next = 0;
        for (const auto& [fd, stream] : m_streams) {
            if (stream.asked && (next == 0 || stream.dueNs() < next))
                next = stream.dueNs();
        }
        itimerspec when{}; // all zero: never
        when.it_value.tv_sec = static_cast<time_t>(next / 1'000'000'000);
        when.it_value.tv_nsec = static_cast<long>(next % 1'000'000'000);
        ::timerfd_settime(m_timer, TFD_TIMER_ABSTIME, &when, nullptr);
    }

    const std::vector<int>& m_listeners;
    int m_lifeline;
    SSL_CTX* m_tls;
    int m_epoll;
    int m_timer;
    std::map<int, Stream> m_streams;
};

} // namespace

void serveFloorStreams(const std::vector<int>& listeners, int lifeline, ssl_ctx_st* tls) {
    FloorStreams(listeners, lifeline, tls).run();
}

} // namespace decodescope
