#pragma once

#include <cstddef>

namespace decodescope::engine {

/// How far ahead of where weights are read they are asked for: past the end of the page, where the processor's own
/// prefetching ends. Into the second-level cache: the first is full of inputs.
inline constexpr int kPrefetchBytes = 4096;

/// Asks for the lines of `bytes` bytes ahead of `from`. Inlined by force: GCC drops calls of functions that do nothing
/// but prefetch.
template <int bytes> [[gnu::always_inline]] static inline void prefetch(const std::byte* from) {
    for (int line = 0; line < (bytes + 63) / 64; ++line)
        __builtin_prefetch(from + kPrefetchBytes + 64 * line, 0, 2);
}

} // namespace decodescope::engine
