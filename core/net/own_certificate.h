#pragma once

#include "core/base/error.h"

#include <memory>
#include <string>

struct ssl_ctx_st;
struct x509_st;

namespace decodescope {

/// SHA-256 of a certificate as it is shown and pinned, "AB:CD:..."; empty where there is none.
[[nodiscard]] std::string certificateDigest(const x509_st* certificate);

/// The server's side of TLS between this machine and itself: key and certificate are made on the spot, and nobody has
/// signed for them, so that it is trusted by those alone who pin it.
struct OwnCertificate {
    std::shared_ptr<ssl_ctx_st> context;
    std::string sha256; ///< what to pin
};
/// Fails with ErrorCode::internal where the TLS library cannot.
[[nodiscard]] Result<OwnCertificate> makeOwnCertificate();

} // namespace decodescope
