#include "tests/support/test_paths.h"

namespace decodescope::test {

std::string testData(std::string_view name) {
    return std::string(DECODESCOPE_SOURCE_FOLDER "/tests/data/").append(name);
}

std::string supportFile(std::string_view name) {
    return std::string(DECODESCOPE_SOURCE_FOLDER "/tests/support/").append(name);
}

std::string builtFile(std::string_view name) {
    return std::string(DECODESCOPE_BUILD_FOLDER "/").append(name);
}

} // namespace decodescope::test
