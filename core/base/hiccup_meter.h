#pragma once

#include "core/base/hiccup_log.h"

#include <functional>
#include <memory>
#include <thread>

namespace decodescope {

/// One thread that sleeps a millisecond at a time, while somebody listens to its log, and notes each wake-up that came
/// late by Hiccup::kWorthNoting or more: in that time this process, or its machine, did not run.
class HiccupMeter {
public:
    /// What the meter's thread is made of; tests turn the hands themselves.
    struct Hands {
        std::function<Instant()> now;
        /// Blocks until `due`; false: the meter is to end.
        std::function<bool(Instant due)> sleepUntil;
    };

    static constexpr Duration kPeriod = std::chrono::milliseconds(1);

    /// Measures by the steady clock. Without a thread to be had it notes nothing.
    explicit HiccupMeter(std::shared_ptr<HiccupLog> log);
    HiccupMeter(std::shared_ptr<HiccupLog> log, Hands hands);
    /// Ends the thread at once.
    ~HiccupMeter();
    HiccupMeter(const HiccupMeter&) = delete;
    HiccupMeter& operator=(const HiccupMeter&) = delete;

    [[nodiscard]] const std::shared_ptr<HiccupLog>& log() const { return m_log; }

private:
    void run();

    std::shared_ptr<HiccupLog> m_log;
    Hands m_hands;
    std::thread m_thread;
};

} // namespace decodescope
