#include "core/base/sleep_watch.h"

#include <ctime>
#include <utility>

namespace decodescope {

namespace {

Duration read(clockid_t clock) {
    timespec time{};
    if (::clock_gettime(clock, &time) != 0)
        return {};
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

} // namespace

Duration sleptSinceBoot() noexcept {
    const Duration awake = read(CLOCK_MONOTONIC);
    return read(CLOCK_BOOTTIME) - awake;
}

SleepWatch::SleepWatch(std::function<Duration()> slept)
    : m_slept(std::move(slept))
    , m_before(m_slept()) {}

Duration SleepWatch::slept() const {
    const Duration since = m_slept() - m_before;
    return since >= kWorthTelling ? since : Duration{};
}

} // namespace decodescope
