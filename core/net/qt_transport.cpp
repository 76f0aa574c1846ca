#include "core/net/qt_transport.h"

#include "core/net/opening_words.h"
#include "core/net/proxy_tunnel.h"
#include "core/net/qt_proxy.h"
#include "core/net/tls_words.h"

#include <QCryptographicHash>
#include <QHostAddress>
#include <QNetworkProxy>
#include <QSslConfiguration>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace decodescope {

namespace {

/// More than the kernel's usual receive buffer: one read takes all there is, and a flood cannot grow us.
constexpr qint64 kReadBufferBytes = 4 << 20;

Instant stampNow() {
    return std::chrono::steady_clock::now();
}

/// "AB:CD:..."; empty for no certificate.
std::string fingerprintOf(const QSslCertificate& certificate) {
    return certificate.isNull() ? std::string()
                                : certificate.digest(QCryptographicHash::Sha256).toHex(':').toUpper().toStdString();
}

} // namespace

TransportFactory qtTransportFactory(NetworkThread& network) {
    return [&network, certificates = std::make_shared<CertificateCache>()]() -> std::unique_ptr<Transport> {
        return std::make_unique<QtTransport>(network, certificates);
    };
}

QtTransport::QtTransport(NetworkThread& network, std::shared_ptr<CertificateCache> certificates)
    : m_network(network)
    , m_certificates(std::move(certificates))
    , m_alive(std::make_shared<bool>(true)) {}

QtTransport::~QtTransport() {
    *m_alive = false;
    close();
}

void QtTransport::open(const TransportTarget& target, TransportListener& listener) {
    m_target = target;
    m_listener = &listener;
    if (target.tls)
        configureTls();
    m_begun = stampNow();
    if (!target.proxy)
        return lookUp(target.host, target.port);
    m_proxyName = target.proxy->name();
    lookUp(target.proxy->host, target.proxy->port);
}

void QtTransport::configureTls() {
    m_tls = QSslConfiguration::defaultConfiguration();
    QList<QSslCertificate> extra;
    if (m_target.authoritiesPem) {
        const auto [entry, isNew] = m_certificates->try_emplace(*m_target.authoritiesPem);
        if (isNew)
            entry->second = QSslCertificate::fromData(QByteArray::fromStdString(*m_target.authoritiesPem), QSsl::Pem);
        extra = entry->second;
    }
    if (m_target.systemAuthorities)
        m_tls.addCaCertificates(extra); // the system's own are looked up on demand
    else
        m_tls.setCaCertificates(extra); // and this also ends looking up
    m_tls.setAllowedNextProtocols({QByteArrayLiteral("http/1.1")});
}

/// Not by Qt, which waits at the end of the process for look-ups that do not come back.
void QtTransport::lookUp(const std::string& host, std::uint16_t port) {
    if (const auto address = numericAddress(host, port))
        return lookedUp({{*address}, {}});
    m_lookingUp = host;
    m_network.runAside(
        [this, alive = m_alive, host, port] {
            return [this, alive, result = systemLookup(host, port)] {
                if (*alive && m_listener != nullptr)
                    lookedUp(result);
            };
        },
        SideJobs::AtEnd::leave);
}

void QtTransport::lookedUp(const LookupResult& result) {
    const std::string host = std::exchange(m_lookingUp, {});
    if (result.addresses.empty())
        return std::exchange(m_listener, nullptr)
            ->onFailed(stampNow(), ErrorKind::unreachable,
                       (m_target.proxy ? "The proxy cannot be used. " : "") + hostNotFound(host, result.trouble));
    if (m_target.proxy && m_target.proxy->kind != Proxy::Kind::forward)
        return askProxy(result.addresses.front());
    m_race = std::make_unique<QtRace>([this] { return makeSocket(); }, result.addresses,
                                      [this](QtRaceResult raced) { this->raced(std::move(raced)); });
}

std::unique_ptr<QTcpSocket> QtTransport::makeSocket() const {
    auto secure = m_target.tls ? std::make_unique<QSslSocket>() : nullptr;
    if (secure) {
        secure->setSslConfiguration(m_tls);
        secure->setPeerVerifyName(QString::fromStdString(m_target.host));
    }
    std::unique_ptr<QTcpSocket> socket = secure ? std::move(secure) : std::make_unique<QTcpSocket>();
    socket->setProxy(QNetworkProxy::NoProxy);
    socket->setReadBufferSize(kReadBufferBytes);
    return socket;
}

/// Qt does the asking; to it the host is there as soon as the proxy agreed.
void QtTransport::askProxy(const SocketAddress& address) {
    m_socket = makeSocket();
    QNetworkProxy proxy = qtProxy(*m_target.proxy);
    proxy.setHostName(QHostAddress(address.raw()).toString());
    m_socket->setProxy(proxy);
    QObject::connect(m_socket.get(), &QTcpSocket::connected, this, [this] { reached(); });
    listenToSocket();
    m_socket->connectToHost(QString::fromStdString(m_target.host), m_target.port);
}

