#pragma once

#include "core/base/error.h"
#include "core/base/secret.h"
#include "core/source/request.h"

#include <string>
#include <string_view>

namespace decodescope {

/// "Decodescope/x.y.z": who we say we are to servers.
[[nodiscard]] std::string_view userAgent() noexcept;

/// The bytes of a POST with a JSON body, head and body in one piece so that they leave in one write. Asks for an
/// uncompressed answer: a compressor on the way would hold tokens back. The result holds the key: it is for the
/// socket alone. Fails when the key has bytes that a header cannot carry.
[[nodiscard]] Result<std::string> httpPost(const Url& url, const RequestHead& head, std::string_view body,
                                           const Secret* key);

/// Rewrites a request of httpPost() for a proxy that forwards it: the whole address in its first line, and the proxy's
/// login among its headers. `origin` is "http://host:port". The bytes given are wiped.
void addressToProxy(std::string& request, std::string_view origin, std::string_view authorization);

/// The bytes of a GET, likewise.
[[nodiscard]] Result<std::string> httpGet(const Url& url, const RequestHead& head, const Secret* key);

/// Whether the key may go out as the spec has it, asked before every use; from then on no text for people shows it.
/// Never in the clear to another machine unless confirmed.
[[nodiscard]] Result<void> checkKeyUse(const Url& url, const EndpointSpec& endpoint, const Secret* key);

/// Whether a header can carry these bytes: visible ASCII without spaces.
[[nodiscard]] bool isHeaderSafe(std::string_view key) noexcept;

} // namespace decodescope
