#include "engine/server/http_connection.h"

#include "engine/base/steady_time.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace decodescope::engine {

namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;

constexpr int kReadsPerTurn = 32; // then the others get theirs

std::string lowerCase(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c + ('a' - 'A'));
    }
    return out;
}

/// "Sun, 06 Nov 1994 08:49:37 GMT"
std::string httpDate() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    std::array<char, 40> text{};
    const std::size_t length = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &utc);
    return {text.data(), length};
}

HttpResponse responseTo(const error_code& ec) {
    if (ec == http::error::header_limit)
        return errorResponse(431, "invalid_request_error", "The request's head is too long.");
    if (ec == http::error::body_limit)
        return errorResponse(413, "invalid_request_error", "The request's body is too long.");
    return errorResponse(400, "invalid_request_error", "This is not an HTTP/1.1 request: " + ec.message() + ".");
}

} // namespace

struct HttpConnection::Reading {
    http::request_parser<http::string_body> parser;
    HttpHead head;
    std::size_t headBytes = 0;
    bool headSeen = false;
};

HttpConnection::HttpConnection(int fd, int epoll, std::uint64_t id, HttpSite& site, const HttpLimits& limits)
    : m_fd(fd)
    , m_epoll(epoll)
    , m_id(id)
    , m_site(site)
    , m_limits(limits)
    , m_begunNs(steadyNs())
    , m_progressNs(m_begunNs) {
    watch();
}

HttpConnection::~HttpConnection() {
    close();
}

bool HttpConnection::asking() const noexcept {
    return m_state != State::answering;
}

bool HttpConnection::busy() const noexcept {
    return !closed() && (m_state == State::answering || m_outSent < m_out.size());
}

void HttpConnection::close() {
    if (m_fd >= 0)
        ::close(m_fd); // epoll forgets it by itself
    m_fd = -1;
}

void HttpConnection::gone() {
    close();
    if (const auto callback = std::exchange(m_whenGone, nullptr))
        callback();
}

/// While an answer is under way, or has not been sent, nothing is read; in the first case the client's leaving is
/// watched for.
void HttpConnection::watch() {
    if (closed())
        return;
    const bool unsent = m_outSent < m_out.size();
    std::uint32_t wanted = unsent ? EPOLLOUT : 0U;
    if (m_state == State::answering)
        wanted |= EPOLLRDHUP;
    else if (!unsent)
        wanted |= EPOLLIN;
    if (wanted == m_watched)
        return;
    epoll_event event{};
    event.events = wanted;
    event.data.u64 = m_id;
    const int operation = m_watched == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    m_watched = wanted;
    if (epoll_ctl(m_epoll, operation, m_fd, &event) != 0)
        gone();
}

void HttpConnection::onEvents(std::uint32_t events) {
    if ((events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP)) != 0 && m_state == State::answering)
        return gone();
    if ((events & EPOLLOUT) != 0)
        flush();
    if (!closed() && (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0)
        readSome();
}

