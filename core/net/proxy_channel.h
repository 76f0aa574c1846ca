#pragma once

#include "core/net/byte_channel.h"
#include "core/net/proxy_tunnel.h"

#include <memory>
#include <string>

namespace decodescope {

/// A proxy as a layer of a connection: below is the proxy, above it looks as if the host were there. A forwarding proxy
/// needs no handshake; what is sent to it is the business of whoever writes the request.
class ProxyChannel final : public ChannelFilter {
public:
    ProxyChannel(std::unique_ptr<ByteChannel> below, const Proxy& proxy, const std::string& host, std::uint16_t port);
    ~ProxyChannel() override;

protected:
    void onConnected(Instant at) override;
    void onSent(Instant at) override;
    void onBytes(Instant at, std::string_view bytes) override;
    void onClosed(Instant at) override;
    void onFailed(Instant at, ErrorKind kind, std::string message) override;

private:
    ProxyTunnel m_tunnel;
    bool m_forwards;
    std::string m_proxyName;
    std::string m_host; // behind it
    std::shared_ptr<bool> m_alive = std::make_shared<bool>(true);
    bool m_up = false;
    bool m_failed = false;
};

} // namespace decodescope
