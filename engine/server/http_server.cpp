#include "engine/server/http_server.h"

#include "engine/base/steady_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace decodescope::engine {

namespace {

constexpr std::uint64_t kListenerId = 0;
constexpr std::uint64_t kTasksId = 1;
constexpr int kBacklog = 512;
constexpr int kAcceptsPerTurn = 64;
constexpr int kSweepMs = 250;

bool watchReadable(int epoll, int fd, std::uint64_t id) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = id;
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

void closeFd(int& fd) noexcept {
    if (fd >= 0)
        ::close(fd);
    fd = -1;
}

} // namespace

LoopTasks::LoopTasks(int eventFd)
    : m_eventFd(eventFd) {}

LoopTasks::~LoopTasks() {
    ::close(m_eventFd);
}

void LoopTasks::post(std::function<void()> task) {
    bool first = false;
    {
        const std::lock_guard lock(m_mutex);
        if (m_ended)
            return;
        first = m_tasks.empty();
        m_tasks.push_back(std::move(task));
    }
    if (!first)
        return; // the loop has been woken already
    const std::uint64_t one = 1;
    while (::write(m_eventFd, &one, sizeof one) < 0 && errno == EINTR) {
    }
}

std::vector<std::function<void()>> LoopTasks::take() {
    std::uint64_t count = 0;
    while (::read(m_eventFd, &count, sizeof count) < 0 && errno == EINTR) {
    }
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_tasks, {});
}

void LoopTasks::end() {
    std::vector<std::function<void()>> dropped; // destroyed outside the lock
    const std::lock_guard lock(m_mutex);
    m_ended = true;
    dropped.swap(m_tasks);
}

HttpServer::HttpServer(HttpSite& site, const HttpLimits& limits)
    : m_site(site)
    , m_limits(limits) {}

Result<std::unique_ptr<HttpServer>> HttpServer::listen(std::uint16_t port, HttpSite& site, const HttpLimits& limits) {
    std::unique_ptr<HttpServer> server(new HttpServer(site, limits));
    const auto failed = [&](const char* what) {
        const int reason = errno;
        return fail(reason == EADDRINUSE || reason == EACCES ? ErrorCode::usage : ErrorCode::internal,
                    fmt::format("Cannot {} on 127.0.0.1 port {}: {}. Port 0 takes any free one.", what, port,
                                std::strerror(reason)));
    };
    server->m_listener = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (server->m_listener < 0)
        return failed("open a socket");
    const int on = 1;
    ::setsockopt(server->m_listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    if (::bind(server->m_listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(server->m_listener, kBacklog) != 0)
        return failed("listen");
    socklen_t length = sizeof address;
    if (::getsockname(server->m_listener, reinterpret_cast<sockaddr*>(&address), &length) != 0)
        return failed("listen");
    server->m_port = ntohs(address.sin_port);
    server->m_epoll = ::epoll_create1(EPOLL_CLOEXEC);
    server->m_event = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (server->m_event >= 0)
        server->m_tasks = std::make_shared<LoopTasks>(server->m_event);
    if (server->m_epoll < 0 || server->m_event < 0 ||
        !watchReadable(server->m_epoll, server->m_listener, kListenerId) ||
        !watchReadable(server->m_epoll, server->m_event, kTasksId))
        return failed("wait for clients");
    return server;
}

HttpServer::~HttpServer() {
    stop(0);
    m_connections.clear();
    closeFd(m_listener);
    closeFd(m_epoll);
}

Result<void> HttpServer::start() {
    try { // the one way to learn that the system has no thread left
        m_thread = std::thread([this] { run(); });
    } catch (const std::system_error& error) {
        return fail(ErrorCode::internal, std::string("The system gives no thread to the server: ") + error.what());
    }
    return {};
}

void HttpServer::stop(std::int64_t flushNs) {
    if (!m_thread.joinable())
        return;
    m_tasks->post([this, flushNs] {
        if (m_endsAtNs == 0)
            wind();
        m_endsAtNs = steadyNs() + std::max<std::int64_t>(flushNs, 1);
    });
    m_thread.join();
}

void HttpServer::run() {
    std::array<epoll_event, 64> events{};
    std::int64_t sweptNs = steadyNs();
    while (true) {
        const int timeoutMs = m_endsAtNs != 0 ? 5 : m_connections.empty() ? -1 : kSweepMs;
        const int count = ::epoll_wait(m_epoll, events.data(), static_cast<int>(events.size()), timeoutMs);
        for (int i = 0; i < count; ++i) {
            const auto& event = events[static_cast<std::size_t>(i)];
            if (event.data.u64 == kTasksId) {
                for (auto& task : m_tasks->take())
                    task();
            } else if (event.data.u64 == kListenerId) {
                accept();
            } else if (const auto found = m_connections.find(event.data.u64); found != m_connections.end()) {
                const std::shared_ptr<HttpConnection> connection = found->second; // may leave the map meanwhile
                if (!connection->closed())
                    connection->onEvents(event.events);
                if (connection->closed())
                    m_connections.erase(event.data.u64);
            }
        }
        const std::int64_t nowNs = steadyNs();
        if (nowNs - sweptNs >= std::int64_t{kSweepMs} * 1'000'000) {
            sweptNs = nowNs;
            sweep(nowNs);
        }
        if (m_endsAtNs != 0) {
            const bool busy =
                std::any_of(m_connections.begin(), m_connections.end(), [](const auto& c) { return c.second->busy(); });
            if (!busy || nowNs >= m_endsAtNs)
                break;
        }
    }
    for (const auto& [id, connection] : std::exchange(m_connections, {}))
        connection->close();
    m_tasks->end();
}

void HttpServer::accept() {
    for (int turn = 0; turn < kAcceptsPerTurn && m_listener >= 0; ++turn) {
        const int fd = ::accept4(m_listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) {
            if (errno == EINTR || errno == ECONNABORTED)
                continue;
            if (errno == EMFILE || errno == ENFILE) {
                makeRoom();
                ::usleep(1000); // never a hot loop while descriptors are short
            }
            return;
        }
        if (m_connections.size() >= m_limits.maxConnections)
            makeRoom();
        if (m_connections.size() >= m_limits.maxConnections) {
            ::close(fd);
            continue;
        }
        const int on = 1;
        ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        const std::uint64_t id = m_nextId++;
        m_connections.emplace(id, std::make_shared<HttpConnection>(fd, m_epoll, id, m_site, m_limits));
    }
}

/// The oldest connection that has not asked anything makes room. Answers under way are never cut off for a newcomer.
void HttpServer::makeRoom() {
    std::erase_if(m_connections, [](const auto& c) { return c.second->closed(); });
    if (m_connections.size() < m_limits.maxConnections && m_connections.empty())
        return;
    const auto oldest = std::min_element(m_connections.begin(), m_connections.end(), [](const auto& a, const auto& b) {
        return std::pair(!a.second->asking(), a.first) < std::pair(!b.second->asking(), b.first);
    });
    if (oldest != m_connections.end() && oldest->second->asking()) {
        oldest->second->close();
        m_connections.erase(oldest);
    }
}

void HttpServer::sweep(std::int64_t nowNs) {
    for (const auto& [id, connection] : std::vector(m_connections.begin(), m_connections.end()))
        connection->sweep(nowNs);
    std::erase_if(m_connections, [](const auto& c) { return c.second->closed(); });
}

void HttpServer::wind() {
    closeFd(m_listener);
    for (const auto& [id, connection] : std::vector(m_connections.begin(), m_connections.end()))
        connection->wind();
}

} // namespace decodescope::engine
