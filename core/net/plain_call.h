#pragma once

#include "core/net/network_thread.h"
#include "core/net/transport.h"
#include "core/source/request.h"
#include "core/wire/stream_event.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace decodescope {

/// What one small request came to.
struct CallReport {
    ErrorKind kind = ErrorKind::none; ///< why there is no answer, or none to its end
    std::string message;              ///< for a person, when kind is not none
    bool connected = false;
    ConnectionFacts connection;
    Duration openingTook{};                ///< TCP and TLS, when connected
    std::optional<Duration> firstByteTook; ///< from when the request had been handed over
    std::optional<ResponseHead> head;
    std::string body; ///< its beginning, at most 8 MiB; a key that it echoes is masked
};

/// Asks an endpoint for its models over the transports of timed streams, so that connection, TLS and first byte are
/// told as a run would see them. No redirect is followed. The key goes to the endpoint's own origin alone. `answer` is
/// called exactly once, on the network thread. Fails at once, without calling it, when the request makes no sense.
[[nodiscard]] Result<void> callModelList(NetworkThread& network, TransportFactory transports,
                                         const EndpointSpec& endpoint, std::shared_ptr<const Secret> key,
                                         std::function<void(CallReport)> answer);

} // namespace decodescope
