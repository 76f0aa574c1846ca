// What `explain` prints of any file, in any cut.
#include "app/explain.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/wire_input.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace decodescope;
using namespace decodescope::test;
using engine::test::expect;
using nlohmann::json;

namespace {

/// The object without what tells how the bytes were cut.
json explained(const WireInput& input, std::size_t splitBytes, const std::vector<std::uint64_t>& splits) {
    ExplainOptions options;
    options.protocol = input.options.protocol;
    options.thinkTags = input.options.thinkTags;
    options.cumulative = input.options.cumulative;
    options.splitBytes = splitBytes;
    options.splits = splits;
    const Result<std::string> text = explainBytes(input.bytes, options);
    expect(text.has_value(), "every file is explained");
    json found = json::parse(*text, nullptr, false);
    expect(!found.is_discarded(), "JSON", *text);
    expect(found["reads"].get<std::size_t>() <= input.bytes.size(), "no read is empty");
    expect(found["token_events"] <= found["events"], "token events are events", *text);
    expect(found["status"] != "complete" || found["error_kind"].is_null(), "a complete answer has no error", *text);
    expect(found["status"] == "complete" || found["error_kind"].is_string(), "an error has a kind", *text);
    found.erase("reads");
    json& warnings = found["warnings"];
    warnings.erase(std::remove(warnings.begin(), warnings.end(), "burst"), warnings.end());
    return found;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const WireInput input = readWireInput(data, size);
    const json whole = explained(input, 0, {});
    const auto cuts = someCuts(input.bytes.size(), input.cutSeed);
    expect(explained(input, 1, {}) == whole, "the same byte by byte", whole.dump());
    expect(explained(input, 0, {cuts.begin(), cuts.end()}) == whole, "the same at splits", whole.dump());
    return 0;
}
