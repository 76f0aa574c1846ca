#pragma once

#include "core/base/clock.h"

#include <functional>

namespace decodescope {

/// How long this machine has slept since it was started: CLOCK_BOOTTIME runs on meanwhile, CLOCK_MONOTONIC does not.
[[nodiscard]] Duration sleptSinceBoot() noexcept;

/// Tells whether the machine was suspended while something was being measured: a stream that slept has no times worth
/// showing, and CLOCK_MONOTONIC alone would hide it.
class SleepWatch {
public:
    /// `slept`: how long the machine has slept altogether; injected by tests.
    explicit SleepWatch(std::function<Duration()> slept = sleptSinceBoot);

    /// From now on.
    void begin() { m_before = m_slept(); }
    /// Time asleep since begin(); 0 while it is less than kWorthTelling, as the two clocks are not read at once.
    [[nodiscard]] Duration slept() const;

    static constexpr Duration kWorthTelling = std::chrono::milliseconds(100);

private:
    std::function<Duration()> m_slept;
    Duration m_before{};
};

} // namespace decodescope
