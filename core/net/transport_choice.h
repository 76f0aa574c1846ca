#pragma once

#include "core/net/network_thread.h"
#include "core/net/transport.h"

#include <optional>
#include <string_view>

namespace decodescope {

/// Which implementation of Transport streams run over.
enum class TransportKind : std::uint8_t {
    kernel, ///< KernelStampTransport, on Linux
    qt      ///< QtTransport, everywhere
};

/// "kernel", "qt"; nullopt for another name and for what this system does not have.
[[nodiscard]] std::optional<TransportKind> transportKindFromString(std::string_view name) noexcept;
/// What DECODESCOPE_TRANSPORT names, or else the best one of this system.
[[nodiscard]] TransportKind bestTransportKind();

/// Which clock stamps the reads of such a transport, as long as nothing goes wrong.
[[nodiscard]] ClockSource clockSourceOf(TransportKind kind) noexcept;
/// Makes transports of a kind.
[[nodiscard]] TransportFactory transportFactory(NetworkThread& network, TransportKind kind);

} // namespace decodescope
