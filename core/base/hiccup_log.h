#pragma once

#include "core/base/hiccup.h"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

namespace decodescope {

/// The latest hiccups of this process: written by a HiccupMeter, read by whoever keeps a cursor. Bounded: what a reader
/// leaves lying for too long is dropped, oldest first. Thread-safe.
class HiccupLog {
public:
    /// Counts all hiccups ever noted; one past the last that its owner has read.
    using Cursor = std::uint64_t;

    explicit HiccupLog(std::size_t capacity = 4096);

    // For the meter.
    /// Blocks until somebody listens. False: shut() was called.
    [[nodiscard]] bool waitForListener();
    /// Says when the meter means to wake next, and blocks until somebody shuts the log or `due` has come. False: shut.
    [[nodiscard]] bool sleepUntil(Instant due);
    void note(const Hiccup& hiccup);
    /// Ends every wait, now and from now on.
    void shut();

    // For readers.
    /// From the first listener to the last the meter measures; without any it sleeps.
    void listen();
    void unlisten();
    /// Where a reader that wants nothing of the past begins.
    [[nodiscard]] Cursor end() const;
    /// The hiccups noted since `cursor`, in order of waking; moves the cursor behind them.
    [[nodiscard]] std::vector<Hiccup> since(Cursor& cursor) const;
    /// The same for a reader that reads for the last time: with the hiccup that still goes on, when the meter should
    /// have woken long before `now` and has not. It is told as if it ended at `now`.
    [[nodiscard]] std::vector<Hiccup> sinceAndNow(Cursor& cursor, Instant now) const;

private:
    [[nodiscard]] std::vector<Hiccup> take(Cursor& cursor) const;

    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Hiccup> m_kept;
    Cursor m_noted = 0;
    std::size_t m_capacity;
    std::optional<Instant> m_due; // while the meter sleeps
    int m_listeners = 0;
    bool m_shut = false;
};

} // namespace decodescope
