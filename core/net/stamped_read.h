#pragma once

#include "core/base/clock.h"

#include <cstddef>
#include <optional>

namespace decodescope {

/// Asks the kernel to stamp what arrives on a socket: software receive stamps, taken when a packet enters the network
/// stack. A kernel that cannot is no error; its reads then carry no stamp.
void askForStamps(int descriptor);

/// What one recvmsg gave.
struct StampedRead {
    enum class Outcome { bytes, nothingYet, end, error };
    Outcome outcome = Outcome::nothingYet;
    std::size_t size = 0;
    int error = 0; ///< errno, with `error`
    /// When the packet with the read's last byte came, as CLOCK_REALTIME since 1970. TCP joins packets that wait in the
    /// receive queue and keeps the stamp of the later one, and a read over several packets gets the last one's stamp:
    /// what merged is never stamped too early, and its first bytes are stamped late by what they waited. Only a packet
    /// that overtook a lost one is older than the moment from which its bytes could be read (StampJudge).
    std::optional<Duration> kernelWall;
};

/// Reads once, without waiting.
[[nodiscard]] StampedRead readStamped(int descriptor, char* buffer, std::size_t size);

} // namespace decodescope
