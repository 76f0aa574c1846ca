// Bodies of requests of both APIs.
#include "engine/server/completion_request.h"
#include "tests/fuzz/expect.h"

using namespace decodescope::engine;
using namespace decodescope::engine::test;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view body(reinterpret_cast<const char*>(data), size);
    for (const CompletionApi api : {CompletionApi::chat, CompletionApi::completions}) {
        const auto request = parseCompletionRequest(api, body, {"model", 1'000, false});
        if (!request) {
            expectSentence(request.error().message);
            continue;
        }
        for (const TokenId id : request->promptIds)
            expect(id >= 0 && id < 1'000, "ids of the vocabulary");
    }
    return 0;
}
