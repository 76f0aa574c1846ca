#pragma once

#include <QString>

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

/// Raw bytes made readable. Nothing here knows a widget.
namespace decodescope {

enum class ByteForm { text, hex };

/// Lines of a read for a monospaced view, and where in them a range of its bytes lies.
struct ByteLines {
    QString text;                            ///< lines joined with '\n'
    std::vector<std::pair<int, int>> marked; ///< begin and length in `text` of the marked bytes, line by line
};

inline constexpr int kHexRow = 16;

using ByteRange = std::pair<std::size_t, std::size_t>; ///< begin and end

/// Text: valid UTF-8 as it stands, line ends and other control bytes as \r \n \t \xNN, a new line after each "\n".
/// Hex: `hexRow` bytes a line with offset and characters.
[[nodiscard]] ByteLines showBytes(std::string_view bytes, ByteForm form, std::optional<ByteRange> mark,
                                  int hexRow = kHexRow);
/// How many bytes a line of hex has where `characters` fit side by side: 16, 8 or 4.
[[nodiscard]] int hexRowFor(int characters);

/// The message in a read that holds the wanted piece of text: from the end of the message before it to its own end.
/// `texts` are the texts of the read's token events in order, `which` is the wanted one. Absent when the bytes do
/// not show it (compressed, or cut by the reads).
[[nodiscard]] std::optional<ByteRange> findEvent(std::string_view bytes, const std::vector<std::string_view>& texts,
                                                 std::size_t which);

} // namespace decodescope
