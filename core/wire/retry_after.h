#pragma once

#include "core/wire/stream_event.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace decodescope {

/// Seconds since 1970 of a date in any of the three forms of HTTP (RFC 9110, 5.6.7). Nothing for anything else.
[[nodiscard]] std::optional<std::int64_t> parseHttpDate(std::string_view text);

/// How long the server wants us to wait: `retry-after-ms`, else `Retry-After` in seconds or as a date, which counts
/// from the response's own `Date`. Never negative. Nothing if it does not say.
[[nodiscard]] std::optional<std::int64_t> retryAfterMs(const Headers& headers);

/// The first header of that (lower-case) name; empty if there is none.
[[nodiscard]] std::string_view headerValue(const Headers& headers, std::string_view name);

} // namespace decodescope
