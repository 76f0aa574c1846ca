// Arrays of JSON, against a reader that has the whole, and the responses of the protocol that sends them.
#include "core/base/utf8.h"
#include "core/wire/json_reader.h"
#include "tests/fuzz/cutter_checks.h"

using namespace decodescope;
using namespace decodescope::test;
using engine::test::expect;

namespace {

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first == std::string_view::npos ? std::string_view{}
                                           : text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes = plainInput(data, size);
    const Texts texts = checkCuts<ArrayCutter>(bytes);
    JsonDocument document;
    if (isValidUtf8(bytes) && document.parse(bytes) && document.root().isArray()) {
        expect(texts.ends == 1 && texts.texts.size() == document.root().size(), "every element, and the end", bytes);
        std::size_t i = 0;
        for (const JsonView element : document.root())
            expect(trimmed(texts.texts[i++]) == element.source(), "the elements as they stand", bytes);
    }
    WireInput input;
    input.options.protocol = "gemini-array";
    input.options.framing = Framing::bodyOnly;
    input.bytes = bytes;
    checkStream(input);
    return 0;
}
