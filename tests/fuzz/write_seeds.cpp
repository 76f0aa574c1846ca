// Writes what the fuzzers of the wire start from: every captured case and every case of a rule, in the form of each
// target. Usage: write_seeds FOLDER (one folder a target is made in it).
#include "core/record/recording_format.h"
#include "tests/app/wire_case.h"
#include "tests/app/wire_rules.h"
#include "tests/fuzz/wire_input.h"

#include <filesystem>
#include <fstream>

using namespace decodescope;
using namespace decodescope::test;

namespace {

std::filesystem::path g_folder;

void write(const char* target, std::size_t number, std::string_view bytes) {
    std::filesystem::create_directories(g_folder / target);
    std::ofstream(g_folder / target / std::to_string(number), std::ios::binary) << bytes;
}

std::string_view bodyOf(std::string_view bytes) {
    const std::size_t end = bytes.starts_with("HTTP/") ? bytes.find("\r\n\r\n") : std::string_view::npos;
    return end == std::string_view::npos ? bytes : bytes.substr(end + 4);
}

/// A recording of the case, its lines without their hashes.
std::string recordingOf(const WireCase& wireCase) {
    RunRecord asked;
    asked.spec.endpoint.protocol = wireCase.protocol;
    asked.spec.prompt = "x";
    std::string sealed;
    appendHeaderLine(sealed, {});
    appendLaneLine(sealed, {0, "a", asked.spec});
    appendRunLine(sealed, 0, asked);
    appendMarkLine(sealed, 0, instantFromNs(1), {});
    const std::size_t half = wireCase.bytes.size() / 2;
    appendBytesLine(sealed, 0, instantFromNs(2), 0, std::string_view(wireCase.bytes).substr(0, half));
    appendBytesLine(sealed, 0, instantFromNs(3), 1, std::string_view(wireCase.bytes).substr(half));
    appendEndLine(sealed, 0, instantFromNs(4), ErrorKind::none, {});
    std::string lines;
    for (std::size_t at = 0; at < sealed.size();) {
        const std::size_t end = sealed.find('\n', at);
        const std::size_t hash = sealed.rfind(",\"xx\":", end);
        lines.append(sealed, at, hash - at).append("\n");
        at = end + 1;
    }
    return lines;
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2)
        return 2;
    g_folder = argv[1];
    constexpr std::size_t kLongest = 4096; // of one seed: the fuzzers take no longer ones
    std::vector<WireCase> cases = filedCases();
    for (const auto& group :
         {framingRules(), deltaRules(), countRules(), httpRules(), captureRules(), geminiRules(), ollamaRules(),
          formRules(), responsesRules(), anthropicRules(), nativeRules(), vendorRules()})
        cases.insert(cases.end(), group.begin(), group.end());
    std::size_t number = 0;
    for (const WireCase& wireCase : cases) {
        ++number;
        if (wireCase.bytes.size() > kLongest - 600)
            continue;
        const std::string input = wireInput(wireCase.protocol, wireCase.bytes, wireCase.thinkTags, wireCase.cumulative);
        write("fuzz_dialects", number, input);
        write("fuzz_explain", number, input);
        if (wireCase.bytes.starts_with("HTTP/"))
            write("fuzz_http", number, input);
        const std::string_view body = bodyOf(wireCase.bytes);
        write(wireCase.protocol.starts_with("ollama") ? "fuzz_ndjson"
              : wireCase.protocol == "gemini-array"   ? "fuzz_json_array"
                                                      : "fuzz_sse",
              number, body);
        write("fuzz_journal", number, recordingOf(wireCase));
    }
    return 0;
}
