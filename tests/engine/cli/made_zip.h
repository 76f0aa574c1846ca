#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace decodescope::engine::test {

enum class ZipMethod : std::uint16_t { stored = 0, deflated = 8 };

struct ZipPart {
    std::string name;
    std::string text;
    ZipMethod method = ZipMethod::deflated;
};

/// A zip archive with these parts, and a comment at its end.
[[nodiscard]] std::string madeZip(const std::vector<ZipPart>& parts, const std::string& comment = {});

} // namespace decodescope::engine::test
