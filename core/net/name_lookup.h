#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace decodescope {

/// Where a socket can connect to.
struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t length = 0;

    [[nodiscard]] int family() const noexcept { return storage.ss_family; }
    [[nodiscard]] const sockaddr* raw() const noexcept { return reinterpret_cast<const sockaddr*>(&storage); }
    /// "192.0.2.7:443", "[2001:db8::7]:443".
    [[nodiscard]] std::string text() const;
};

/// What a look-up found: addresses in the order of preference, or why there are none.
struct LookupResult {
    std::vector<SocketAddress> addresses;
    std::string trouble; ///< a clause such as "no such name"; empty when there are addresses
};

/// Finds the addresses of a host. May block: called on a helper thread. Injected, so that tests say who lives where.
using Resolver = std::function<LookupResult(const std::string& host, std::uint16_t port)>;

/// The system's: /etc/hosts, DNS and whatever else it is told to ask.
[[nodiscard]] LookupResult systemLookup(const std::string& host, std::uint16_t port);

/// The address that `host` spells out ("127.0.0.1", "fe80::1%eth0"); nullopt for names, which need a look-up.
[[nodiscard]] std::optional<SocketAddress> numericAddress(const std::string& host, std::uint16_t port);

/// The same addresses with the families taking turns, begun by the first one's (RFC 8305, section 4).
[[nodiscard]] std::vector<SocketAddress> interleaved(const std::vector<SocketAddress>& addresses);

} // namespace decodescope
