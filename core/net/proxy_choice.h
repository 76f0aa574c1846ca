#pragma once

#include "core/base/error.h"
#include "core/base/secret.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

/// Which proxy stands between us and a host: one rule for runs over any transport and for lists of models.
namespace decodescope {

/// A proxy as it is to be used for one target.
struct Proxy {
    enum class Kind : std::uint8_t {
        tunnel,  ///< an HTTP proxy that is asked to CONNECT: for https
        forward, ///< an HTTP proxy that is sent the request itself, with the whole address in its first line: for http
        socks5   ///< a SOCKS5 proxy, which also looks the host up
    };
    Kind kind = Kind::tunnel;
    std::string host; ///< without brackets
    std::uint16_t port = 0;
    std::shared_ptr<const Secret> login; ///< "user:password" as it was written in the address, decoded; null: none

    /// "host:port": what may be shown and written.
    [[nodiscard]] std::string name() const;
    /// The value of a Proxy-Authorization header ("Basic ..."); empty without login. For the socket alone.
    [[nodiscard]] std::string authorization() const;
};

/// A variable's value; nullopt when it is not set.
using Variables = std::function<std::optional<std::string>(const char* name)>;
/// Those of this process.
[[nodiscard]] Variables processVariables();

/// The proxy that the environment names for a target, by curl's rules: http by http_proxy, https by https_proxy (and
/// never by http_proxy alone), else all_proxy; the lower-case name before the upper-case one; an empty value is none;
/// HTTP_PROXY does not count where REQUEST_METHOD is set, as a server's client could set it there. NO_PROXY lists, with
/// commas or spaces between them, hosts, domains (their subdomains too), addresses, CIDR ranges, each with a port if
/// wanted, or "*". Fails for a proxy of a kind that cannot be used, by name. Nullopt: direct.
[[nodiscard]] Result<std::optional<Proxy>> proxyFromVariables(bool tls, std::string_view host, std::uint16_t port,
                                                              const Variables& variables);
/// Whether the environment says anything about proxies. Where it does not, the desktop's own settings hold.
[[nodiscard]] bool variablesNameProxies(const Variables& variables);
/// Whether NO_PROXY's `list` takes the host out.
[[nodiscard]] bool isExcepted(std::string_view list, std::string_view host, std::uint16_t port);

/// The environment's proxy, else the desktop's. Loopback is for the caller to leave out. May read files or ask the
/// network when the environment says nothing: not for the network thread.
[[nodiscard]] Result<std::optional<Proxy>> chooseProxy(bool tls, const std::string& host, std::uint16_t port);

} // namespace decodescope
