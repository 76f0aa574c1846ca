#include "core/net/proxy_channel.h"

#include <fmt/format.h>

#include <utility>

namespace decodescope {

ProxyChannel::ProxyChannel(std::unique_ptr<ByteChannel> below, const Proxy& proxy, const std::string& host,
                           std::uint16_t port)
    : ChannelFilter(std::move(below))
    , m_tunnel(proxy, host, port)
    , m_forwards(proxy.kind == Proxy::Kind::forward)
    , m_proxyName(proxy.name())
    , m_host(host) {}

ProxyChannel::~ProxyChannel() {
    *m_alive = false;
}

void ProxyChannel::onConnected(Instant at) {
    if (!m_forwards)
        return below().send(m_tunnel.start());
    m_up = true;
    listener().onConnected(at);
}

void ProxyChannel::onSent(Instant at) {
    if (m_up) // what went to the proxy itself is none of the layer above's business
        listener().onSent(at);
}

void ProxyChannel::onBytes(Instant at, std::string_view bytes) {
    if (m_up)
        return listener().onBytes(at, bytes);
    if (m_failed)
        return;
    const std::string answer = m_tunnel.take(bytes);
    if (!answer.empty())
        below().send(answer);
    if (m_tunnel.state() == ProxyTunnel::State::failed) {
        m_failed = true;
        below().close();
        return listener().onFailed(at, ErrorKind::unreachable, m_tunnel.trouble());
    }
    if (m_tunnel.state() != ProxyTunnel::State::up)
        return;
    m_up = true;
    const std::shared_ptr<bool> alive = m_alive;
    const std::string rest = m_tunnel.rest();
    listener().onConnected(at);
    if (*alive && !rest.empty())
        listener().onBytes(at, rest);
}

void ProxyChannel::onFailed(Instant at, ErrorKind kind, std::string message) {
    if (m_failed)
        return;
    if (!m_up)
        message = "The proxy cannot be used. " + message;
    else if (m_forwards) // the layer below knows the proxy alone
        message += fmt::format(" That is the proxy on the way to {}.", m_host);
    listener().onFailed(at, kind, std::move(message));
}

void ProxyChannel::onClosed(Instant at) {
    if (m_up)
        return listener().onClosed(at);
    if (!std::exchange(m_failed, true))
        listener().onFailed(at, ErrorKind::unreachable,
                            fmt::format("The proxy {} closed the connection without an answer. Check the proxy "
                                        "settings (http_proxy, https_proxy, no_proxy).",
                                        m_proxyName));
}

} // namespace decodescope
