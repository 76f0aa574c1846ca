#pragma once

#include "engine/server/http_message.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace decodescope::engine {

class HttpReply;

/// What a server serves. Both are called on the loop's thread and must return soon.
class HttpSite {
public:
    virtual ~HttpSite() = default;
    /// Judges a request by its head, before any byte of its body is kept. A response refuses it and ends the
    /// connection.
    [[nodiscard]] virtual std::optional<HttpResponse> admit(const HttpHead& head) = 0;
    /// Answers through `reply`: now, or later by a task posted to the loop.
    virtual void handle(HttpRequest request, std::shared_ptr<HttpReply> reply) = 0;
};

/// All tested at the limit and beyond it.
struct HttpLimits {
    std::size_t maxConnections = 512; ///< beyond it the oldest one that is still asking makes room
    std::uint32_t maxHeadBytes = 16 * 1024;
    std::size_t maxTargetBytes = 4 * 1024;
    std::uint64_t maxBodyBytes = 8 * 1024 * 1024;
    std::size_t maxUnsentBytes = 8 * 1024 * 1024; ///< of a stream whose reader is slow; more: it is cut off
    std::int64_t headTimeoutNs = 10'000'000'000;
    std::int64_t requestTimeoutNs = 30'000'000'000;
    std::int64_t idleTimeoutNs = 75'000'000'000;
    std::int64_t writeTimeoutNs = 30'000'000'000;
    std::int64_t lingerNs = 2'000'000'000;
};

/// One client's connection: requests one after another, each answered before the next is read. Loop's thread only.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
public:
    HttpConnection(int fd, int epoll, std::uint64_t id, HttpSite& site, const HttpLimits& limits);
    ~HttpConnection();
    HttpConnection(const HttpConnection&) = delete;
    HttpConnection& operator=(const HttpConnection&) = delete;

    /// What epoll said.
    void onEvents(std::uint32_t events);
    /// Looks at the deadlines.
    void sweep(std::int64_t nowNs);
    /// The server ends: an idle connection closes, a request without an answer gets 503. Streams are their owner's.
    void wind();
    void close();

    [[nodiscard]] bool closed() const noexcept { return m_fd < 0; }
    /// Whether it is still asking (or idle): what a flood of connections consists of.
    [[nodiscard]] bool asking() const noexcept;
    /// Whether an answer is under way.
    [[nodiscard]] bool busy() const noexcept;

private:
    friend class HttpReply;
    struct Reading; // Beast's parser
    enum class State : std::uint8_t { reading, answering, lingering };

    void readSome();
    void parse();
    bool parseHead();
    bool parseBody();
    void refuse(HttpResponse response);
    void finishExchange();
    void send(std::string_view bytes);
    void flush();
    void gone();
    void watch();

    // Of HttpReply, for the exchange that it was made for.
    void respond(std::uint64_t exchange, const HttpResponse& response);
    void beginStream(std::uint64_t exchange, std::string_view contentType);
    void write(std::uint64_t exchange, std::string_view bytes);
    void endStream(std::uint64_t exchange);

    int m_fd;
    int m_epoll;
    std::uint64_t m_id;
    HttpSite& m_site;
    const HttpLimits& m_limits;
    State m_state = State::reading;
    std::unique_ptr<Reading> m_reading;
    std::string m_in;  // read, not parsed
    std::string m_out; // not sent yet
    std::size_t m_outSent = 0;
    std::uint64_t m_exchange = 0;
    bool m_parsing = false;
    bool m_closeAfter = false;
    bool m_chunked = false;
    bool m_streaming = false;
    bool m_headOnly = false; // HEAD: no body goes out
    std::uint32_t m_watched = 0;
    std::int64_t m_begunNs = 0; // of the request, of the idle time or of the lingering
    std::int64_t m_progressNs = 0;
    std::function<void()> m_whenGone;
};

/// The way to answer one request. Loop's thread only; does nothing once the client is gone.
class HttpReply {
public:
    HttpReply(std::weak_ptr<HttpConnection> connection, std::uint64_t exchange);
    void respond(const HttpResponse& response);
    /// Sends the head at once; events follow by write(), each with one system call.
    void beginStream(std::string_view contentType);
    void write(std::string_view bytes);
    void endStream();
    [[nodiscard]] bool open() const;
    /// Called once if the client leaves before the answer's end.
    void whenGone(std::function<void()> callback);

private:
    std::weak_ptr<HttpConnection> m_connection;
    std::uint64_t m_exchange;
};

} // namespace decodescope::engine
