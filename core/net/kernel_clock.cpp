#include "core/net/kernel_clock.h"

#include <algorithm>
#include <ctime>
#include <utility>

namespace decodescope {

namespace {

constexpr int kTries = 20;
constexpr std::chrono::seconds kMeasureEvery{1};
/// Both clocks are rounded to whole nanoseconds, each on its own.
constexpr Duration kRounding{2};
/// What is less than this is no step. It is added to the error, and stamps from before it are kept.
constexpr Duration kStep = std::chrono::microseconds(100);

class SystemClocks final : public ClockPair {
public:
    [[nodiscard]] Instant monotonic() const noexcept override { return std::chrono::steady_clock::now(); }
    [[nodiscard]] Duration wall() const noexcept override {
        timespec time{};
        ::clock_gettime(CLOCK_REALTIME, &time);
        return std::chrono::seconds(time.tv_sec) + Duration(time.tv_nsec);
    }
};

} // namespace

std::shared_ptr<const ClockPair> systemClocks() {
    static const auto clocks = std::make_shared<const SystemClocks>();
    return clocks;
}

KernelClock::KernelClock(std::shared_ptr<const ClockPair> clocks)
    : m_clocks(std::move(clocks)) {
    measure();
}

void KernelClock::look(Instant now) {
    const Duration wall = m_clocks->wall();
    const Instant after = m_clocks->monotonic();
    if (now - m_measuredAt >= kMeasureEvery ||
        shift(now.time_since_epoch() - wall, after.time_since_epoch() - wall) > Duration::zero())
        measure();
}

void KernelClock::measure() {
    Duration bestLow{};
    Duration bestWidth = Duration::max();
    Instant before = m_clocks->monotonic();
    for (int i = 0; i < kTries; ++i) {
        const Duration wall = m_clocks->wall();
        const Instant after = m_clocks->monotonic();
        if (after - before < bestWidth) {
            bestWidth = after - before;
            bestLow = before.time_since_epoch() - wall;
        }
        before = after;
    }
    const Duration shifted = m_measured ? shift(bestLow, bestLow + bestWidth) : Duration::max();
    if (shifted >= kStep)
        m_trustedSince = before;
    m_measured = true;
    m_offset = bestLow + bestWidth / 2;
    m_halfBracket = bestWidth / 2;
    m_moved = shifted < kStep ? shifted : Duration::zero();
    m_measuredAt = before;
}

Duration KernelClock::shift(Duration low, Duration high) const noexcept {
    const Duration outside = std::max(low - (m_offset + m_halfBracket), (m_offset - m_halfBracket) - high);
    return std::max(outside - kRounding, Duration::zero());
}

} // namespace decodescope
