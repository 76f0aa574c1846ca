// Any file, through everything that is done with it before weights are read: refused with a sentence or described.
#include "engine/cli/facts_report.h"
#include "engine/gguf/dequantize.h"
#include "tests/engine/support/memory_file.h"
#include "tests/engine/support/survey.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/mutated_model.h"

#include <vector>

using namespace decodescope::engine;
using namespace decodescope::engine::test;

namespace {

/// Each getter on each key, and the first and last row of each tensor that we decode.
void readEverything(const GgufFile& file) {
    for (const std::string_view key : file.keys()) {
        (void)file.unsignedInteger(key);
        (void)file.real(key);
        (void)file.flag(key);
        (void)file.text(key);
        (void)file.texts(key);
        (void)file.reals(key);
        (void)file.integers(key);
    }
    for (const TensorView& tensor : file.tensors()) {
        expect(file.tensor(tensor.name) == &tensor, "tensors are found by their names");
        const TensorTypeInfo* const info = tensorTypeInfo(tensor.typeId);
        if (info == nullptr || !info->supported)
            continue;
        std::vector<float> row(tensor.rowElements());
        dequantize(tensor.type(), tensor.data, row);
        dequantize(tensor.type(), tensor.data + (tensor.rows() - 1) * tensor.rowBytes(), row);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static MemoryFile file("");
    file.put(mutatedModel(data, size));
    const Survey survey = surveyed(file.path());
    for (const std::optional<Error>* error : {&survey.opening, &survey.plan, &survey.tokenizer, &survey.chat})
        if (*error)
            expectSentence((*error)->message);
    if (survey.opening)
        return 0;
    const auto opened = GgufFile::open(file.path());
    expect(opened.has_value(), "a file opens twice");
    readEverything(**opened);
    const ModelFacts facts = collectFacts(**opened);
    expect(facts.supported() == survey.runs(), "inspect tells what is so");
    expect(factsAsPage(facts).find('\x1B') == std::string::npos, "no escapes on the page");
    expect(factsAsJson(facts).find('\n') == std::string::npos, "one line of JSON");
    return 0;
}
