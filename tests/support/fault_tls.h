#pragma once

#include "tests/support/fault_server.h"

#include <memory>
#include <openssl/ssl.h>
#include <string>

namespace decodescope::fault {

struct SslContextDeleter {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};

/// A server's TLS side with a certificate made on the spot.
struct TlsServerContext {
    std::unique_ptr<SSL_CTX, SslContextDeleter> context;
    std::string certificatePem; ///< what a client is to trust
    std::string fingerprint;    ///< of the server's own certificate, "AB:CD:..."
};

/// Throws std::runtime_error when OpenSSL refuses: a fault of the test's own set-up.
[[nodiscard]] TlsServerContext makeTlsServerContext(const TlsOptions& options);

} // namespace decodescope::fault
