#include "core/wire/surrogates.h"

#include "core/base/utf8.h"

namespace decodescope {
namespace {

/// The half at `at`, or 0 where none stands. A half is ED A0..BF xx.
char32_t halfAt(std::string_view s, std::size_t at) noexcept {
    if (at + 3 > s.size() || s[at] != '\xED' || static_cast<unsigned char>(s[at + 1]) < 0xA0)
        return 0;
    return 0xD000U | (static_cast<char32_t>(s[at + 1] & 0x3F) << 6) | static_cast<char32_t>(s[at + 2] & 0x3F);
}

} // namespace

void appendWtf8(std::string& out, char32_t c) {
    if (isHighSurrogate(c) || isLowSurrogate(c)) {
        out += '\xED';
        out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (c & 0x3F));
    } else {
        appendUtf8(out, c);
    }
}

bool endsWithHighHalf(std::string_view wtf8) noexcept {
    return wtf8.size() >= 3 && isHighSurrogate(halfAt(wtf8, wtf8.size() - 3));
}

std::string wtf8ToUtf8(std::string_view wtf8) {
    std::string out;
    out.reserve(wtf8.size());
    for (std::size_t i = 0; i < wtf8.size();) {
        const char32_t half = halfAt(wtf8, i);
        if (half == 0) {
            out += wtf8[i++];
            continue;
        }
        i += 3;
        const char32_t second = isHighSurrogate(half) ? halfAt(wtf8, i) : 0;
        if (isLowSurrogate(second)) {
            appendUtf8(out, joinSurrogates(half, second));
            i += 3;
        } else {
            appendUtf8(out, half); // becomes U+FFFD
        }
    }
    return out;
}

} // namespace decodescope
