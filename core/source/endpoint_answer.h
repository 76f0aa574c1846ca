#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"

#include <optional>
#include <string>
#include <vector>

namespace decodescope {

/// What an endpoint answered when it was asked for its models, and how it was reached.
struct EndpointAnswer {
    /// In the server's order, empty when it answers but lists none; or a sentence for a person with ErrorCode::refused
    /// (the key is wrong), network (no answer), usage (the address makes no sense), malformed.
    Result<std::vector<std::string>> models;

    bool connected = false;
    bool warm = false;      ///< the connection was open already
    std::string peer;       ///< the address that answered, "192.0.2.7:443"; empty: not told
    std::string proxy;      ///< "host:port"; empty: direct
    std::string tlsVersion; ///< "TLSv1.3"; empty without TLS
    Duration openingTook{}; ///< TCP, and TLS where used
    Duration tlsTook{};
    std::optional<Duration> firstByteTook; ///< from the request to the first byte of the answer
};

} // namespace decodescope
