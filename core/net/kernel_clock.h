#pragma once

#include "core/base/clock.h"

#include <memory>

namespace decodescope {

/// The two clocks that a kernel stamp has to do with. Injected, so that tests step the wall clock.
class ClockPair {
public:
    virtual ~ClockPair() = default;
    /// CLOCK_MONOTONIC: what every stamp of ours is in.
    [[nodiscard]] virtual Instant monotonic() const noexcept = 0;
    /// CLOCK_REALTIME since 1970: what the kernel stamps packets with.
    [[nodiscard]] virtual Duration wall() const noexcept = 0;
};

/// The clocks of this machine.
[[nodiscard]] std::shared_ptr<const ClockPair> systemClocks();

/// Turns the kernel's wall-clock stamps into instants of the monotonic clock.
///
/// Linux runs both clocks off one timekeeper, so their difference does not drift, also while the rate of both is being
/// disciplined; it changes in steps alone (somebody sets the time, a leap second, a machine that slept). The difference
/// is therefore measured by brackets (monotonic, wall, monotonic; the narrowest of several), measured anew each second,
/// and every read looks by one quick bracket whether it still holds. Network thread only.
class KernelClock {
public:
    explicit KernelClock(std::shared_ptr<const ClockPair> clocks = systemClocks());

    [[nodiscard]] Instant now() const noexcept { return m_clocks->monotonic(); }
    /// To be called after a read that was stamped `now`: measures anew when the last time is a second ago or when a
    /// step shows.
    void look(Instant now);
    /// Measures the difference anew.
    void measure();

    [[nodiscard]] Instant monotonicOf(Duration wall) const noexcept { return Instant(wall + m_offset); }
    /// What a converted stamp may be wrong by: half the bracket that the difference comes from, and what the difference
    /// had moved by when it was measured, where that was too little for a step.
    [[nodiscard]] Duration error() const noexcept { return m_halfBracket + m_moved; }
    /// The clocks have been seen to agree with the present difference from here on: a stamp that converts to an earlier
    /// instant may have been taken before the wall clock was stepped.
    [[nodiscard]] Instant trustedSince() const noexcept { return m_trustedSince; }

private:
    /// How far a difference of `low` to `high` lies from what is known of it; 0 when both may be true.
    [[nodiscard]] Duration shift(Duration low, Duration high) const noexcept;

    std::shared_ptr<const ClockPair> m_clocks;
    Duration m_offset{}; // monotonic minus wall
    Duration m_halfBracket{};
    Duration m_moved{}; // what the last measurement found it off by
    Instant m_measuredAt{};
    Instant m_trustedSince{};
    bool m_measured = false;
};

} // namespace decodescope
