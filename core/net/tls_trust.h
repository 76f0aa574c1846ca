#pragma once

#include "core/base/error.h"
#include "core/net/transport.h"
#include "core/source/request.h"

namespace decodescope {

/// Where to connect for a URL and whom to trust there: the system's authorities, or those of SSL_CERT_FILE and
/// SSL_CERT_DIR in their place when set (as OpenSSL's own programs have it), and the endpoint's extra file.
/// Reads files: not for the network thread.
[[nodiscard]] Result<TransportTarget> targetFor(const Url& url, const EndpointSpec& endpoint);

/// Whether the endpoint's extra file of authorities, where it names one, can be read and holds any.
[[nodiscard]] Result<void> checkAuthorities(const EndpointSpec& endpoint);

} // namespace decodescope
