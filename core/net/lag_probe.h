#pragma once

#include "core/base/clock.h"

#include <memory>
#include <vector>

namespace decodescope {

/// How late the thread that it lives on comes to a socket that has something to read: while a run is watched, a timer
/// of the kernel becomes readable every few milliseconds, at an instant that is known to the nanosecond, and goes
/// through the same event loop as every socket. Made, used and destroyed on one thread, which has an event loop.
class LagProbe {
public:
    /// The lateness in the time of one run.
    class Watch {
    public:
        Watch(const Watch&) = delete;
        Watch& operator=(const Watch&) = delete;
        ~Watch();
        /// The largest since the watch began, with what goes on now.
        [[nodiscard]] Duration largest() const;
        /// False where this system has no such timer.
        [[nodiscard]] bool measured() const;

    private:
        friend class LagProbe;
        struct Timer;
        explicit Watch(std::shared_ptr<Timer> timer);

        std::shared_ptr<Timer> m_timer;
        Duration m_largest{};
    };

    LagProbe();
    ~LagProbe();
    LagProbe(const LagProbe&) = delete;
    LagProbe& operator=(const LagProbe&) = delete;

    [[nodiscard]] std::unique_ptr<Watch> watch();

private:
    std::shared_ptr<Watch::Timer> m_timer;
};

} // namespace decodescope
