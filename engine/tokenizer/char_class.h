#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

/// The classes of characters that pre-tokenizers tell apart.
namespace decodescope::engine {

using CharClass = std::uint16_t;

// Bits, so that a class of several kinds is one test.
inline constexpr CharClass kOther = 1U << 0;       ///< control, format, private, unassigned
inline constexpr CharClass kUpper = 1U << 1;       ///< Lu, Lt
inline constexpr CharClass kLower = 1U << 2;       ///< Ll
inline constexpr CharClass kCaseless = 1U << 3;    ///< Lm, Lo
inline constexpr CharClass kMark = 1U << 4;        ///< M
inline constexpr CharClass kNumber = 1U << 5;      ///< N
inline constexpr CharClass kSpace = 1U << 6;       ///< Z and the blanks of ASCII, without the two below
inline constexpr CharClass kNewline = 1U << 7;     ///< carriage return, line feed
inline constexpr CharClass kPunctuation = 1U << 8; ///< P
inline constexpr CharClass kSymbol = 1U << 9;      ///< S
/// A byte of a character after its first. In every run test too, so that a run of bytes is a run of characters.
inline constexpr CharClass kContinuation = 1U << 15;

inline constexpr CharClass kLetter = kUpper | kLower | kCaseless;
inline constexpr CharClass kBlank = kSpace | kNewline;

[[nodiscard]] CharClass charClass(char32_t codePoint) noexcept;

/// One class for each byte of a well-formed text: that of the character at its first byte, then kContinuation.
void classify(std::string_view text, std::vector<CharClass>& classes);

} // namespace decodescope::engine
