#pragma once

#include <string>
#include <string_view>

/// Base64 of RFC 4648 section 4, with padding: how a recording holds raw bytes.
namespace decodescope {

void appendBase64(std::string& out, std::string_view bytes);
/// Replaces `out`. False, with `out` empty, for anything that is not exactly what appendBase64 writes.
[[nodiscard]] bool decodeBase64(std::string_view text, std::string& out);

} // namespace decodescope
