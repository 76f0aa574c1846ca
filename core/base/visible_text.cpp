#include "core/base/visible_text.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace decodescope {

namespace {

struct Range {
    char32_t first, last;
};
constexpr std::array<Range, 14> kHidden{{{0x00AD, 0x00AD},     // soft hyphen
                                         {0x034F, 0x034F},     // grapheme joiner
                                         {0x061C, 0x061C},     // Arabic letter mark
                                         {0x115F, 0x1160},     // Hangul fillers
                                         {0x17B4, 0x17B5},     // inherent vowels
                                         {0x180E, 0x180E},     // Mongolian vowel separator
                                         {0x200B, 0x200F},     // zero width, direction marks
                                         {0x2028, 0x202E},     // separators, embeddings, overrides
                                         {0x2060, 0x206F},     // joiner, invisible operators, isolates
                                         {0x3164, 0x3164},     // Hangul filler
                                         {0xFEFF, 0xFEFF},     // byte order mark
                                         {0xFFA0, 0xFFA0},     // half-width filler
                                         {0xFFF9, 0xFFFB},     // annotation
                                         {0xE0000, 0xE007F}}}; // tags

void appendHex(std::string& out, std::uint32_t value, int digits) {
    static constexpr char kDigits[] = "0123456789abcdef";
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
        out += kDigits[(value >> shift) & 15];
}

void appendJsonEscape(std::string& out, char32_t c) {
    const auto unit = [&out](std::uint32_t value) {
        out += "\\u";
        appendHex(out, value, 4);
    };
    if (c < 0x10000) {
        unit(c);
        return;
    }
    unit(0xD800 + ((c - 0x10000) >> 10));
    unit(0xDC00 + ((c - 0x10000) & 0x3FF));
}

} // namespace

bool isControlCharacter(char32_t c) noexcept {
    return c < 0x20 || (c >= 0x7F && c < 0xA0);
}

bool isHiddenCharacter(char32_t c) noexcept {
    return std::any_of(kHidden.begin(), kHidden.end(),
                       [c](const Range& range) { return c >= range.first && c <= range.last; });
}

char32_t takeCodePoint(std::string_view utf8, std::size_t& at) noexcept {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(utf8[i]); };
    const unsigned char lead = byte(at);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    char32_t point = length == 1 ? lead : lead & (0xFFU >> (length + 1));
    for (std::size_t k = 1; k < length; ++k)
        point = (point << 6) | (byte(at + k) & 0x3FU);
    at += length;
    return point;
}

std::string visibleText(std::string_view text, LineBreaks lines) {
    const std::string valid = repairUtf8(text).text;
    std::string out;
    out.reserve(valid.size());
    for (std::size_t i = 0; i < valid.size();) {
        const std::size_t begin = i;
        const char32_t c = takeCodePoint(valid, i);
        if (c == '\n' || c == '\t') {
            out += lines == LineBreaks::keep ? static_cast<char>(c) : ' ';
        } else if (isControlCharacter(c)) {
            out += "\\x";
            appendHex(out, c, 2);
        } else if (isHiddenCharacter(c)) {
            out += "\\u{";
            appendHex(out, c, c > 0xFFFF ? 5 : 4);
            out += '}';
        } else {
            out.append(valid, begin, i - begin);
        }
    }
    return out;
}

std::string visibleJson(std::string json) {
    // Such characters stand in strings alone: outside them JSON has but ASCII, of which line feed and tab are layout.
    const auto plain = [](unsigned char c) { return c < 0x7F; };
    if (std::all_of(json.begin(), json.end(), plain))
        return json;
    std::string out;
    out.reserve(json.size() + 64);
    for (std::size_t i = 0; i < json.size();) {
        const std::size_t begin = i;
        const char32_t c = takeCodePoint(json, i);
        if (c >= 0x7F && (isControlCharacter(c) || isHiddenCharacter(c)))
            appendJsonEscape(out, c);
        else
            out.append(json, begin, i - begin);
    }
    return out;
}

} // namespace decodescope
