#include "core/net/deadlines.h"

#include <algorithm>
#include <utility>

namespace decodescope {

Deadlines::Deadlines(std::function<void(Deadline)> expired)
    : m_expired(std::move(expired)) {
    m_timer.setSingleShot(true);
    m_timer.setTimerType(Qt::PreciseTimer);
    m_timer.callOnTimeout([this] { fire(); });
}

void Deadlines::arm(Deadline which, Instant at) {
    m_at[static_cast<std::size_t>(which)] = at;
    if (!m_wakeAt || at < *m_wakeAt)
        schedule();
}

void Deadlines::disarm(Deadline which) {
    m_at[static_cast<std::size_t>(which)].reset();
}

void Deadlines::disarmAll() {
    m_at.fill(std::nullopt);
    m_wakeAt.reset();
    m_timer.stop();
}

void Deadlines::schedule() {
    std::optional<Instant> nearest;
    for (const auto& at : m_at) {
        if (at && (!nearest || *at < *nearest))
            nearest = at;
    }
    m_wakeAt = nearest;
    if (!nearest) {
        m_timer.stop();
        return;
    }
    const Duration left = *nearest - std::chrono::steady_clock::now();
    // Far-off deadlines are looked at again each hour: QTimer counts in an int of milliseconds.
    const auto wait = std::clamp<Duration>(left, Duration::zero(), std::chrono::hours(1));
    m_timer.start(std::chrono::ceil<std::chrono::milliseconds>(wait));
}

void Deadlines::fire() {
    m_wakeAt.reset();
    const Instant now = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < kDeadlineCount; ++i) {
        if (m_at[i] && *m_at[i] <= now) {
            m_at[i].reset();
            schedule();
            // The owner may end, and destroy us, in there: nothing is touched after it.
            m_expired(static_cast<Deadline>(i));
            return;
        }
    }
    schedule();
}

} // namespace decodescope
