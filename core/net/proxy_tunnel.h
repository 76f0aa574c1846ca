#pragma once

#include "core/net/proxy_choice.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace decodescope {

/// Asks a proxy for a way to a host, as a pure object: CONNECT of HTTP, or SOCKS5 (the proxy looks the name up). Bytes
/// of the proxy in, bytes for it out. Any bytes are safe to take.
class ProxyTunnel {
public:
    enum class State {
        asking,
        up,    ///< what comes from now on is the host's
        failed ///< see trouble()
    };

    ProxyTunnel(Proxy proxy, std::string host, std::uint16_t port);

    /// What is to be sent first.
    [[nodiscard]] std::string start();
    /// Takes what the proxy said. Returns what is to be sent to it, which may be nothing.
    [[nodiscard]] std::string take(std::string_view bytes);
    /// Once up: what came behind the proxy's consent and is the host's already.
    [[nodiscard]] const std::string& rest() const { return m_received; }
    [[nodiscard]] State state() const { return m_state; }
    /// A sentence for a person, once failed.
    [[nodiscard]] const std::string& trouble() const { return m_trouble; }

private:
    enum class Step { httpHead, socksMethod, socksLogin, socksReply };
    void readHttpHead();
    [[nodiscard]] std::string readSocks();
    bool readSocksChoice(std::string& out);
    bool readSocksReply();
    [[nodiscard]] std::string socksLogin() const;
    [[nodiscard]] std::string socksRequest() const;
    void failAsNoSocks();
    void fail(std::string sentence);

    Proxy m_proxy;
    std::string m_host;
    std::uint16_t m_port;
    Step m_step;
    State m_state = State::asking;
    std::string m_received;
    std::string m_trouble;
};

/// "407 Proxy Authentication Required" and what to do about it; for the proxy's own answers to forwarded requests too.
[[nodiscard]] std::string proxyWantsLogin(std::string_view proxyName, bool loginGiven);

} // namespace decodescope
