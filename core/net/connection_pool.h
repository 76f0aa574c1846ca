#pragma once

#include "core/net/network_thread.h"
#include "core/net/transport.h"

namespace decodescope {

/// Wraps a factory: its transports choose the proxy for their target (loopback has none) and, for targets that want
/// ConnectionUse::reuse, keep connections open between runs. One is used again only for the same origin, proxy, trust
/// and pin, when the answer before it was read to its end and its framing allows it, when it was idle for less than a
/// minute, and when the kernel says that it is open and silent. ConnectionFacts::warm tells a run that it has one.
///
/// A warm connection that ends before a byte of an answer came takes its idle siblings with it, so that whoever opens
/// next gets a new one: the server had given them up.
[[nodiscard]] TransportFactory pooledTransports(NetworkThread& network, TransportFactory inner);

} // namespace decodescope
