#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// UTF-8 by the Unicode standard, table 3-7: maximal ill-formed subparts become one U+FFFD each.
namespace decodescope {

struct Utf8Repair {
    std::string text;     ///< valid UTF-8
    bool changed = false; ///< whether a U+FFFD was put in
};

[[nodiscard]] bool isValidUtf8(std::string_view bytes) noexcept;
[[nodiscard]] Utf8Repair repairUtf8(std::string_view bytes);
/// Appends a code point; a surrogate or a value over 0x10FFFF becomes U+FFFD.
void appendUtf8(std::string& out, char32_t codePoint);
/// Number of code points in valid UTF-8.
[[nodiscard]] std::size_t countCodePoints(std::string_view utf8) noexcept;
/// Number of words: maximal runs of non-white-space code points.
[[nodiscard]] std::size_t countWords(std::string_view utf8) noexcept;

} // namespace decodescope
