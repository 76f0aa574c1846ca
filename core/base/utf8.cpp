#include "core/base/utf8.h"

namespace decodescope {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool isContinuation(unsigned char b) noexcept { return (b & 0xC0) == 0x80; }

/// Length of the well-formed sequence at `i`, or 0; then `bad` is the length of the maximal ill-formed subpart.
std::size_t sequenceLength(std::string_view s, std::size_t i, std::size_t& bad) noexcept {
    const auto at = [&](std::size_t k) { return static_cast<unsigned char>(s[k]); };
    const unsigned char lead = at(i);
    bad = 1;
    if (lead < 0x80)
        return 1;
    if (lead < 0xC2 || lead > 0xF4)
        return 0;
    const std::size_t need = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    unsigned char low = 0x80;
    unsigned char high = 0xBF;
    if (lead == 0xE0)
        low = 0xA0;
    else if (lead == 0xED)
        high = 0x9F;
    else if (lead == 0xF0)
        low = 0x90;
    else if (lead == 0xF4)
        high = 0x8F;
    for (std::size_t k = 1; k < need; ++k) {
        if (i + k >= s.size())
            return 0;
        const unsigned char b = at(i + k);
        const bool fits = k == 1 ? (b >= low && b <= high) : isContinuation(b);
        if (!fits)
            return 0;
        bad = k + 1;
    }
    return need;
}

} // namespace

bool isValidUtf8(std::string_view bytes) noexcept {
    std::size_t bad = 0;
    for (std::size_t i = 0; i < bytes.size();) {
        const std::size_t n = sequenceLength(bytes, i, bad);
        if (n == 0)
            return false;
        i += n;
    }
    return true;
}

Utf8Repair repairUtf8(std::string_view bytes) {
    Utf8Repair out;
    out.text.reserve(bytes.size());
    std::size_t bad = 0;
    for (std::size_t i = 0; i < bytes.size();) {
        const std::size_t n = sequenceLength(bytes, i, bad);
        if (n == 0) {
            out.text += kReplacement;
            out.changed = true;
            i += bad;
        } else {
            out.text.append(bytes.substr(i, n));
            i += n;
        }
    }
    return out;
}

void appendUtf8(std::string& out, char32_t c) {
    if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) {
        out += kReplacement;
    } else if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += static_cast<char>(0xC0 | (c >> 6));
        out += static_cast<char>(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        out += static_cast<char>(0xE0 | (c >> 12));
        out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (c & 0x3F));
    } else {
        out += static_cast<char>(0xF0 | (c >> 18));
        out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
        out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (c & 0x3F));
    }
}

std::size_t countCodePoints(std::string_view utf8) noexcept {
    std::size_t n = 0;
    for (const char c : utf8)
        n += !isContinuation(static_cast<unsigned char>(c));
    return n;
}

std::size_t countWords(std::string_view utf8) noexcept {
    std::size_t words = 0;
    bool inWord = false;
    for (std::size_t i = 0; i < utf8.size();) {
        const auto c = static_cast<unsigned char>(utf8[i]);
        std::size_t length = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
        bool space = c == ' ' || (c >= '\t' && c <= '\r');
        // U+00A0, U+1680, U+2000..U+200A, U+2028, U+2029, U+202F, U+205F, U+3000: the other white space.
        const std::string_view ch = utf8.substr(i, length);
        if (ch == "\xC2\xA0" || ch == "\xC2\x85" || ch == "\xE1\x9A\x80" || ch == "\xE3\x80\x80" ||
            ch == "\xE2\x80\xA8" || ch == "\xE2\x80\xA9" || ch == "\xE2\x80\xAF" || ch == "\xE2\x81\x9F" ||
            (ch.size() == 3 && ch.substr(0, 2) == "\xE2\x80" && static_cast<unsigned char>(ch[2]) <= 0x8A))
            space = true;
        words += !space && !inWord;
        inWord = !space;
        i += length;
    }
    return words;
}

} // namespace decodescope
