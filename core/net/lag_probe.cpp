#include "core/net/lag_probe.h"

#include <QSocketNotifier>

#include <algorithm>
#include <optional>
#include <sys/timerfd.h>
#include <unistd.h>
#include <utility>

namespace decodescope {

namespace {

/// Not in step with streams of 5, 10 or 20 ms, whose bursts a timer in step with them would always miss or always meet.
constexpr Duration kPeriod = std::chrono::microseconds(3170);

Instant steadyNow() {
    return std::chrono::steady_clock::now();
}

} // namespace

struct LagProbe::Watch::Timer {
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    std::optional<QSocketNotifier> readable;
    std::vector<Watch*> watches;
    std::optional<Instant> due; // while any run is watched

    Timer() {
        if (fd < 0)
            return;
        readable.emplace(fd, QSocketNotifier::Read);
        QObject::connect(&*readable, &QSocketNotifier::activated, [this] { fired(); });
    }
    ~Timer() {
        readable.reset();
        if (fd >= 0)
            ::close(fd);
    }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    void arm() {
        due = steadyNow() + kPeriod;
        const std::int64_t ns = toNs(*due);
        itimerspec when{};
        when.it_value.tv_sec = static_cast<time_t>(ns / 1'000'000'000);
        when.it_value.tv_nsec = static_cast<long>(ns % 1'000'000'000);
        timerfd_settime(fd, TFD_TIMER_ABSTIME, &when, nullptr);
    }

    void disarm() {
        due.reset();
        const itimerspec never{};
        timerfd_settime(fd, 0, &never, nullptr);
    }

    Duration lateness() const { return due ? std::max(Duration{}, Duration(steadyNow() - *due)) : Duration{}; }

    void fired() {
        const Duration late = lateness();
        std::uint64_t times = 0;
        if (::read(fd, &times, sizeof times) != sizeof times || !due)
            return;
        for (Watch* watch : watches)
            watch->m_largest = std::max(watch->m_largest, late);
        arm();
    }
};

LagProbe::Watch::Watch(std::shared_ptr<Timer> timer)
    : m_timer(std::move(timer)) {
    m_timer->watches.push_back(this);
    if (measured() && !m_timer->due)
        m_timer->arm();
}

LagProbe::Watch::~Watch() {
    std::erase(m_timer->watches, this);
    if (measured() && m_timer->watches.empty())
        m_timer->disarm();
}

Duration LagProbe::Watch::largest() const {
    return std::max(m_largest, m_timer->lateness());
}

bool LagProbe::Watch::measured() const {
    return m_timer->fd >= 0;
}

LagProbe::LagProbe()
    : m_timer(std::make_shared<Watch::Timer>()) {}

LagProbe::~LagProbe() = default;

std::unique_ptr<LagProbe::Watch> LagProbe::watch() {
    return std::unique_ptr<Watch>(new Watch(m_timer));
}

} // namespace decodescope
