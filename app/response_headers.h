#pragma once

#include "core/wire/stream_event.h"

#include <string_view>

namespace decodescope {

/// Whether a response header (name in lower case) tells something about the measurement - provider, request id,
/// cache, rate limits, timings - and nothing that opens a door: no cookie, token, key or account.
[[nodiscard]] bool isReportedHeader(std::string_view name);

/// The reported headers in wire order; the values of a repeated name are joined by ", ".
[[nodiscard]] Headers reportedHeaders(const Headers& headers);

} // namespace decodescope
