#include "engine/cli/confinement.h"

#include <algorithm>
#include <sys/prctl.h>
#include <sys/resource.h>

namespace decodescope::engine {

namespace {

void lower(__rlimit_resource_t resource, rlim_t value) noexcept {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0)
        return;
    limit.rlim_cur = std::min(limit.rlim_cur, value);
    limit.rlim_max = std::min(limit.rlim_max, value);
    setrlimit(resource, &limit);
}

} // namespace

void confineToReading() noexcept {
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    lower(RLIMIT_CORE, 0);
    lower(RLIMIT_CPU, 20);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // their shadow memory counts as ours
    lower(RLIMIT_DATA, 512UL << 20);
#endif
}

} // namespace decodescope::engine
