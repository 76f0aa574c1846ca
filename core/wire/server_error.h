#pragma once

#include "core/wire/dialect.h"

#include <optional>
#include <string>
#include <string_view>

/// Finding in an answer what the server says went wrong.
namespace decodescope {

/// The `error` member of a message (an object or a string), or the message itself where it is an error by its own word
/// (`"object":"error"`). Nothing for a message without error.
[[nodiscard]] std::optional<ServerError> errorIn(JsonView message);

/// The best that can be said of an object that is known to be an error: its inner `error.message`, `message` or
/// `detail`.
[[nodiscard]] ServerError errorFrom(JsonView object);

/// The same of the body of an error answer: JSON, HTML (its title) or plain text (its beginning). `body` is valid
/// UTF-8. The message is empty if the body says nothing.
[[nodiscard]] ServerError errorFromBody(std::string_view body);

/// The text of an HTML page's title, its white space and entities undone; empty without one.
[[nodiscard]] std::string htmlTitle(std::string_view page);

} // namespace decodescope
