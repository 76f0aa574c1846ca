#pragma once

#include <string>
#include <string_view>

/// Halves of surrogate pairs. Some servers write an emoji as two \u escapes and cut between them, so that each delta
/// holds one half. Until the halves meet they are kept as WTF-8: UTF-8 in which a lone half has three bytes of its own.
namespace decodescope {

constexpr bool isHighSurrogate(char32_t c) noexcept {
    return c >= 0xD800 && c <= 0xDBFF;
}
constexpr bool isLowSurrogate(char32_t c) noexcept {
    return c >= 0xDC00 && c <= 0xDFFF;
}
constexpr char32_t joinSurrogates(char32_t high, char32_t low) noexcept {
    return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
}

/// Appends any code point or half pair; `c` at most 0x10FFFF.
void appendWtf8(std::string& out, char32_t c);

/// Whether WTF-8 text ends with a high half, which the text to come may complete.
[[nodiscard]] bool endsWithHighHalf(std::string_view wtf8) noexcept;

/// Joins halves that stand side by side and turns each that stays alone into U+FFFD. The result is valid UTF-8.
[[nodiscard]] std::string wtf8ToUtf8(std::string_view wtf8);

} // namespace decodescope
