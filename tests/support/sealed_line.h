#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace decodescope::test {

/// A line of a recording of any content with a right hash, as a later version or an attacker would write it. `body` is
/// an object without its last brace.
inline std::string sealedLine(std::string_view body) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(XXH3_64bits(body.data(), body.size())));
    return std::string(body) + ",\"xx\":\"" + digits + "\"}\n";
}

} // namespace decodescope::test