void QtTransport::raced(QtRaceResult result) {
    m_race.reset();
    if (result.socket) {
        m_socket = std::move(result.socket);
        listenToSocket();
        return reached();
    }
    ErrorKind kind = ErrorKind::unreachable;
    std::string message = sentenceFor(result.error, result.trouble, kind);
    std::exchange(m_listener, nullptr)->onFailed(stampNow(), kind, std::move(message));
}

void QtTransport::listenToSocket() {
    QObject::connect(m_socket.get(), &QTcpSocket::readyRead, this, [this] { readSome(); });
    QObject::connect(m_socket.get(), &QTcpSocket::disconnected, this, [this] { disconnected(); });
    QObject::connect(m_socket.get(), &QTcpSocket::errorOccurred, this,
                     [this](QAbstractSocket::SocketError error) { failed(error); });
    auto* const secure = qobject_cast<QSslSocket*>(m_socket.get());
    if (secure == nullptr) {
        QObject::connect(m_socket.get(), &QTcpSocket::bytesWritten, this, [this] { wrote(); });
        return;
    }
    QObject::connect(secure, &QSslSocket::encrypted, this, [this] { connected(); });
    QObject::connect(secure, &QSslSocket::encryptedBytesWritten, this, [this] { wrote(); });
    QObject::connect(secure, &QSslSocket::sslErrors, this,
                     [this](const QList<QSslError>& errors) { judgeCertificate(errors); });
}

/// TCP, and the way through a proxy, are up.
void QtTransport::reached() {
    auto* const secure = qobject_cast<QSslSocket*>(m_socket.get());
    if (secure == nullptr)
        return connected();
    m_reached = stampNow();
    // TCP_NODELAY before the handshake: its last flight and the request would else wait for each other.
    m_socket->setSocketOption(QAbstractSocket::LowDelayOption, 1);
    secure->startClientEncryption();
}

void QtTransport::judgeCertificate(const QList<QSslError>& errors) {
    auto* socket = static_cast<QSslSocket*>(m_socket.get());
    const std::string fingerprint = fingerprintOf(socket->peerCertificate());
    const bool pinned = !fingerprint.empty() && fingerprint == m_target.pinnedCertificate;
    if (m_target.allowInvalidTls || pinned) {
        socket->ignoreSslErrors(errors);
        return;
    }
    const QString what = errors.isEmpty() ? QStringLiteral("unknown reason") : errors.first().errorString();
    m_certificateTrouble = untrustedCertificate(place(), what.toStdString(), fingerprint, m_target.pinnedCertificate,
                                                m_target.trustTrouble);
}

void QtTransport::connected() {
    const Instant at = stampNow();
    m_up = true;
    if (m_reached)
        m_tlsTook = at - *m_reached;
    m_watch.watch(m_socket->socketDescriptor());
    m_socket->setSocketOption(QAbstractSocket::LowDelayOption, 1);
    if (m_listener != nullptr)
        m_listener->onConnected(at);
}

void QtTransport::send(std::string_view bytes) {
    if (!m_socket)
        return;
    m_unsent = true;
    m_socket->write(bytes.data(), static_cast<qint64>(bytes.size()));
    m_socket->flush(); // now, not at the next turn of the event loop
    wrote();
}

void QtTransport::wrote() {
    if (!m_unsent || m_listener == nullptr || m_socket->bytesToWrite() > 0)
        return;
    if (const auto* secure = qobject_cast<QSslSocket*>(m_socket.get());
        secure != nullptr && secure->encryptedBytesToWrite() > 0)
        return;
    m_unsent = false;
    m_listener->onSent(stampNow());
}

void QtTransport::readSome() {
    // The kernel was read just before this signal. First the stamp, then anything else.
    const Instant at = stampNow();
    if (m_listener == nullptr || !m_up)
        return;
    m_buffer = m_socket->readAll();
    if (!m_buffer.isEmpty())
        m_listener->onBytes(at, {m_buffer.constData(), static_cast<std::size_t>(m_buffer.size())});
}

void QtTransport::disconnected() {
    const Instant at = stampNow();
    const bool reset = m_watch.peerReset();
    const std::shared_ptr<bool> alive = m_alive;
    if (m_up && m_socket->bytesAvailable() > 0)
        readSome(); // the listener may close or destroy us in there
    if (!*alive || m_listener == nullptr)
        return;
    TransportListener* const listener = std::exchange(m_listener, nullptr);
    if (reset)
        listener->onFailed(at, ErrorKind::connectionClosed,
                           fmt::format("The connection to {} was reset by the other side.", place()));
    else
        listener->onClosed(at);
}

