// Recordings. The input holds the lines without the hash that ends each, which is added here: chance would never hit
// it. A line that has one is left as it is.
#include "core/metrics/metrics.h"
#include "core/record/recording.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/wire_input.h"

#include <fmt/format.h>

#include <xxhash.h>

using namespace decodescope;
using namespace decodescope::test;
using engine::test::expect;

namespace {

std::string sealed(std::string_view lines) {
    std::string out;
    while (!lines.empty()) {
        const std::size_t end = lines.find('\n');
        const std::string_view line = lines.substr(0, end);
        lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
        const bool hasHash = line.ends_with("\"}") && line.find("\"xx\":") != std::string_view::npos;
        out.append(line);
        if (!hasHash)
            out +=
                fmt::format(",\"xx\":\"{:08x}\"}}", static_cast<std::uint32_t>(XXH3_64bits(line.data(), line.size())));
        out += '\n';
    }
    return out;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes = sealed(plainInput(data, size));
    const Result<Recording> recording = parseRecording(bytes, "recording");
    if (!recording)
        return 0;
    expect(recording->droppedBytes <= bytes.size(), "no more is dropped than there was");
    for (const auto& run : recording->runs) {
        expect(run->begin() <= run->lastStamp(), "a run does not end before it begins");
        const std::shared_ptr<RunRecord> record = rebuild(*run);
        expect(record != nullptr && record->outcome != Outcome::running, "every run was ended or cut off");
        (void)summarize(*record);
    }
    return 0;
}
