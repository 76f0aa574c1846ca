#pragma once

#include "core/base/clock.h"

#include <cstdint>
#include <string>

namespace decodescope {

/// What one read of the socket returned. Stamped right after the read, before anything looked at the bytes;
/// never re-stamped. Reads of one exchange are numbered from 0.
struct ByteChunk {
    Instant at{};
    std::uint32_t read = 0;
    std::string bytes;
};

} // namespace decodescope
