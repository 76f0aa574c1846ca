#pragma once

#include "engine/tokenizer/char_class.h"

#include <cstddef>

/// Hand-written forms of the regular expressions by which byte-level vocabularies cut text into pieces before any
/// merging. Each finds the end of the piece that starts at a position, and takes time linear in what it looks at.
namespace decodescope::engine {

/// A text that is being cut: bytes, their classes, and where it ends.
struct ScannedText {
    const char* bytes = nullptr;
    const CharClass* classes = nullptr;
    std::size_t end = 0;

    [[nodiscard]] bool has(std::size_t at, CharClass wanted) const noexcept {
        return at < end && (classes[at] & wanted) != 0;
    }
    [[nodiscard]] bool isByte(std::size_t at, char byte) const noexcept { return at < end && bytes[at] == byte; }
    /// The end of the run of characters of the wanted classes at a character's start; `at` itself when there is none.
    [[nodiscard]] std::size_t runEnd(std::size_t at, CharClass wanted) const noexcept {
        if (!has(at, wanted)) {
            return at;
        }
        while (at < end && (classes[at] & (wanted | kContinuation)) != 0) {
            ++at;
        }
        return at;
    }
    [[nodiscard]] std::size_t characterEnd(std::size_t at) const noexcept {
        do {
            ++at;
        } while (at < end && classes[at] == kContinuation);
        return at;
    }
    /// The start of the character that ends at `at`.
    [[nodiscard]] std::size_t characterBefore(std::size_t at) const noexcept {
        do {
            --at;
        } while (classes[at] == kContinuation);
        return at;
    }
};

/// The end of the piece that starts at `at`, which is less than the text's end; more than `at`.
using PieceScanner = std::size_t (*)(const ScannedText& text, std::size_t at);

// Whole rules.
[[nodiscard]] std::size_t scanGpt2(const ScannedText& text, std::size_t at);
[[nodiscard]] std::size_t scanLlama3(const ScannedText& text, std::size_t at); ///< digits in threes
[[nodiscard]] std::size_t scanQwen2(const ScannedText& text, std::size_t at);  ///< digits one by one
[[nodiscard]] std::size_t scanTekken(const ScannedText& text, std::size_t at); ///< words by case
[[nodiscard]] std::size_t scanGpt4o(const ScannedText& text, std::size_t at);  ///< words by case, with contractions

// Cuts that come before or after a whole rule: what is not cut out stays one piece.
[[nodiscard]] std::size_t scanSingleNumbers(const ScannedText& text, std::size_t at);
[[nodiscard]] std::size_t scanNumberRuns(const ScannedText& text, std::size_t at);
[[nodiscard]] std::size_t scanDigitTriples(const ScannedText& text, std::size_t at);
[[nodiscard]] std::size_t scanPunctuationRuns(const ScannedText& text, std::size_t at);

} // namespace decodescope::engine
