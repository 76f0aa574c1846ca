#pragma once

#include <string>
#include <string_view>

namespace decodescope {

/// A Location made absolute against the URL that was asked for (RFC 3986, section 5.2). Empty if that cannot be done: a
/// relative reference without a base.
[[nodiscard]] std::string resolveReference(std::string_view base, std::string_view reference);

} // namespace decodescope
