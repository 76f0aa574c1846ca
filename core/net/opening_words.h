#pragma once

#include "core/net/transport.h"

#include <string>
#include <string_view>

/// What every client says of connections that did not come about, so that a fault reads the same whoever met it.
namespace decodescope {

/// "host:port", or "host:port (through the proxy host:port)".
[[nodiscard]] std::string placeVia(std::string_view place, std::string_view proxyName);
/// A name has no address; `trouble` is a clause.
[[nodiscard]] std::string hostNotFound(std::string_view host, std::string_view trouble);
/// A connection was not up in time, by what is known of it: the look-up of a name, a proxy or the host took too long.
[[nodiscard]] std::string openingTookTooLong(std::string_view place, const ConnectionFacts& facts,
                                             std::string_view limit);
/// This process may open no more files, and sockets are files: which limit that is.
[[nodiscard]] std::string noMoreDescriptors(std::string_view place);

} // namespace decodescope
