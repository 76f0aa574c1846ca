#include "core/net/opening_words.h"

#include <fmt/format.h>

#include <sys/resource.h>

namespace decodescope {

std::string placeVia(std::string_view place, std::string_view proxyName) {
    return proxyName.empty() ? std::string(place) : fmt::format("{} (through the proxy {})", place, proxyName);
}

std::string hostNotFound(std::string_view host, std::string_view trouble) {
    return fmt::format("The host \"{}\" could not be found ({}). Check its spelling and the network.", host, trouble);
}

std::string openingTookTooLong(std::string_view place, const ConnectionFacts& facts, std::string_view limit) {
    if (!facts.lookingUp.empty())
        return fmt::format(
            "The name \"{}\" could not be looked up within {}. Check its spelling and this machine's name "
            "service (DNS).",
            facts.lookingUp, limit);
    return fmt::format("No connection to {} came about within {}. Check {}.", placeVia(place, facts.proxy), limit,
                       facts.proxy.empty()
                           ? "the address and the firewall"
                           : "the proxy and its settings (http_proxy, https_proxy, all_proxy, no_proxy)");
}

std::string noMoreDescriptors(std::string_view place) {
    rlimit limit{};
    const bool known = ::getrlimit(RLIMIT_NOFILE, &limit) == 0;
    return fmt::format("No connection to {}: this process may have no more files and sockets open{}. Raise the limit "
                       "(ulimit -n) before the start, or run fewer lanes at once.",
                       place, known ? fmt::format(" than {}", limit.rlim_cur) : std::string());
}

} // namespace decodescope
