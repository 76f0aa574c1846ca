#pragma once

#include "core/base/error.h"
#include "core/source/run_spec.h"

#include <cstdint>
#include <string>
#include <string_view>

/// From a RunSpec to the request that goes out: the route really used and the JSON body.
namespace decodescope {

/// A URL taken apart. Userinfo is refused when parsed (keys do not belong in URLs).
struct Url {
    std::string scheme; ///< "http" or "https"
    std::string host;   ///< without brackets
    std::uint16_t port = 0;
    std::string target; ///< path and query, beginning with '/'

    [[nodiscard]] bool tls() const { return scheme == "https"; }
    /// Host is 127.0.0.0/8, ::1 or localhost.
    [[nodiscard]] bool loopback() const;
    /// "host:port" as the Host header wants it (default port left out, IPv6 in brackets).
    [[nodiscard]] std::string authority() const;
    /// The whole URL; query values are masked when `forDisplay`.
    [[nodiscard]] std::string text(bool forDisplay = true) const;
};

[[nodiscard]] Result<Url> parseUrl(std::string_view text);

/// The route for a protocol: "http://h:1", "http://h:1/v1" and the full route all give the full route.
[[nodiscard]] Result<Url> completionUrl(const EndpointSpec& endpoint);
/// What a run asks, for people and recordings: the route really used, without secrets; for a model on this machine its
/// file, as the port of its engine says nothing.
[[nodiscard]] Result<std::string> routeText(const RunSpec& spec);
/// Whether two runs are answered by one server, so that they slow each other down.
[[nodiscard]] bool shareServer(const RunSpec& a, const RunSpec& b);
/// Where the models are listed ("/v1/models" beside the route).
[[nodiscard]] Result<Url> modelsUrl(const EndpointSpec& endpoint);

/// The request body as JSON text. Holds no key. Asks for usage in the stream where the protocol has it. A local model
/// is asked for what only our engine knows, too.
[[nodiscard]] Result<std::string> requestBody(const RunSpec& spec);

} // namespace decodescope
