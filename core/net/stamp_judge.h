#pragma once

#include "core/net/kernel_clock.h"
#include "core/wire/stream_event.h"

#include <optional>

namespace decodescope {

/// Decides which stamp each read of one connection gets, and keeps the account that StampReport is.
///
/// The kernel's stamp is a wall-clock time: it is believed as it stands between the last moment that is known to lie
/// before the read's bytes came (the previous kernel stamp, or the connection's beginning) and the moment at which the
/// read had them. Outside, the clocks are compared anew. If the wall clock was stepped, the moment of the read is the
/// stamp, and the report says so. If it was not, a packet came before one that precedes it in the stream, as happens
/// when that was lost and sent again: its bytes count from when the stream had no hole. Stamps never run backwards.
class StampJudge {
public:
    /// Nothing arrived before `since`.
    StampJudge(KernelClock& clock, Instant since)
        : m_clock(&clock)
        , m_floor(since)
        , m_last(since) {}

    /// The stamp of a read. `kernelWall` is what the kernel says (absent: it says nothing), `had` the moment right
    /// after the read.
    [[nodiscard]] Instant stamp(std::optional<Duration> kernelWall, Instant had);
    [[nodiscard]] StampReport report() const;
    /// Another run begins on the connection: its account starts empty.
    void beginAnew();

private:
    [[nodiscard]] Instant withoutKernel(Instant had);

    KernelClock* m_clock;
    Instant m_floor; // no byte that is still to be read came before
    Instant m_last;  // the last stamp given
    std::uint32_t m_kernelStamps = 0;
    std::uint32_t m_rejected = 0;
    std::uint32_t m_userStamps = 0;
    Duration m_largestError{};
    Duration m_largestLag{};
};

} // namespace decodescope
