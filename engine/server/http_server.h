#pragma once

#include "engine/base/error.h"
#include "engine/server/http_connection.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace decodescope::engine {

/// Tasks for the loop's thread, from any thread. What comes after the loop's end is dropped.
class LoopTasks {
public:
    explicit LoopTasks(int eventFd);
    ~LoopTasks();
    LoopTasks(const LoopTasks&) = delete;
    LoopTasks& operator=(const LoopTasks&) = delete;

    void post(std::function<void()> task);

private:
    friend class HttpServer;
    [[nodiscard]] std::vector<std::function<void()>> take();
    void end();

    const int m_eventFd;
    std::mutex m_mutex;
    std::vector<std::function<void()>> m_tasks;
    bool m_ended = false;
};

/// An HTTP/1.1 server on 127.0.0.1: one thread, one epoll loop, whatever the number of connections, so a client that
/// dawdles costs a descriptor and nothing else, and a step of sixteen streams wakes one thread.
class HttpServer {
public:
    /// Binds and listens; nothing is answered before start(). Port 0: any free one. ErrorCode::usage when the port is
    /// taken. `site` outlives the server.
    [[nodiscard]] static Result<std::unique_ptr<HttpServer>> listen(std::uint16_t port, HttpSite& site,
                                                                    const HttpLimits& limits = {});
    ~HttpServer(); ///< stop(0)
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept { return m_port; }
    /// ErrorCode::internal when the system gives no thread.
    [[nodiscard]] Result<void> start();
    [[nodiscard]] std::shared_ptr<LoopTasks> tasks() const noexcept { return m_tasks; }
    /// Takes no more connections, lets answers under way flow out for at most `flushNs`, and ends the thread.
    void stop(std::int64_t flushNs);

private:
    HttpServer(HttpSite& site, const HttpLimits& limits);
    void run();
    void accept();
    void makeRoom();
    void sweep(std::int64_t nowNs);
    void wind();

    HttpSite& m_site;
    HttpLimits m_limits;
    std::uint16_t m_port = 0;
    int m_listener = -1;
    int m_epoll = -1;
    int m_event = -1;
    std::shared_ptr<LoopTasks> m_tasks;
    std::thread m_thread;
    std::unordered_map<std::uint64_t, std::shared_ptr<HttpConnection>> m_connections; // loop's thread
    std::uint64_t m_nextId = 2;
    std::int64_t m_endsAtNs = 0; // 0: not stopping
};

} // namespace decodescope::engine
