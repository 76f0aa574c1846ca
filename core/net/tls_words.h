#pragma once

#include <string>
#include <string_view>

/// What every transport says when TLS fails, so that a fault reads the same whoever found it.
namespace decodescope {

/// A certificate that nobody vouches for: why, its fingerprint, and what to try. With `pinned` not empty another
/// certificate is trusted here, and the sentence warns.
[[nodiscard]] std::string untrustedCertificate(std::string_view place, std::string_view why,
                                               std::string_view fingerprint, std::string_view pinned);
/// No handshake came about. `why` may be empty.
[[nodiscard]] std::string noTls(std::string_view place, std::string_view why);
[[nodiscard]] std::string closedInHandshake(std::string_view place);

/// The SHA-256 fingerprint in the one form that is compared and shown, "AB:CD:..."; empty when `text` is none. Takes
/// it in any case, with colons, spaces or nothing between the bytes, and with or without "sha256:" before it.
[[nodiscard]] std::string normalFingerprint(std::string_view text);
/// The fingerprint that untrustedCertificate() put into a sentence; empty when there is none.
[[nodiscard]] std::string fingerprintIn(std::string_view sentence);

} // namespace decodescope
