#pragma once

#include <string_view>

namespace decodescope {

/// What a body is by its first bytes.
enum class BodyKind {
    undecided, ///< more bytes are needed
    sse,
    object, ///< a JSON object, or lines of them
    array,  ///< a JSON array
    html,
    binary, ///< control characters: no text at all
    other
};

/// Looks at the beginning of a body. Content types are wrong often enough (streams sent as JSON or plain text, login
/// pages under 200) that the bytes have the last word.
[[nodiscard]] BodyKind sniffBody(std::string_view beginning) noexcept;

/// The text without the mark that some servers of Windows put before everything.
[[nodiscard]] std::string_view withoutByteOrderMark(std::string_view text) noexcept;

/// The media type of a Content-Type header, without parameters, in lower case, ASCII only.
[[nodiscard]] bool isMediaType(std::string_view contentType, std::string_view lowerCaseType) noexcept;

} // namespace decodescope
