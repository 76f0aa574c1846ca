#include "core/net/transport_choice.h"

#include "core/net/connection_pool.h"
#include "core/net/qt_transport.h"
#ifdef __linux__
#include "core/net/kernel_stamp_transport.h"
#endif

#include <cstdlib>
#include <utility>

namespace decodescope {

std::optional<TransportKind> transportKindFromString(std::string_view name) noexcept {
    if (name == "qt")
        return TransportKind::qt;
#ifdef __linux__
    if (name == "kernel")
        return TransportKind::kernel;
#endif
    return std::nullopt;
}

TransportKind bestTransportKind() {
    const char* wanted = std::getenv("DECODESCOPE_TRANSPORT");
    const auto named = wanted != nullptr ? transportKindFromString(wanted) : std::nullopt;
#ifdef __linux__
    return named.value_or(TransportKind::kernel);
#else
    return named.value_or(TransportKind::qt);
#endif
}

ClockSource clockSourceOf(TransportKind kind) noexcept {
    return kind == TransportKind::kernel ? ClockSource::kernel : ClockSource::user;
}

TransportFactory transportFactory(NetworkThread& network, TransportKind kind) {
#ifdef __linux__
    if (kind == TransportKind::kernel)
        return pooledTransports(network, kernelStampTransportFactory(network));
#endif
    return kind == TransportKind::qt ? pooledTransports(network, qtTransportFactory(network)) : TransportFactory();
}

} // namespace decodescope
