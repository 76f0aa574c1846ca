#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

/// Time inside Decodescope: nanoseconds of CLOCK_MONOTONIC. Wall-clock time is recorded once a run as a
/// label (see utc_time.h) and never used for arithmetic (metrics.md, opening paragraph).
namespace decodescope {

using Duration = std::chrono::nanoseconds;

/// An instant of the monotonic clock. For a replayed run it is the instant that was recorded, not the
/// instant of the replay: metrics of a replay are those of the run.
using Instant = std::chrono::time_point<std::chrono::steady_clock, Duration>;

/// Seconds as a double, for exports and charts.
[[nodiscard]] inline double toSeconds(Duration d) noexcept {
    return std::chrono::duration<double>(d).count();
}
/// Milliseconds as a double.
[[nodiscard]] inline double toMilliseconds(Duration d) noexcept {
    return std::chrono::duration<double, std::milli>(d).count();
}
/// Rounds to the nearest nanosecond.
[[nodiscard]] inline Duration fromSeconds(double s) noexcept {
    return Duration(static_cast<std::int64_t>(s * 1e9 + (s < 0 ? -0.5 : 0.5)));
}
[[nodiscard]] inline Instant instantFromNs(std::int64_t ns) noexcept {
    return Instant(Duration(ns));
}
[[nodiscard]] inline std::int64_t toNs(Instant t) noexcept {
    return t.time_since_epoch().count();
}
[[nodiscard]] inline std::int64_t toNs(Duration d) noexcept {
    return d.count();
}

/// Where "now" comes from. Injected, so that tests turn the hands themselves.
class Clock {
public:
    virtual ~Clock() = default;
    [[nodiscard]] virtual Instant now() const noexcept = 0;
};

/// CLOCK_MONOTONIC. Thread-safe.
class SteadyClock final : public Clock {
public:
    [[nodiscard]] Instant now() const noexcept override { return std::chrono::steady_clock::now(); }
};

/// A clock that stands still until it is told to move. Not thread-safe.
class FakeClock final : public Clock {
public:
    explicit FakeClock(Instant start = instantFromNs(1'000'000'000))
        : m_now(start) {}
    [[nodiscard]] Instant now() const noexcept override { return m_now; }
    void advance(Duration d) noexcept { m_now += d; }
    void set(Instant t) noexcept { m_now = t; }

private:
    Instant m_now;
};

} // namespace decodescope
