#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace decodescope::test {

/// A raw response with the values that `explain` must find in it, in the form of tests/data/wirecases/cases.json.
struct WireCase {
    std::string id;
    std::string protocol = "openai-chat";
    std::string bytes;
    std::vector<std::uint64_t> splits;
    nlohmann::json expected;
    bool thinkTags = false;
    bool cumulative = false;
};

/// How the bytes are cut into reads.
struct Cut {
    std::string name;
    std::size_t splitBytes = 0;
    std::vector<std::uint64_t> splits;
};

/// The cases whose files lie in tests/data/wirecases.
[[nodiscard]] std::vector<WireCase> filedCases();
[[nodiscard]] std::vector<Cut> cutsOf(const WireCase& wireCase);
/// What explain says of the case at that cut.
[[nodiscard]] nlohmann::json explained(const WireCase& wireCase, const Cut& cut);
/// The first difference from what is expected; empty if there is none. Keys that are not expected are free.
[[nodiscard]] std::string difference(const WireCase& wireCase, const nlohmann::json& found);

} // namespace decodescope::test
