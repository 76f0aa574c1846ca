#pragma once

#include <atomic>
#include <cstdint>

namespace decodescope::engine {

/// Hands out the numbers 0, 1, 2, ... to the threads of a phase.
struct alignas(64) WorkQueue {
    std::atomic<std::uint32_t> next{0};
    [[nodiscard]] std::uint32_t take() noexcept { return next.fetch_add(1, std::memory_order_relaxed); }
};

/// One queue per phase of a region. Threads meet at a barrier between phases, so four queues in turn suffice: while one
/// is used, that of the phase after the next is set back by thread 0. Every thread counts its own phases.
class WorkQueues {
public:
    [[nodiscard]] WorkQueue& of(std::uint32_t phase, int thread) noexcept {
        if (thread == 0)
            m_queues[(phase + 2) % kQueues].next.store(0, std::memory_order_relaxed);
        return m_queues[phase % kQueues];
    }

private:
    static constexpr std::uint32_t kQueues = 4;
    WorkQueue m_queues[kQueues];
};

} // namespace decodescope::engine
