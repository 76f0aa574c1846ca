#include "core/net/tls_words.h"

#include <fmt/format.h>

namespace decodescope {

std::string untrustedCertificate(std::string_view place, std::string_view why, std::string_view fingerprint,
                                 std::string_view pinned, std::string_view trouble) {
    if (!trouble.empty())
        return fmt::format("{} {}", untrustedCertificate(place, why, fingerprint, pinned), trouble);
    const std::string_view stop = why.ends_with('.') ? "" : ".";
    if (!pinned.empty())
        return fmt::format("The certificate of {} is not the one that is pinned for it, and no authority vouches for "
                           "it: {}{} Its {}{}. If the server got a new certificate, pin that one; otherwise somebody "
                           "may sit in between.",
                           place, why, stop, kFingerprintIs, fingerprint);
    return fmt::format("The certificate of {} is not trusted: {}{} Its {}{}. If this is your own server, trust this "
                       "certificate by its fingerprint, name it as an extra authority, or allow invalid certificates "
                       "for this endpoint.",
                       place, why, stop, kFingerprintIs, fingerprint);
}

std::string noTls(std::string_view place, std::string_view why) {
    return fmt::format("No TLS connection to {} could be made{}{}. Does the server speak https there?", place,
                       why.empty() ? "" : ": ", why);
}

std::string closedInHandshake(std::string_view place) {
    return fmt::format("{} closed the connection during the TLS handshake. Does the server speak https there?", place);
}

} // namespace decodescope
