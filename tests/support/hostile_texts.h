#pragma once

#include <string>
#include <utility>
#include <vector>

namespace decodescope::test {

/// Names and bytes of tests/data/hostile_texts.txt: what a stranger may put where a text is expected. Not all are
/// UTF-8.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> hostileTexts();

} // namespace decodescope::test
