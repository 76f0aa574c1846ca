#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace decodescope {

/// "1 event", "2 events": a count with its noun, whose plural takes an s.
[[nodiscard]] inline std::string counted(std::uint64_t n, std::string_view noun) {
    return std::to_string(n) + ' ' + std::string(noun) + (n == 1 ? "" : "s");
}

} // namespace decodescope
