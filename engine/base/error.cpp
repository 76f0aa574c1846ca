#include "engine/base/error.h"

#include <fmt/format.h>

namespace decodescope::engine {

namespace {

/// Length of the well-formed UTF-8 sequence at the beginning of `text` and its code point; 0 when ill-formed.
struct CodePoint {
    std::size_t length = 0;
    char32_t value = 0;
};

CodePoint codePointAt(std::string_view text) noexcept {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    if (first < 0x80)
        return {1, first};
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() < length)
        return {};
    char32_t value = first & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80U)
            return {};
        value = (value << 6U) | (byte(i) & 0x3FU);
    }
    const bool tooLong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
    if (tooLong || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return {};
    return {length, value};
}

/// Characters that steer a terminal or turn text around rather than show something.
bool invisible(char32_t c) noexcept {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
           (c >= 0x2060 && c <= 0x2069) || c == 0xFEFF || (c >= 0xE0000 && c <= 0xE007F);
}

} // namespace

int exitStatusOf(ErrorCode code) noexcept {
    switch (code) {
    case ErrorCode::internal: return 1;
    case ErrorCode::usage: return 2;
    case ErrorCode::malformed:
    case ErrorCode::unsupported: return 5;
    case ErrorCode::disk: return 8;
    case ErrorCode::memory: return 9;
    case ErrorCode::cancelled: return 130;
    }
    return 1;
}

std::string visible(std::string_view text, std::size_t limit) {
    std::string out;
    while (!text.empty()) {
        if (out.size() >= limit)
            return out + "...";
        const CodePoint c = codePointAt(text);
        if (c.length == 0)
            out += fmt::format("\\x{:02X}", static_cast<unsigned char>(text[0]));
        else if (invisible(c.value))
            out += c.value < 0x100 ? fmt::format("\\x{:02X}", static_cast<unsigned>(c.value))
                                   : fmt::format("\\u{{{:X}}}", static_cast<unsigned>(c.value));
        else
            out.append(text.substr(0, c.length));
        text.remove_prefix(c.length == 0 ? 1 : c.length);
    }
    return out;
}

} // namespace decodescope::engine
