// Models whose numbers contradict themselves more or less: refused, or a plan that runs within its tensors.
#include "engine/gguf/gguf_file.h"
#include "engine/reference/reference_backend.h"
#include "tests/engine/support/memory_file.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/made_numbers.h"

#include <array>
#include <fuzzer/FuzzedDataProvider.h>

using namespace decodescope::engine;
using namespace decodescope::engine::test;

namespace {

void run(const ModelPlan& plan) {
    BackendOptions options;
    options.kvBlocks = 2;
    options.maxRows = 4;
    options.maxLogitsRows = 4;
    const auto backend = makeReferenceBackend(plan, options);
    if (!backend)
        return expectSentence(backend.error().message);
    const std::array<TokenId, 3> tokens{0, static_cast<TokenId>(plan.vocabulary) - 1, 0};
    const std::array<std::uint32_t, 2> blocks{1, 0};
    const std::array slices{SequenceSlice{tokens, 0, blocks, 1}, SequenceSlice{}};
    const auto output = (*backend)->step(std::span(slices).first(1));
    if (!output)
        return expectSentence(output.error().message);
    expect(output->logits.size() == std::size_t{2} * plan.vocabulary, "logits of the rows that were asked for");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static MemoryFile file("");
    FuzzedDataProvider in(data, size);
    file.put(madeModel(in).bytes());
    const auto opened = GgufFile::open(file.path());
    if (!opened) {
        expectSentence(opened.error().message);
        return 0;
    }
    const Result<ModelPlan> plan = buildPlan(**opened);
    if (!plan)
        expectSentence(plan.error().message);
    else
        run(*plan);
    return 0;
}