void HttpConnection::readSome() {
    std::array<char, 16384> buffer{};
    for (int turn = 0; turn < kReadsPerTurn && !closed() && m_state != State::answering && m_out.empty(); ++turn) {
        const ssize_t got = ::recv(m_fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return;
        if (got <= 0)
            return gone();
        if (m_state == State::lingering)
            continue; // what the refused client still sends is of no interest
        m_in.append(buffer.data(), static_cast<std::size_t>(got));
        parse();
    }
}

void HttpConnection::parse() {
    if (m_parsing)
        return; // an answer given at once came back here; the loop below goes on
    m_parsing = true;
    while (!closed() && m_state == State::reading && !m_in.empty() && m_out.empty()) {
        if (!m_reading) {
            // Empty lines before a request are allowed: old clients sent one behind a body.
            while (m_in.starts_with("\r\n"))
                m_in.erase(0, 2);
            if (m_in.empty())
                break;
            m_reading = std::make_unique<Reading>();
            m_reading->parser.header_limit(2 * m_limits.maxHeadBytes);
            m_reading->parser.body_limit(m_limits.maxBodyBytes);
            m_begunNs = steadyNs();
        }
        if (!m_reading->headSeen && !parseHead())
            break;
        if (m_state == State::reading && !parseBody())
            break;
    }
    m_parsing = false;
}

/// True when the head is whole and admitted. What follows it is not looked at before.
bool HttpConnection::parseHead() {
    auto& parser = m_reading->parser;
    error_code ec;
    const std::size_t used = parser.put(boost::asio::buffer(m_in), ec);
    m_in.erase(0, used);
    m_reading->headBytes += used;
    // Beast counts only what it has not consumed yet, so the limit is held here.
    const bool waiting = ec == http::error::need_more;
    if (m_reading->headBytes + (waiting ? m_in.size() : 0) > m_limits.maxHeadBytes)
        ec = http::error::header_limit;
    else if (waiting)
        return false;
    if (ec) {
        refuse(responseTo(ec));
        return false;
    }
    HttpHead& head = m_reading->head;
    const auto& message = parser.get();
    head.method.assign(message.method_string().data(), message.method_string().size());
    const std::string_view target(message.target().data(), message.target().size());
    for (const auto& field : message.base())
        head.fields.emplace_back(lowerCase({field.name_string().data(), field.name_string().size()}),
                                 std::string(field.value().data(), field.value().size()));
    m_headOnly = head.method == "HEAD";
    if (target.size() > m_limits.maxTargetBytes) {
        refuse(errorResponse(414, "invalid_request_error", "The request's address is too long."));
        return false;
    }
    head.absoluteTarget = !target.starts_with('/');
    const std::size_t question = target.find('?');
    head.path = target.substr(0, question);
    if (question != std::string_view::npos)
        head.query = target.substr(question + 1);
    if (std::optional<HttpResponse> refusal = m_site.admit(head)) {
        refuse(std::move(*refusal));
        return false;
    }
    m_reading->headSeen = true;
    parser.eager(true);
    const auto expect = head.field("expect");
    if (!parser.is_done() && m_in.empty() && message.version() == 11 && expect && lowerCase(*expect) == "100-continue")
        send("HTTP/1.1 100 Continue\r\n\r\n");
    return !closed();
}

/// True when the request was whole and has been handed over.
bool HttpConnection::parseBody() {
    auto& parser = m_reading->parser;
    if (!parser.is_done()) {
        error_code ec;
        const std::size_t used = parser.put(boost::asio::buffer(m_in), ec);
        m_in.erase(0, used);
        if (ec && ec != http::error::need_more) {
            refuse(responseTo(ec));
            return false;
        }
        if (!parser.is_done())
            return used > 0;
    }
    HttpRequest request;
    request.head = std::move(m_reading->head);
    request.body = std::move(parser.get().body());
    request.receivedNs = steadyNs();
    m_chunked = parser.get().version() == 11;
    m_closeAfter = !m_chunked || !parser.keep_alive();
    m_reading.reset();
    m_state = State::answering;
    ++m_exchange;
    watch();
    if (!closed())
        m_site.handle(std::move(request), std::make_shared<HttpReply>(weak_from_this(), m_exchange));
    return true;
}

void HttpConnection::refuse(HttpResponse response) {
    m_closeAfter = true;
    m_state = State::answering;
    m_reading.reset();
    m_in.clear();
    respond(++m_exchange, response);
}

void HttpConnection::respond(std::uint64_t exchange, const HttpResponse& response) {
    if (exchange != m_exchange || m_state != State::answering || m_streaming)
        return;
    std::string bytes =
        fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nDate: {}\r\n", response.status,
                    reasonPhrase(response.status), response.contentType, response.body.size(), httpDate());
    for (const auto& [name, value] : response.fields)
        bytes += fmt::format("{}: {}\r\n", name, value);
    bytes += m_closeAfter ? "Connection: close\r\n\r\n" : "Connection: keep-alive\r\n\r\n";
    if (!m_headOnly)
        bytes += response.body;
    send(bytes);
    finishExchange();
}

void HttpConnection::beginStream(std::uint64_t exchange, std::string_view contentType) {
    if (exchange != m_exchange || m_state != State::answering || m_streaming)
        return;
    m_streaming = true;
    send(fmt::format("HTTP/1.1 200 OK\r\nContent-Type: {}\r\nCache-Control: no-cache\r\nDate: {}\r\n{}Connection: {}"
                     "\r\n\r\n",
                     contentType, httpDate(), m_chunked ? "Transfer-Encoding: chunked\r\n" : "",
                     m_closeAfter ? "close" : "keep-alive"));
}

