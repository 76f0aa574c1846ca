#include "tests/support/fault_server.h"

#include "tests/support/fault_tls.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <cctype>
#include <csignal>
#include <cstring>
#include <mutex>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <set>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace decodescope::fault {

using std::chrono::nanoseconds;

Step readRequest() {
    return {Step::Kind::readRequest, {}, {}, {}};
}
Step send(std::string bytes) {
    return {Step::Kind::send, std::move(bytes), {}, {}};
}
Step pause(nanoseconds time) {
    return {Step::Kind::pause, {}, time, {}};
}
Step pauseUntil(nanoseconds sinceRequest) {
    return {Step::Kind::pauseUntil, {}, sinceRequest, {}};
}
Step awaitClose() {
    return {Step::Kind::awaitClose, {}, {}, {}};
}
Step stall() {
    return {Step::Kind::stall, {}, {}, {}};
}
Step choose(std::function<Script(const Request&)> then) {
    return {Step::Kind::choose, {}, {}, std::move(then)};
}
Step shutdownWrite() {
    return {Step::Kind::shutdownWrite, {}, {}, {}};
}
Step startTls() {
    return {Step::Kind::startTls, {}, {}, {}};
}
Step close() {
    return {Step::Kind::close, {}, {}, {}};
}
Step reset() {
    return {Step::Kind::reset, {}, {}, {}};
}

