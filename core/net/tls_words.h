#pragma once

#include "core/base/fingerprint.h"

#include <string>
#include <string_view>

/// What every transport says when TLS fails, so that a fault reads the same whoever found it.
namespace decodescope {

/// A certificate that nobody vouches for: why, its fingerprint, and what to try. With `pinned` not empty another
/// certificate is trusted here, and the sentence warns. `trouble`: a sentence on what is wrong with our own trust.
[[nodiscard]] std::string untrustedCertificate(std::string_view place, std::string_view why,
                                               std::string_view fingerprint, std::string_view pinned,
                                               std::string_view trouble = {});
/// No handshake came about. `why` may be empty.
[[nodiscard]] std::string noTls(std::string_view place, std::string_view why);
[[nodiscard]] std::string closedInHandshake(std::string_view place);

} // namespace decodescope
