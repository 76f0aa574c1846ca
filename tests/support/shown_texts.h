#pragma once

#include <QByteArray>
#include <QStringList>

namespace decodescope::test {

/// Every text that the program's windows show or tell: all text properties of all objects, cells and headers of tables
/// in every role, lists, scenes, and what a screen reader is told. A password field counts as what it displays.
[[nodiscard]] QByteArray shownTexts();

/// What would be read as markup though it is not ours: labels that guess, and tool tips (of widgets, actions and cells)
/// whose markup has anything but our own plain frame. Each with what it is; empty when all is well.
[[nodiscard]] QStringList markupShown();

/// The clipboard, in all its formats, and the selection.
[[nodiscard]] QByteArray clipboardTexts();

} // namespace decodescope::test
