#include "core/base/fingerprint.h"

#include <cctype>
#include <cstddef>

namespace decodescope {

namespace {

constexpr std::size_t kDigestBytes = 32;
constexpr std::size_t kFingerprintLength = kDigestBytes * 3 - 1;

} // namespace

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
