#include "core/net/tls_words.h"

#include <fmt/format.h>

#include <cctype>

namespace decodescope {

namespace {

constexpr std::string_view kFingerprintIs = "SHA-256 fingerprint is ";
constexpr std::size_t kDigestBytes = 32;
constexpr std::size_t kFingerprintLength = kDigestBytes * 3 - 1;

} // namespace

std::string untrustedCertificate(std::string_view place, std::string_view why, std::string_view fingerprint,
                                 std::string_view pinned) {
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

std::string normalFingerprint(std::string_view text) {
    std::string digits;
    if (text.size() > 7 && (text.substr(0, 7) == "sha256:" || text.substr(0, 7) == "SHA256:"))
        text.remove_prefix(7);
    for (const char c : text) {
        if (c == ':' || c == ' ')
            continue;
        if (std::isxdigit(static_cast<unsigned char>(c)) == 0)
            return {};
        digits += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    if (digits.size() != kDigestBytes * 2)
        return {};
    std::string out;
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        if (i > 0)
            out += ':';
        out += digits.substr(i, 2);
    }
    return out;
}

std::string fingerprintIn(std::string_view sentence) {
    const std::size_t at = sentence.find(kFingerprintIs);
    if (at == std::string_view::npos)
        return {};
    return normalFingerprint(sentence.substr(at + kFingerprintIs.size(), kFingerprintLength));
}

} // namespace decodescope
