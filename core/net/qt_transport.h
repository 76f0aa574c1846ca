#pragma once

#include "core/net/name_lookup.h"
#include "core/net/network_thread.h"
#include "core/net/qt_race.h"
#include "core/net/reset_watch.h"
#include "core/net/transport.h"

#include <QSslCertificate>
#include <QSslConfiguration>
#include <QSslSocket>

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace decodescope {

/// Authorities that were parsed before: a bundle costs milliseconds, which streams in flight would feel.
/// Network thread only.
using CertificateCache = std::map<std::string, QList<QSslCertificate>>;

/// The portable transport: a QTcpSocket or QSslSocket on the network thread, stamps of CLOCK_MONOTONIC taken in
/// user space. It cannot tell a TLS connection that was cut from one that ended with a goodbye.
class QtTransport final : public QObject, public Transport {
public:
    QtTransport(NetworkThread& network, std::shared_ptr<CertificateCache> certificates);
    ~QtTransport() override;

    void open(const TransportTarget& target, TransportListener& listener) override;
    void send(std::string_view bytes) override;
    void close() override;
    [[nodiscard]] bool idle() const override;
    [[nodiscard]] ClockSource clockSource() const override { return ClockSource::user; }
    [[nodiscard]] ConnectionFacts facts() const override;

private:
    void configureTls();
    void lookUp(const std::string& host, std::uint16_t port);
    void lookedUp(const LookupResult& result);
    [[nodiscard]] std::unique_ptr<QTcpSocket> makeSocket() const;
    void askProxy(const SocketAddress& proxy);
    void raced(QtRaceResult result);
    void listenToSocket();
    void reached();
    void connected();
    void wrote();
    void readSome();
    void disconnected();
    void failed(QAbstractSocket::SocketError error);
    void judgeCertificate(const QList<QSslError>& errors);
    [[nodiscard]] std::string place() const;
    [[nodiscard]] std::string sentenceFor(QAbstractSocket::SocketError error, const QString& words,
                                          ErrorKind& kind) const;

    NetworkThread& m_network;
    std::shared_ptr<CertificateCache> m_certificates;
    QSslConfiguration m_tls;
    std::shared_ptr<bool> m_alive; // false once destroyed; looked at on the network thread alone
    TransportTarget m_target;
    TransportListener* m_listener = nullptr; // null: nothing more is told
    std::string m_lookingUp;                 // the name; empty: none
    std::unique_ptr<QtRace> m_race;          // while connecting
    std::unique_ptr<QTcpSocket> m_socket;
    ResetWatch m_watch;
    QByteArray m_buffer; // reused for every read
    std::string m_certificateTrouble;
    std::string m_proxyName;          // "host:port"; empty: direct
    Instant m_begun{};                // of the opening, once the authorities were read
    std::optional<Instant> m_reached; // TCP, and the proxy's tunnel, are up: TLS begins
    Duration m_tlsTook{};
    bool m_up = false;
    bool m_unsent = false;
};

/// Makes QtTransports that share a certificate cache.
[[nodiscard]] TransportFactory qtTransportFactory(NetworkThread& network);

} // namespace decodescope
