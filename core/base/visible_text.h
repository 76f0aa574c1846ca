#pragma once

#include <string>
#include <string_view>

/// Text that is not ours, made visible where it would steer or deceive: a terminal obeys control characters, and marks
/// that turn or hide text make a name look like another one.
namespace decodescope {

/// C0 and C1 controls and delete; line feed and tab are among them.
[[nodiscard]] bool isControlCharacter(char32_t c) noexcept;
/// Characters that are not seen and reorder, join, break or hide what is around them: bidirectional controls,
/// zero-width and format characters, line and paragraph separators, fillers, tags.
[[nodiscard]] bool isHiddenCharacter(char32_t c) noexcept;

/// The code point at `at` of valid UTF-8; steps over it.
[[nodiscard]] char32_t takeCodePoint(std::string_view utf8, std::size_t& at) noexcept;

enum class LineBreaks { keep, asSpaces };
/// Controls as \xNN, hidden characters as \u{NNNN}, ill-formed bytes as U+FFFD. Line feeds and tabs are kept or become
/// spaces.
[[nodiscard]] std::string visibleText(std::string_view text, LineBreaks lines);

/// JSON text with every such character inside its strings written as \uNNNN: the same value, which steers nobody who
/// looks at it.
[[nodiscard]] std::string visibleJson(std::string json);

} // namespace decodescope
