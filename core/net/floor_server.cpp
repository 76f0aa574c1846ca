#include "core/net/floor_server.h"

#include "core/base/clock.h"
#include "core/net/floor_streams.h"
#include "core/net/own_certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace decodescope {

namespace {

/// A listening socket on loopback and its port; -1 where there is none to be had.
std::pair<int, int> listenOnLoopback() {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return {-1, 0};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), size) != 0 || ::listen(fd, 256) != 0 ||
        ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        ::close(fd);
        return {-1, 0};
    }
    return {fd, ntohs(address.sin_port)};
}

std::int64_t numberAfter(const std::string& text, std::string_view name, std::int64_t usual, std::int64_t least,
                         std::int64_t most) {
    const std::size_t at = text.find(name);
    if (at == std::string::npos)
        return usual;
    std::int64_t value = usual;
    const char* begin = text.data() + at + name.size();
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
    return error == std::errc() && end != begin ? std::clamp(value, least, most) : usual;
}

tl::unexpected<Error> cannotStart(const char* what, int error) {
    return fail(ErrorCode::internal,
                fmt::format("The loopback server for measuring this machine could not be started: {} ({}).", what,
                            std::strerror(error)));
}

} // namespace

std::string FloorPace::modelName() const {
    return fmt::format("floor interval_us={} tokens={} offset_us={} burst={} burst_gap_us={}", intervalUs, tokens,
                       offsetUs, burst, burstGapUs);
}

FloorPace FloorPace::fromRequest(const std::string& request) {
    constexpr std::int64_t kHourUs = 3'600'000'000;
    FloorPace pace;
    pace.intervalUs = numberAfter(request, "interval_us=", pace.intervalUs, 100, kHourUs);
    pace.tokens = numberAfter(request, "tokens=", pace.tokens, 1, 1'000'000);
    pace.offsetUs = numberAfter(request, "offset_us=", pace.offsetUs, 0, kHourUs);
    pace.burst = numberAfter(request, " burst=", pace.burst, 1, 1000);
    pace.burstGapUs = numberAfter(request, "burst_gap_us=", pace.burstGapUs, 0, kHourUs);
    return pace;
}

std::int64_t FloorPace::dueNs(std::int64_t gridNs, std::int64_t token) const {
    return gridNs + (offsetUs + token / burst * intervalUs + token % burst * burstGapUs) * 1000;
}

Result<FloorServer> FloorServer::start(std::size_t ports, Wire wire) {
    OwnCertificate own;
    if (wire == Wire::tls) {
        auto made = makeOwnCertificate();
        if (!made)
            return tl::unexpected(made.error());
        own = *std::move(made);
    }
    std::vector<int> listeners;
    std::vector<std::string> urls;
    const auto closeAll = [&] {
        for (const int fd : listeners)
            ::close(fd);
    };
    for (std::size_t i = 0; i < std::max<std::size_t>(ports, 1); ++i) {
        const auto [fd, port] = listenOnLoopback();
        if (fd < 0) {
            const int error = errno;
            closeAll();
            return cannotStart("no port on 127.0.0.1", error);
        }
        listeners.push_back(fd);
        urls.push_back(fmt::format("{}://127.0.0.1:{}", own.context ? "https" : "http", port));
    }
    int lifeline[2];
    if (::pipe2(lifeline, O_CLOEXEC) != 0) {
        const int error = errno;
        closeAll();
        return cannotStart("no pipe", error);
    }
    const pid_t process = ::fork();
    if (process == 0) {
        ::close(lifeline[1]);
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::signal(SIGPIPE, SIG_IGN);
        ::signal(SIGINT, SIG_IGN); // Ctrl-C is for the one that measures, which then closes the lifeline
        serveFloorStreams(listeners, lifeline[0], own.context.get());
        ::_exit(0);
    }
    const int error = errno;
    closeAll();
    ::close(lifeline[0]);
    if (process < 0) {
        ::close(lifeline[1]);
        return cannotStart("no process", error);
    }
    return FloorServer(process, lifeline[1], std::move(urls), std::move(own.sha256));
}

FloorServer::FloorServer(pid_t process, int lifeline, std::vector<std::string> urls, std::string certificate)
    : m_process(process)
    , m_lifeline(lifeline)
    , m_urls(std::move(urls))
    , m_certificate(std::move(certificate)) {}

FloorServer::FloorServer(FloorServer&& other) noexcept
    : m_process(std::exchange(other.m_process, -1))
    , m_lifeline(std::exchange(other.m_lifeline, -1))
    , m_urls(std::move(other.m_urls))
    , m_certificate(std::move(other.m_certificate)) {}

FloorServer& FloorServer::operator=(FloorServer&& other) noexcept {
    if (this != &other) {
        end();
        m_process = std::exchange(other.m_process, -1);
        m_lifeline = std::exchange(other.m_lifeline, -1);
        m_urls = std::move(other.m_urls);
        m_certificate = std::move(other.m_certificate);
    }
    return *this;
}

FloorServer::~FloorServer() {
    end();
}

void FloorServer::end() {
    if (m_process <= 0)
        return;
    ::close(std::exchange(m_lifeline, -1));
    const pid_t process = std::exchange(m_process, -1);
    while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
    }
}

} // namespace decodescope
