#include "engine/cli/say.h"

#include <fmt/format.h>

#include <cstdio>

namespace decodescope::engine {

int failed(const Error& error) {
    fmt::print(stderr, "decodescope-engine: {}\n", error.message);
    return exitStatusOf(error.code);
}

int printed(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
        return failed({ErrorCode::disk, "The result could not be written to standard output."});
    return 0;
}

} // namespace decodescope::engine
