#include "core/net/qt_proxy.h"

#include <algorithm>

namespace decodescope {

QNetworkProxy qtProxy(const Proxy& proxy) {
    QNetworkProxy out(proxy.kind == Proxy::Kind::socks5 ? QNetworkProxy::Socks5Proxy : QNetworkProxy::HttpProxy,
                      QString::fromStdString(proxy.host), proxy.port);
    if (!proxy.login)
        return out;
    const std::string_view login = proxy.login->revealForTransport();
    const std::size_t colon = std::min(login.find(':'), login.size());
    const std::string_view password = login.substr(std::min(colon + 1, login.size()));
    out.setUser(QString::fromUtf8(login.data(), static_cast<qsizetype>(colon)));
    out.setPassword(QString::fromUtf8(password.data(), static_cast<qsizetype>(password.size())));
    return out;
}

} // namespace decodescope
