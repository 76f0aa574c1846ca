#pragma once

#include "core/base/clock.h"

#include <QTimer>

#include <array>
#include <cstddef>
#include <functional>
#include <optional>

namespace decodescope {

/// What a run in flight waits for, each with a limit of its own.
enum class Deadline : std::uint8_t { connect, firstToken, idle, head, grace, total };
inline constexpr std::size_t kDeadlineCount = 6;

/// Several deadlines on one precise timer. Moving one into the future costs a store and no system call, since it
/// happens on every read. Lives on the thread that made it.
class Deadlines {
public:
    /// `expired` is called once for a deadline that passed; the deadline is disarmed before.
    explicit Deadlines(std::function<void(Deadline)> expired);

    void arm(Deadline which, Instant at);
    void disarm(Deadline which);
    void disarmAll();
    [[nodiscard]] bool armed(Deadline which) const { return m_at[static_cast<std::size_t>(which)].has_value(); }

private:
    void fire();
    void schedule();

    std::function<void(Deadline)> m_expired;
    std::array<std::optional<Instant>, kDeadlineCount> m_at;
    std::optional<Instant> m_wakeAt; // when the timer will fire; never later than the nearest deadline
    QTimer m_timer;
};

} // namespace decodescope
