#include "engine/cpu/cpu_backend.h"
#include "engine/reference/reference_backend.h"
#include "tests/engine/llama/probe.h"

#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace decodescope::engine::probe {

namespace {

BackendMaker makerOf(const std::string& name) {
    if (name == "reference")
        return makeReferenceBackend;
    if (name == "cpu")
        return makeCpuBackend;
    stop({ErrorCode::usage, "There is no backend \"" + name + "\" in this build."});
}

} // namespace

void stop(const Error& error) {
    std::fprintf(stderr, "%s\n", error.message.c_str());
    std::exit(exitStatusOf(error.code));
}

LoadedProbe load(const std::string& path, const std::string& backend, int threads, std::uint32_t context,
                 std::uint32_t rows) {
    LoadedProbe probe;
    probe.file = orStop(GgufFile::open(path));
    probe.plan = orStop(buildPlan(*probe.file));
    BackendOptions options;
    options.threads = threads;
    options.kvBlocks = (context + kKvBlockTokens - 1) / kKvBlockTokens;
    options.maxRows = options.maxLogitsRows = rows;
    probe.backend = orStop(makerOf(backend)(probe.plan, options, {}));
    probe.blocks.resize(options.kvBlocks);
    std::iota(probe.blocks.rbegin(), probe.blocks.rend(), 0U); // the last block first: order must not matter
    return probe;
}

} // namespace decodescope::engine::probe
