#include "core/net/name_lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <system_error>
#include <utility>

namespace decodescope {

namespace {

constexpr std::size_t kMostAddresses = 32; // more of them nobody tries in earnest

LookupResult lookUp(const std::string& host, std::uint16_t port, int flags) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags | AI_NUMERICSERV;
    addrinfo* list = nullptr;
    const int code = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
    const int error = errno;
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);
    LookupResult result;
    if (code != 0) {
        result.trouble = code == EAI_SYSTEM  ? std::generic_category().message(error)
                         : code == EAI_AGAIN ? "the name service does not answer"
                                             : ::gai_strerror(code);
        return result;
    }
    for (const addrinfo* entry = list; entry != nullptr && result.addresses.size() < kMostAddresses;
         entry = entry->ai_next) {
        if (entry->ai_addrlen > sizeof(sockaddr_storage))
            continue;
        SocketAddress address;
        std::memcpy(&address.storage, entry->ai_addr, entry->ai_addrlen);
        address.length = entry->ai_addrlen;
        result.addresses.push_back(address);
    }
    if (result.addresses.empty())
        result.trouble = "it has no address";
    return result;
}

} // namespace

std::string SocketAddress::text() const {
    std::array<char, NI_MAXHOST> host{};
    std::array<char, NI_MAXSERV> service{};
    if (::getnameinfo(raw(), length, host.data(), host.size(), service.data(), service.size(),
                      NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return {};
    return family() == AF_INET6 ? fmt::format("[{}]:{}", host.data(), service.data())
                                : fmt::format("{}:{}", host.data(), service.data());
}

LookupResult systemLookup(const std::string& host, std::uint16_t port) {
    // Not AI_ADDRCONFIG: it hides ::1 on machines without another IPv6 address, and a family that this machine does
    // not have fails at once when it is tried.
    return lookUp(host, port, 0);
}

std::optional<SocketAddress> numericAddress(const std::string& host, std::uint16_t port) {
    const LookupResult result = lookUp(host, port, AI_NUMERICHOST);
    return result.addresses.empty() ? std::nullopt : std::optional(result.addresses.front());
}

std::vector<SocketAddress> interleaved(const std::vector<SocketAddress>& addresses) {
    std::vector<SocketAddress> first;
    std::vector<SocketAddress> others;
    for (const SocketAddress& address : addresses)
        (address.family() == addresses.front().family() ? first : others).push_back(address);
    std::vector<SocketAddress> result;
    for (std::size_t i = 0; i < std::max(first.size(), others.size()); ++i) {
        if (i < first.size())
            result.push_back(first[i]);
        if (i < others.size())
            result.push_back(others[i]);
    }
    return result;
}

} // namespace decodescope
