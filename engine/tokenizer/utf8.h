#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// UTF-8 as Unicode defines it (no overlong forms, no surrogates, at most U+10FFFF), for text that may be broken.
namespace decodescope::engine {

inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD"; ///< U+FFFD

/// What lies at the start of a text.
struct Utf8Step {
    enum class Kind : std::uint8_t {
        whole,      ///< a code point of `bytes` bytes
        incomplete, ///< the text ends within a code point that further bytes may complete: all `bytes` that are left
        illFormed   ///< `bytes` bytes that belong to no code point: a maximal part, as Unicode recommends to replace
    };
    Kind kind = Kind::whole;
    std::uint8_t bytes = 1;
    char32_t codePoint = 0;
};

/// `text` is not empty.
[[nodiscard]] Utf8Step utf8Step(std::string_view text) noexcept;

/// The length of the longest well-formed beginning.
[[nodiscard]] std::size_t wellFormedPrefix(std::string_view text) noexcept;

/// Every single byte outside of well-formed code points replaced by U+FFFD: how byte-level vocabularies read them.
[[nodiscard]] std::string replaceIllFormedBytes(std::string_view text);

/// How many bytes the lead byte announces, whatever follows: 1 to 4. A stray continuation byte counts as one.
[[nodiscard]] inline std::size_t announcedLength(char lead) noexcept {
    const auto byte = static_cast<unsigned char>(lead);
    return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

} // namespace decodescope::engine
