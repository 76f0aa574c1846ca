#pragma once

#include "engine/cpu/isa.h"
#include "engine/cpu/thread_pool.h"

#include <cstddef>
#include <span>

namespace decodescope::engine {

/// How fast the pool's threads read memory together, in 1e9 bytes per second: the best of a few passes over the
/// weights, or over memory of its own where there are too few of them to leave the caches.
[[nodiscard]] double measureReadBandwidth(ThreadPool& pool, Isa isa, std::span<const std::byte> weights);

} // namespace decodescope::engine
