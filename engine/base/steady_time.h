#pragma once

#include <cstdint>
#include <time.h>

namespace decodescope::engine {

/// CLOCK_MONOTONIC in nanoseconds: the clock that the application stamps arrivals with.
[[nodiscard]] inline std::int64_t steadyNs() noexcept {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

} // namespace decodescope::engine
