#pragma once

#include "core/net/kernel_clock.h"

#include <atomic>

namespace decodescope {

/// This machine's clocks, with a wall clock that a test steps. Thread-safe.
class SteppedClocks final : public ClockPair {
public:
    [[nodiscard]] Instant monotonic() const noexcept override { return m_system->monotonic(); }
    [[nodiscard]] Duration wall() const noexcept override { return m_system->wall() + m_step.load(); }
    void step(Duration by) { m_step = m_step.load() + by; }

private:
    std::shared_ptr<const ClockPair> m_system = systemClocks();
    std::atomic<Duration> m_step{Duration::zero()};
};

/// Clocks that stand still but for the time that reading them takes. Not thread-safe.
class HandClocks final : public ClockPair {
public:
    [[nodiscard]] Instant monotonic() const noexcept override {
        m_now += m_readingTakes;
        return m_now;
    }
    [[nodiscard]] Duration wall() const noexcept override {
        m_now += m_readingTakes;
        return wallAt(m_now);
    }
    /// What the wall clock shows at an instant, with the steps and the drift of now.
    [[nodiscard]] Duration wallAt(Instant at) const noexcept {
        return at.time_since_epoch() + m_ahead + (at.time_since_epoch() - m_driftsFrom) * m_driftPpm / 1'000'000;
    }
    [[nodiscard]] Instant now() const noexcept { return m_now; }
    void advance(Duration by) { m_now += by; }
    void step(Duration by) { m_ahead += by; }
    void drift(int ppm) {
        m_driftsFrom = m_now.time_since_epoch();
        m_driftPpm = ppm;
    }
    /// How long each look at a clock takes from now on.
    void slow(Duration each) { m_readingTakes = each; }

private:
    mutable Instant m_now = instantFromNs(5'000'000'000);
    Duration m_readingTakes{10};
    Duration m_ahead = std::chrono::hours(480'000);
    Duration m_driftsFrom{};
    int m_driftPpm = 0;
};

} // namespace decodescope
