#pragma once

#include <string>
#include <string_view>

namespace decodescope {

/// Whether a file descriptor (1: stdout, 2: stderr) is a terminal that a person looks at.
[[nodiscard]] bool isTerminal(int descriptor);
/// Columns of the terminal, 80 where unknown.
[[nodiscard]] int terminalColumns(int descriptor);

/// Untrusted text made harmless for a terminal: control characters other than line feed and tab are shown as
/// \xNN, marks that turn or hide text (bidirectional controls, zero-width characters) as \u{NNNN}.
[[nodiscard]] std::string escapeForTerminal(std::string_view text);
/// The same with line feeds and tabs as spaces: one line, cut to at most `columns` code points with an ellipsis.
[[nodiscard]] std::string oneLine(std::string_view text, std::size_t columns);

/// Writes text to stdout, escaped when stdout is a terminal. False when it could not all be written.
[[nodiscard]] bool writeOut(std::string_view text);
/// A line for people on stderr, its secrets masked, escaped when stderr is a terminal.
void tell(std::string_view sentence);

} // namespace decodescope
