#pragma once

#include "core/net/name_lookup.h"

#include <QTcpSocket>
#include <QTimer>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace decodescope {

/// How a race of Qt's sockets ended.
struct QtRaceResult {
    std::unique_ptr<QTcpSocket> socket; ///< connected; null: all failed
    QAbstractSocket::SocketError error =
        QAbstractSocket::UnknownSocketError; ///< the most telling one, without a socket
    QString trouble;                         ///< Qt's words for it
};

/// AddressRace with Qt's sockets: connects to whichever of several addresses answers first (RFC 8305). Network thread
/// only.
class QtRace final : public QObject {
public:
    using Maker = std::function<std::unique_ptr<QTcpSocket>()>;

    /// Begins soon. `make` gives sockets that are ready but for being connected. `done` is called once, never from
    /// within the constructor; the race may be destroyed in it.
    QtRace(Maker make, const std::vector<SocketAddress>& addresses, std::function<void(QtRaceResult)> done);
    ~QtRace() override;

private:
    void next();
    void lost(std::size_t attempt, QAbstractSocket::SocketError error);
    /// Null when that one is over.
    std::unique_ptr<QTcpSocket> take(std::size_t attempt);
    void finish(QtRaceResult result);

    Maker m_make;
    std::vector<SocketAddress> m_addresses;
    std::function<void(QtRaceResult)> m_done;
    std::map<std::size_t, std::unique_ptr<QTcpSocket>> m_sockets; // under way, by the number of their address
    std::size_t m_tried = 0;
    QtRaceResult m_failure;
    QTimer m_timer;
};

} // namespace decodescope
