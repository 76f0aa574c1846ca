#pragma once

#include <string>
#include <string_view>

/// How a certificate is named to people, and found again in what was said of it.
namespace decodescope {

/// What stands before a fingerprint in a sentence.
inline constexpr std::string_view kFingerprintIs = "SHA-256 fingerprint is ";

/// The SHA-256 fingerprint in the one form that is compared and shown, "AB:CD:..."; empty when `text` is none. Takes
/// it in any case, with colons, spaces or nothing between the bytes, and with or without "sha256:" before it.
[[nodiscard]] std::string normalFingerprint(std::string_view text);
/// The fingerprint that stands behind kFingerprintIs in a sentence; empty when there is none.
[[nodiscard]] std::string fingerprintIn(std::string_view sentence);

} // namespace decodescope
