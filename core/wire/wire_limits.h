#pragma once

#include <cstddef>

namespace decodescope {

/// Limits of a response (reliability.md section 8). Passing one ends the stream as `too_large`.
struct WireLimits {
    std::size_t headerBytes = 64U << 10;
    std::size_t eventBytes = 16U << 20; ///< one line, and one event
    std::size_t bodyBytes = 256U << 20; ///< after inflating
    std::size_t messages = 2'000'000;
    std::size_t errorBodyBytes = 64U << 10;
    int jsonDepth = 64;
};

} // namespace decodescope
