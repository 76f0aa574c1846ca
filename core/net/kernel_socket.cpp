#include "core/net/kernel_socket.h"

#include "core/net/opening_words.h"
#include "core/net/reset_watch.h"
#include "core/net/stamped_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <sys/socket.h>
#include <system_error>
#include <utility>

namespace decodescope {

namespace {

/// So many full reads in a row, then the other sockets have their turn.
constexpr int kReadsAtOnce = 16;

std::string meaningOf(int error) {
    return std::error_code(error, std::generic_category()).message();
}

} // namespace

KernelSocket::KernelSocket(std::shared_ptr<KernelNet> net, std::string host, std::uint16_t port)
    : m_net(std::move(net))
    , m_host(std::move(host))
    , m_port(port)
    , m_alive(std::make_shared<bool>(true)) {}

KernelSocket::~KernelSocket() {
    *m_alive = false;
    close();
}

void KernelSocket::open(TransportListener& listener) {
    m_listener = &listener;
    if (const auto address = numericAddress(m_host, m_port)) {
        lookedUp({{*address}, {}});
        return;
    }
    m_lookingUp = true;
    m_net->network.runAside(
        [this, alive = m_alive, host = m_host, port = m_port, resolver = m_net->options.resolver] {
            return [this, alive, result = resolver(host, port)] {
                if (*alive && m_listener != nullptr)
                    lookedUp(result);
            };
        },
        SideJobs::AtEnd::leave);
}

void KernelSocket::lookedUp(const LookupResult& result) {
    m_lookingUp = false;
    if (result.addresses.empty()) {
        fail(m_net->clock.now(), ErrorKind::unreachable, hostNotFound(m_host, result.trouble));
        return;
    }
    m_race = std::make_unique<AddressRace>(*m_net, result.addresses,
                                           [this](RaceResult raced) { connected(std::move(raced)); });
}

void KernelSocket::connected(RaceResult result) {
    const Instant at = m_net->clock.now();
    m_race.reset();
    if (!result.descriptor.open()) {
        if (result.error == ECONNREFUSED)
            fail(at, ErrorKind::unreachable,
                 fmt::format("Nothing is listening at {} (connection refused). Check the port, or start the server.",
                             place()));
        else if (result.error == ECONNRESET) // accepted, and gone before we looked
            fail(at, ErrorKind::connectionClosed,
                 fmt::format("The connection to {} was reset by the other side.", place()));
        else if (result.error == ETIMEDOUT)
            fail(at, ErrorKind::timeoutConnect,
                 fmt::format("No connection to {} came about: it does not answer. Check the address and the firewall.",
                             place()));
        else if (result.error == EMFILE)
            fail(at, ErrorKind::unreachable, noMoreDescriptors(place()));
        else
            fail(at, ErrorKind::unreachable,
                 fmt::format("No connection to {}: {}. Check the address and the network.", place(),
                             meaningOf(result.error)));
        return;
    }
    m_descriptor = std::move(result.descriptor);
    m_peer = result.address.text();
    m_judge.emplace(m_net->clock, result.begun);
    m_ticket = m_net->poller.add(m_descriptor.get(), SocketPoller::Wait::toRead, *this);
    if (m_ticket == 0) {
        fail(at, ErrorKind::unreachable,
             fmt::format("No connection to {}: this system has no room for another one.", place()));
        return;
    }
    m_listener->onConnected(at);
}

void KernelSocket::handTo(TransportListener& listener) {
    m_listener = &listener;
    m_judge->beginAnew();
}

void KernelSocket::send(std::string_view bytes) {
    if (!m_descriptor.open() || m_listener == nullptr || m_writeError != 0)
        return;
    if (m_unsent.empty())
        bytes.remove_prefix(write(bytes));
    if (m_writeError != 0)
        return;
    if (bytes.empty()) {
        m_listener->onSent(m_wroteAt);
        return;
    }
    keep(bytes);
    m_net->poller.change(m_ticket, SocketPoller::Wait::toReadOrWrite);
}

std::size_t KernelSocket::write(std::string_view bytes) {
    std::size_t taken = 0;
    while (taken < bytes.size()) {
        m_wroteAt = m_net->clock.now();
        const ssize_t count =
            ::send(m_descriptor.get(), bytes.data() + taken, bytes.size() - taken, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count >= 0) {
            taken += static_cast<std::size_t>(count);
        } else if (errno != EINTR) {
            // What the other side said before it went is still to be read: the end of that tells how it went.
            if (errno != EAGAIN && errno != EWOULDBLOCK)
                m_writeError = errno;
            break;
        }
    }
    return taken;
}

/// Without leaving copies behind as a growing string would.
void KernelSocket::keep(std::string_view bytes) {
    std::string grown;
    grown.reserve(m_unsent.size() + bytes.size());
    grown.append(m_unsent).append(bytes);
    wipe();
    m_unsent.swap(grown);
}

/// False when nothing of this object may be touched any more.
bool KernelSocket::writeOn() {
    m_written += write(std::string_view(m_unsent).substr(m_written));
    if (m_writeError == 0 && m_written < m_unsent.size())
        return true;
    wipe();
    m_net->poller.change(m_ticket, SocketPoller::Wait::toRead);
    if (m_writeError != 0)
        return true;
    const std::shared_ptr<bool> alive = m_alive;
    m_listener->onSent(m_wroteAt);
    return *alive && m_listener != nullptr;
}

void KernelSocket::onReady() {
    if (!m_unsent.empty() && !writeOn())
        return;
    for (int i = 0; i < kReadsAtOnce && readOnce(); ++i) {
    }
}

/// True when there may be more to read.
bool KernelSocket::readOnce() {
    const std::shared_ptr<KernelNet> net = m_net; // the listener may destroy us, and the bytes are the net's
    const StampedRead read = readStamped(m_descriptor.get(), net->readBuffer.data(), net->readBuffer.size());
    const Instant had = net->clock.now();
    switch (read.outcome) {
    case StampedRead::Outcome::nothingYet:
        return false;
    case StampedRead::Outcome::end:
        ended(had);
        return false;
    case StampedRead::Outcome::error:
        m_writeError = read.error;
        ended(had);
        return false;
    case StampedRead::Outcome::bytes:
        break;
    }
    const std::shared_ptr<bool> alive = m_alive;
    m_listener->onBytes(m_judge->stamp(read.kernelWall, had), {net->readBuffer.data(), read.size});
    return *alive && m_listener != nullptr && read.size == net->readBuffer.size();
}

void KernelSocket::ended(Instant at) {
    if (m_writeError == ECONNRESET || m_writeError == EPIPE) {
        fail(at, ErrorKind::connectionClosed,
             fmt::format("The connection to {} was reset by the other side.", place()));
    } else if (m_writeError != 0) {
        fail(at, ErrorKind::connectionClosed,
             fmt::format("The connection to {} broke: {}.", place(), meaningOf(m_writeError)));
    } else {
        leave();
        std::exchange(m_listener, nullptr)->onClosed(at);
    }
}

void KernelSocket::fail(Instant at, ErrorKind kind, std::string message) {
    leave();
    std::exchange(m_listener, nullptr)->onFailed(at, kind, std::move(message));
}

void KernelSocket::close() {
    m_listener = nullptr;
    m_race.reset();
    leave();
    m_descriptor.reset();
    wipe();
}

/// Stops watching; the socket itself stays open until close().
void KernelSocket::leave() {
    if (m_ticket != 0)
        m_net->poller.remove(std::exchange(m_ticket, 0));
}

void KernelSocket::wipe() {
    std::fill(m_unsent.begin(), m_unsent.end(), '\0');
    m_unsent.clear();
    m_written = 0;
}

bool KernelSocket::idle() const {
    return m_listener != nullptr && m_descriptor.open() && m_unsent.empty() && isSilent(m_descriptor.get());
}

void KernelSocket::describe(ConnectionFacts& facts) const {
    facts.peer = m_peer;
    facts.lookingUp = m_lookingUp ? m_host : std::string();
}

StampReport KernelSocket::stampReport() const {
    return m_judge ? m_judge->report() : StampReport{ClockSource::kernel, {}, 0, 0, {}};
}

std::string KernelSocket::place() const {
    return fmt::format("{}:{}", m_host.find(':') != std::string::npos ? "[" + m_host + "]" : m_host, m_port);
}

} // namespace decodescope
