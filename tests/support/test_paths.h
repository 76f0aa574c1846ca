#pragma once

#include <string>
#include <string_view>

/// Where tests find their files. The paths of the checkout are compiled into this one object alone, so that the
/// compiler's cache serves every other object of the tests in any checkout.
namespace decodescope::test {

/// A file under tests/data: testData("wirecases/cases.json").
[[nodiscard]] std::string testData(std::string_view name);
/// A script or another file under tests/support.
[[nodiscard]] std::string supportFile(std::string_view name);
/// A program or library as this build made it, by its path in the build folder: "bin/decodescope-engine".
[[nodiscard]] std::string builtFile(std::string_view name);

} // namespace decodescope::test