Script operator+(Script a, const Script& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

Script trickle(const std::string& bytes, nanoseconds gap) {
    Script script;
    for (const char c : bytes) {
        script.push_back(send(std::string(1, c)));
        script.push_back(pause(gap));
    }
    return script;
}

Script paced(const std::vector<std::string>& sends, nanoseconds first, nanoseconds interval) {
    Script script;
    nanoseconds due = first;
    for (const std::string& bytes : sends) {
        script.push_back(pauseUntil(due));
        script.push_back(send(bytes));
        due += interval;
    }
    return script;
}

Script repeated(const Script& script, int times) {
    Script all;
    for (int i = 0; i < times; ++i)
        all.insert(all.end(), script.begin(), script.end());
    return all;
}

namespace {

Instant now() {
    return std::chrono::steady_clock::now();
}

/// A socket and, where used, the TLS session on it.
struct Socket {
    int fd = -1;
    SSL* ssl = nullptr;

    long read(char* data, std::size_t size) const {
        return ssl != nullptr ? SSL_read(ssl, data, static_cast<int>(size)) : ::recv(fd, data, size, 0);
    }
    long write(const char* data, std::size_t size) const {
        return ssl != nullptr ? SSL_write(ssl, data, static_cast<int>(size)) : ::send(fd, data, size, MSG_NOSIGNAL);
    }
};

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

void parseHead(Request& request) {
    std::size_t begin = 0;
    bool first = true;
    while (begin < request.head.size()) {
        const std::size_t end = std::min(request.head.find("\r\n", begin), request.head.size());
        const std::string line = request.head.substr(begin, end - begin);
        begin = end + 2;
        if (first) {
            const std::size_t a = line.find(' ');
            const std::size_t b = line.rfind(' ');
            request.method = line.substr(0, a);
            if (a != std::string::npos && b > a)
                request.target = line.substr(a + 1, b - a - 1);
            first = false;
        } else if (const std::size_t colon = line.find(':'); colon != std::string::npos) {
            const std::size_t value = line.find_first_not_of(' ', colon + 1);
            request.headers[lower(line.substr(0, colon))] = value == std::string::npos ? "" : line.substr(value);
        }
    }
}

} // namespace

struct FaultServer::Private {
    std::vector<Script> scripts;
    Options options;
    std::optional<TlsServerContext> tls;
    int listener = -1;
    int wake = -1; // an eventfd that becomes readable for good when the server stops
    std::uint16_t port = 0;
    std::atomic<int> accepted = 0;
    std::atomic<int> finished = 0;
    std::atomic<int> peerCloses = 0;
    mutable std::mutex mutex; // guards what follows
    std::vector<Request> requests;
    std::vector<SendStamp> stamps;
    std::vector<std::thread> threads;
    std::set<int> live; // sockets in use: shut down when the server stops, which wakes blocked calls
    std::thread acceptor;

    /// False when the server stops before `due`.
    bool sleepUntil(Instant due) const;
    /// Waits for `fd`; 1 ready, -1 the server stops.
    int await(int fd, short events) const;
    void acceptLoop();
    void serve(int fd, int number, const Script& script);
    /// Runs the steps; false when the connection is over.
    bool run(Socket& socket, int number, const Script& script, Request& last, std::string& pending, int& sends);
    bool readOne(Socket& socket, int number, Request& request, std::string& pending);
    bool shake(Socket& socket) const;
    bool drainUntilClosed(Socket& socket);
    bool sendAll(Socket& socket, int number, const std::string& bytes, int& sends);
};

bool FaultServer::Private::sleepUntil(Instant due) const {
    for (;;) {
        const auto left = due - now();
        if (left <= nanoseconds::zero())
            return true;
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
        timespec wait{static_cast<time_t>(seconds.count()), static_cast<long>((left - seconds).count())};
        pollfd entry{wake, POLLIN, 0};
        if (::ppoll(&entry, 1, &wait, nullptr) > 0)
            return false;
    }
}

int FaultServer::Private::await(int fd, short events) const {
    for (;;) {
        std::array<pollfd, 2> entries{{{fd, events, 0}, {wake, POLLIN, 0}}};
        if (::poll(entries.data(), entries.size(), -1) < 0)
            continue;
        if (entries[1].revents != 0)
            return -1;
        if (entries[0].revents != 0)
            return 1;
    }
}

void FaultServer::Private::acceptLoop() {
    while (await(listener, POLLIN) > 0) {
        const int fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (fd < 0)
            continue;
        const int number = accepted.fetch_add(1);
        const int on = 1;
        ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        const Script& script = scripts[std::min(static_cast<std::size_t>(number), scripts.size() - 1)];
        const std::lock_guard lock(mutex);
        threads.emplace_back([this, fd, number, &script] { serve(fd, number, script); });
    }
}

void FaultServer::Private::serve(int fd, int number, const Script& script) {
    Socket socket{fd, nullptr};
    bool up = true;
    {
        const std::lock_guard lock(mutex);
        live.insert(fd);
    }
    if (tls && !options.tls->onDemand)
        up = shake(socket);
    if (up) {
        Request last;
        last.at = now();
        std::string pending;
        int sends = 0;
        run(socket, number, script, last, pending, sends);
    }
    if (socket.ssl != nullptr) {
        SSL_shutdown(socket.ssl);
        SSL_free(socket.ssl);
    }
    {
        const std::lock_guard lock(mutex);
        live.erase(fd);
    }
    ::close(fd);
    finished.fetch_add(1);
}

bool FaultServer::Private::shake(Socket& socket) const {
    socket.ssl = SSL_new(tls->context.get());
    SSL_set_fd(socket.ssl, socket.fd);
    if (options.tls->flaw == TlsOptions::Flaw::noGoodbye)
        SSL_set_quiet_shutdown(socket.ssl, 1);
    return await(socket.fd, POLLIN) > 0 && SSL_accept(socket.ssl) == 1;
}

bool FaultServer::Private::run(Socket& socket, int number, const Script& script, Request& last, std::string& pending,
                               int& sends) {
    for (const Step& step : script) {
        bool on = true;
        switch (step.kind) {
        case Step::Kind::readRequest:
            on = readOne(socket, number, last, pending);
            break;
        case Step::Kind::send:
            on = sendAll(socket, number, step.bytes, sends);
            break;
        case Step::Kind::pause:
            on = sleepUntil(now() + step.time);
            break;
        case Step::Kind::pauseUntil:
            on = sleepUntil(last.at + step.time);
            break;
        case Step::Kind::awaitClose:
        case Step::Kind::stall:
            on = drainUntilClosed(socket);
            break;
        case Step::Kind::choose:
            on = run(socket, number, step.then(last), last, pending, sends);
            break;
        case Step::Kind::shutdownWrite:
            ::shutdown(socket.fd, SHUT_WR);
            break;
        case Step::Kind::startTls:
            on = tls && shake(socket);
            break;
        case Step::Kind::close:
            on = false;
            break;
        case Step::Kind::reset: {
            const linger hard{1, 0};
            ::setsockopt(socket.fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
            if (socket.ssl != nullptr)
                SSL_set_quiet_shutdown(socket.ssl, 1);
            on = false;
            break;
        }
        }
        if (!on)
            return false;
    }
    return true;
}

bool FaultServer::Private::readOne(Socket& socket, int number, Request& request, std::string& pending) {
    request = {};
    request.connection = number;
    std::optional<std::size_t> bodyAt;
    std::size_t bodySize = 0;
    for (;;) {
        if (!bodyAt) {
            if (const std::size_t end = pending.find("\r\n\r\n"); end != std::string::npos) {
                request.head = pending.substr(0, end);
                parseHead(request);
                bodyAt = end + 4;
                if (const auto length = request.headers.find("content-length"); length != request.headers.end())
                    bodySize = std::strtoul(length->second.c_str(), nullptr, 10);
            }
        }
        if (bodyAt && pending.size() >= *bodyAt + bodySize) {
            request.body = pending.substr(*bodyAt, bodySize);
            pending.erase(0, *bodyAt + bodySize);
            request.at = now();
            const std::lock_guard lock(mutex);
            requests.push_back(request);
            return true;
        }
        if ((socket.ssl == nullptr || SSL_pending(socket.ssl) == 0) && await(socket.fd, POLLIN) < 0)
            return false;
        std::array<char, 65536> buffer; // NOLINT: filled by the read
        const long n = socket.read(buffer.data(), buffer.size());
        if (n <= 0) {
            peerCloses.fetch_add(1);
            return false;
        }
        pending.append(buffer.data(), static_cast<std::size_t>(n));
    }
}

bool FaultServer::Private::drainUntilClosed(Socket& socket) {
    std::array<char, 65536> buffer; // NOLINT: its bytes are dropped
    while (await(socket.fd, POLLIN) > 0) {
        if (socket.read(buffer.data(), buffer.size()) <= 0) {
            peerCloses.fetch_add(1);
            return false;
        }
    }
    return false;
}

bool FaultServer::Private::sendAll(Socket& socket, int number, const std::string& bytes, int& sends) {
    std::size_t done = 0;
    const Instant at = now();
    while (done < bytes.size()) {
        const long n = socket.write(bytes.data() + done, bytes.size() - done);
        if (n <= 0) {
            peerCloses.fetch_add(1);
            return false;
        }
        done += static_cast<std::size_t>(n);
    }
    const std::lock_guard lock(mutex);
    stamps.push_back({number, sends++, at, bytes.size()});
    return true;
}

FaultServer::FaultServer(Script script, const Options& options)
    : FaultServer(std::vector<Script>{std::move(script)}, options) {}

FaultServer::FaultServer(std::vector<Script> scripts, const Options& options)
    : d(std::make_unique<Private>()) {
    if (scripts.empty())
        throw std::runtime_error("a fault server needs a script");
    // OpenSSL writes without MSG_NOSIGNAL; a peer that has gone must not end the test.
    std::signal(SIGPIPE, SIG_IGN);
    d->scripts = std::move(scripts);
    d->options = options;
    if (options.closeAfterAccept)
        d->scripts = {Script{reset()}};
    if (options.tls)
        d->tls = makeTlsServerContext(*options.tls);
    d->wake = ::eventfd(0, EFD_CLOEXEC);
    d->listener = ::socket(options.ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    ::setsockopt(d->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_storage address{};
    socklen_t size = 0;
    if (options.ipv6) {
        auto* v6 = reinterpret_cast<sockaddr_in6*>(&address);
        v6->sin6_family = AF_INET6;
        v6->sin6_addr = in6addr_loopback;
        v6->sin6_port = htons(options.port);
        size = sizeof(sockaddr_in6);
    } else {
        auto* v4 = reinterpret_cast<sockaddr_in*>(&address);
        v4->sin_family = AF_INET;
        v4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        v4->sin_port = htons(options.port);
        size = sizeof(sockaddr_in);
    }
    if (::bind(d->listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(d->listener, 256) != 0)
        throw std::runtime_error(std::string("fault server cannot listen: ") + std::strerror(errno));
    ::getsockname(d->listener, reinterpret_cast<sockaddr*>(&address), &size);
    d->port = ntohs(options.ipv6 ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                                 : reinterpret_cast<sockaddr_in*>(&address)->sin_port);
    d->acceptor = std::thread([p = d.get()] { p->acceptLoop(); });
}

FaultServer::~FaultServer() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(d->wake, &one, sizeof one);
    d->acceptor.join();
    {
        const std::lock_guard lock(d->mutex);
        for (const int fd : d->live)
            ::shutdown(fd, SHUT_RDWR);
    }
    for (std::thread& thread : d->threads)
        thread.join();
    ::close(d->listener);
    ::close(d->wake);
}

std::uint16_t FaultServer::port() const {
    return d->port;
}

std::string FaultServer::url() const {
    return std::string(d->tls && !d->options.tls->onDemand ? "https" : "http") + "://" +
           (d->options.ipv6 ? "[::1]" : "127.0.0.1") + ":" + std::to_string(d->port);
}

std::string FaultServer::certificatePem() const {
    return d->tls ? d->tls->certificatePem : std::string();
}

std::string FaultServer::fingerprint() const {
    return d->tls ? d->tls->fingerprint : std::string();
}

std::vector<Request> FaultServer::requests() const {
    const std::lock_guard lock(d->mutex);
    return d->requests;
}

std::vector<SendStamp> FaultServer::sendStamps() const {
    const std::lock_guard lock(d->mutex);
    return d->stamps;
}

int FaultServer::connections() const {
    return d->accepted.load();
}
int FaultServer::finishedConnections() const {
    return d->finished.load();
}
int FaultServer::peerCloses() const {
    return d->peerCloses.load();
}

bool FaultServer::waitFor(const std::function<bool()>& condition, std::chrono::milliseconds limit) {
    const Instant end = now() + limit;
    while (!condition()) {
        if (now() > end)
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
}

std::uint16_t closedPort() {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(fd, reinterpret_cast<sockaddr*>(&address), size);
    ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
    ::close(fd);
    return ntohs(address.sin_port);
}

} // namespace decodescope::fault
