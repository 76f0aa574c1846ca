#include "core/net/qt_race.h"

#include <QHostAddress>

#include <chrono>
#include <netinet/in.h>
#include <utility>

namespace decodescope {

namespace {

/// How long an address is tried alone (RFC 8305, section 5).
constexpr std::chrono::milliseconds kHeadStart{250};

std::uint16_t portOf(const SocketAddress& address) {
    const auto port = address.family() == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(address.raw())->sin6_port
                                                   : reinterpret_cast<const sockaddr_in*>(address.raw())->sin_port;
    return ntohs(port);
}

/// A refusal tells more than silence, and that more than a family that this machine does not have.
int weight(QAbstractSocket::SocketError error) {
    switch (error) {
    case QAbstractSocket::ConnectionRefusedError:
        return 3;
    case QAbstractSocket::SocketTimeoutError:
        return 2;
    case QAbstractSocket::NetworkError:
    case QAbstractSocket::UnsupportedSocketOperationError:
        return 0;
    default:
        return 1;
    }
}

/// This may run inside one of the socket's own signals.
void letGo(std::unique_ptr<QTcpSocket> socket) {
    socket->abort();
    socket.release()->deleteLater();
}

} // namespace

QtRace::QtRace(Maker make, const std::vector<SocketAddress>& addresses, std::function<void(QtRaceResult)> done)
    : m_make(std::move(make))
    , m_addresses(interleaved(addresses))
    , m_done(std::move(done)) {
    m_timer.setSingleShot(true);
    m_timer.setTimerType(Qt::PreciseTimer);
    m_timer.callOnTimeout([this] { next(); });
    m_timer.start(0);
}

QtRace::~QtRace() {
    while (!m_sockets.empty())
        letGo(take(m_sockets.begin()->first));
}

void QtRace::next() {
    if (m_tried == m_addresses.size()) {
        if (m_sockets.empty())
            finish(std::move(m_failure));
        return;
    }
    const std::size_t attempt = m_tried++;
    const SocketAddress& address = m_addresses[attempt];
    if (m_tried < m_addresses.size())
        m_timer.start(kHeadStart);
    QTcpSocket* const socket = m_sockets.emplace(attempt, m_make()).first->second.get();
    QObject::connect(socket, &QTcpSocket::connected, this, [this, attempt] { finish({take(attempt), {}, {}}); });
    // Queued: it may come from within connectToHost().
    QObject::connect(
        socket, &QTcpSocket::errorOccurred, this,
        [this, attempt](QAbstractSocket::SocketError error) { lost(attempt, error); }, Qt::QueuedConnection);
    socket->connectToHost(QHostAddress(address.raw()), portOf(address));
}

std::unique_ptr<QTcpSocket> QtRace::take(std::size_t attempt) {
    const auto found = m_sockets.find(attempt);
    if (found == m_sockets.end())
        return nullptr;
    std::unique_ptr<QTcpSocket> taken = std::move(found->second);
    m_sockets.erase(found);
    taken->disconnect(this);
    return taken;
}

void QtRace::lost(std::size_t attempt, QAbstractSocket::SocketError error) {
    std::unique_ptr<QTcpSocket> loser = take(attempt);
    if (!loser)
        return;
    if (m_failure.trouble.isEmpty() || weight(error) > weight(m_failure.error)) {
        m_failure.error = error;
        m_failure.trouble = loser->errorString();
    }
    letGo(std::move(loser));
    next();
}

void QtRace::finish(QtRaceResult result) {
    m_timer.stop();
    const auto done = std::exchange(m_done, nullptr);
    done(std::move(result)); // may destroy us
}

} // namespace decodescope
