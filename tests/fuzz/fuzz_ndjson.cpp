// Lines of JSON, and the responses of the protocols that send them.
#include "tests/fuzz/cutter_checks.h"

using namespace decodescope;
using namespace decodescope::test;
using engine::test::expect;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes = plainInput(data, size);
    const Texts texts = checkCuts<LineCutter>(bytes);
    for (const std::string& text : texts.texts)
        expect(text.find('\n') == std::string::npos, "a line has no line feed", text);
    expect(texts.ends == 0, "lines have no end of their own");
    WireInput input;
    input.options.protocol = "ollama-chat";
    input.options.framing = Framing::bodyOnly;
    input.bytes = bytes;
    checkStream(input);
    return 0;
}