void HttpConnection::write(std::uint64_t exchange, std::string_view bytes) {
    if (exchange != m_exchange || !m_streaming || closed() || bytes.empty())
        return;
    if (m_chunked)
        send(fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes));
    else
        send(bytes);
    if (m_out.size() - m_outSent > m_limits.maxUnsentBytes)
        gone();
}

void HttpConnection::endStream(std::uint64_t exchange) {
    if (exchange != m_exchange || !m_streaming || closed())
        return;
    if (m_chunked)
        send("0\r\n\r\n");
    m_streaming = false;
    finishExchange();
}

/// The answer is given (perhaps not sent): next request, or farewell.
void HttpConnection::finishExchange() {
    m_whenGone = nullptr;
    if (closed())
        return;
    m_begunNs = steadyNs();
    m_headOnly = false;
    if (!m_closeAfter) {
        m_state = State::reading;
        watch();
        return parse();
    }
    // Closing now, with unread bytes of the client's waiting, would reset the connection and lose the answer.
    m_state = State::lingering;
    if (m_out.empty())
        ::shutdown(m_fd, SHUT_WR);
    watch();
}

void HttpConnection::send(std::string_view bytes) {
    if (closed())
        return;
    if (m_out.empty()) {
        const ssize_t sent = ::send(m_fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
            return gone();
        m_progressNs = steadyNs();
        if (sent > 0)
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        if (bytes.empty())
            return;
    }
    m_out.append(bytes);
    watch();
}

void HttpConnection::flush() {
    while (m_outSent < m_out.size()) {
        const ssize_t sent =
            ::send(m_fd, m_out.data() + m_outSent, m_out.size() - m_outSent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            break;
        if (sent <= 0)
            return gone();
        m_outSent += static_cast<std::size_t>(sent);
        m_progressNs = steadyNs();
    }
    if (m_outSent < m_out.size()) {
        m_out.erase(0, m_outSent);
        m_outSent = 0;
        return;
    }
    m_out.clear();
    m_outSent = 0;
    if (m_state == State::lingering)
        ::shutdown(m_fd, SHUT_WR);
    watch();
    if (m_state == State::reading)
        parse();
}

void HttpConnection::sweep(std::int64_t nowNs) {
    if (closed())
        return;
    if (m_outSent < m_out.size() && nowNs - m_progressNs > m_limits.writeTimeoutNs)
        return gone();
    const std::int64_t age = nowNs - m_begunNs;
    if (m_state == State::lingering && age > m_limits.lingerNs && m_out.empty())
        return close();
    if (m_state != State::reading)
        return;
    if (!m_reading) {
        if (age > m_limits.idleTimeoutNs)
            close();
    } else if (age > (m_reading->headSeen ? m_limits.requestTimeoutNs : m_limits.headTimeoutNs)) {
        refuse(errorResponse(408, "invalid_request_error", "The request took too long to arrive."));
    }
}

void HttpConnection::wind() {
    if (m_state != State::answering)
        return m_out.empty() ? close() : void();
    m_closeAfter = true;
    if (!m_streaming)
        respond(m_exchange, errorResponse(503, "unavailable_error", "The engine is stopping."));
}

HttpReply::HttpReply(std::weak_ptr<HttpConnection> connection, std::uint64_t exchange)
    : m_connection(std::move(connection))
    , m_exchange(exchange) {}

void HttpReply::respond(const HttpResponse& response) {
    if (const auto connection = m_connection.lock())
        connection->respond(m_exchange, response);
}

void HttpReply::beginStream(std::string_view contentType) {
    if (const auto connection = m_connection.lock())
        connection->beginStream(m_exchange, contentType);
}

void HttpReply::write(std::string_view bytes) {
    if (const auto connection = m_connection.lock())
        connection->write(m_exchange, bytes);
}

void HttpReply::endStream() {
    if (const auto connection = m_connection.lock())
        connection->endStream(m_exchange);
}

bool HttpReply::open() const {
    const auto connection = m_connection.lock();
    return connection && !connection->closed() && connection->m_exchange == m_exchange;
}

void HttpReply::whenGone(std::function<void()> callback) {
    if (!open())
        return callback();
    m_connection.lock()->m_whenGone = std::move(callback);
}

} // namespace decodescope::engine