void QtTransport::failed(QAbstractSocket::SocketError error) {
    const Instant at = stampNow();
    if (error == QAbstractSocket::RemoteHostClosedError && m_up)
        return; // an orderly end: disconnected() follows
    const std::shared_ptr<bool> alive = m_alive;
    if (m_up && m_socket->bytesAvailable() > 0)
        readSome();
    if (!*alive || m_listener == nullptr)
        return;
    ErrorKind kind = ErrorKind::unreachable;
    std::string message = sentenceFor(error, m_socket->errorString(), kind);
    std::exchange(m_listener, nullptr)->onFailed(at, kind, std::move(message));
}

void QtTransport::close() {
    m_listener = nullptr;
    m_race.reset();
    if (!m_socket)
        return;
    m_watch.unwatch();
    m_socket->disconnect(this);
    m_socket->abort();
    // This may run inside one of the socket's own signals.
    m_socket.release()->deleteLater();
}

bool QtTransport::idle() const {
    return m_up && m_listener != nullptr && m_socket->state() == QAbstractSocket::ConnectedState &&
           m_socket->bytesAvailable() == 0 && isSilent(m_socket->socketDescriptor());
}

ConnectionFacts QtTransport::facts() const {
    ConnectionFacts facts;
    facts.begun = m_begun;
    facts.unverified = m_target.tls && m_target.allowInvalidTls;
    facts.lookingUp = m_lookingUp;
    facts.proxy = m_proxyName;
    if (!m_socket)
        return facts;
    if (const auto* secure = qobject_cast<const QSslSocket*>(m_socket.get()); secure != nullptr && m_up) {
        facts.tlsTook = m_tlsTook;
        facts.tlsVersion = secure->sessionProtocol() == QSsl::TlsV1_3 ? "TLSv1.3" : "TLSv1.2";
        facts.certificate = fingerprintOf(secure->peerCertificate());
    }
    if (m_target.proxy && m_target.proxy->kind == Proxy::Kind::forward)
        facts.forwarder = m_target.proxy;
    if (m_proxyName.empty() && m_up) {
        const std::string peer = m_socket->peerAddress().toString().toStdString();
        facts.peer =
            fmt::format("{}:{}", peer.find(':') != std::string::npos ? "[" + peer + "]" : peer, m_socket->peerPort());
    }
    return facts;
}

std::string QtTransport::place() const {
    const bool v6 = m_target.host.find(':') != std::string::npos;
    const std::string text = fmt::format("{}:{}", v6 ? "[" + m_target.host + "]" : m_target.host, m_target.port);
    return placeVia(text, m_proxyName);
}

std::string QtTransport::sentenceFor(QAbstractSocket::SocketError error, const QString& words, ErrorKind& kind) const {
    const std::string detail = words.toStdString();
    if (m_up) {
        kind = ErrorKind::connectionClosed;
        return fmt::format("The connection to {} broke: {}.", place(), detail);
    }
    switch (error) {
    case QAbstractSocket::ConnectionRefusedError:
        return fmt::format("Nothing is listening at {} (connection refused). Check the port, or start the server.",
                           place());
    case QAbstractSocket::SocketResourceError:
        return noMoreDescriptors(place());
    case QAbstractSocket::SocketTimeoutError:
        kind = ErrorKind::timeoutConnect;
        return fmt::format("No connection to {} came about: it does not answer. Check the address and the firewall.",
                           place());
    case QAbstractSocket::SslHandshakeFailedError:
    case QAbstractSocket::SslInternalError:
    case QAbstractSocket::SslInvalidUserDataError:
        kind = ErrorKind::tls;
        return !m_certificateTrouble.empty() ? m_certificateTrouble : noTls(place(), detail);
    case QAbstractSocket::RemoteHostClosedError:
        if (m_target.tls) {
            kind = ErrorKind::tls;
            return closedInHandshake(place());
        }
        return fmt::format("{} closed the connection at once.", place());
    case QAbstractSocket::ProxyAuthenticationRequiredError:
        return proxyWantsLogin(m_proxyName, m_target.proxy && m_target.proxy->login);
    case QAbstractSocket::ProxyConnectionRefusedError:
    case QAbstractSocket::ProxyConnectionClosedError:
    case QAbstractSocket::ProxyConnectionTimeoutError:
    case QAbstractSocket::ProxyNotFoundError:
    case QAbstractSocket::ProxyProtocolError:
        return fmt::format("No connection to {}: {}. Check the proxy settings (http_proxy, https_proxy, no_proxy).",
                           place(), detail);
    default:
        return fmt::format("No connection to {}: {}.", place(), detail);
    }
}

} // namespace decodescope
