#pragma once

#include <optional>
#include <string_view>

namespace decodescope {

/// Why a run is not a complete measurement: the `error_kind` of `explain` and the `error.kind` of `run`
/// (cli.md). `none` is printed as null.
enum class ErrorKind {
    none,
    inStream,         ///< an error object, field or event inside a 200 stream; wins over anything after it
    truncated,        ///< a clean end with neither finish reason nor terminator
    connectionClosed, ///< cut inside the HTTP framing, or reset
    httpStatus,       ///< status >= 400 that is none of the following
    rateLimited,      ///< 429
    auth,             ///< 401, 403
    loading,          ///< 503 while a model loads
    redirect,         ///< 3xx
    blocked,          ///< the prompt was refused by a filter
    badContentType,   ///< HTML, binary event streams and so on under 200
    tooLarge,         ///< a limit of ours was passed
    malformed,        ///< not HTTP, or a body that cannot be read at all
    unreachable,      ///< no TCP connection: refused, no route, unknown host
    tls,              ///< the TLS handshake failed
    timeoutConnect,
    timeoutFirstToken,
    timeoutIdle,
    timeoutTotal,
    suspended, ///< the machine slept during the run: its times mean nothing
    cancelled
};

/// The name in cli.md ("in_stream"); empty for none.
[[nodiscard]] std::string_view toString(ErrorKind kind) noexcept;
[[nodiscard]] std::optional<ErrorKind> errorKindFromString(std::string_view name) noexcept;

} // namespace decodescope
