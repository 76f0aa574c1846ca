#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace decodescope::engine {

/// A number that threads wait on: they spin for a while, then sleep. The while adapts: where spinning keeps failing
/// (more threads than cores) it shrinks to nearly nothing, so that a crowded machine costs sleeps and not whole time
/// slices.
class alignas(64) SpinWait {
public:
    explicit SpinWait(std::int32_t longestSpin) noexcept
        : m_longestSpin(longestSpin)
        , m_spin(longestSpin) {}
    [[nodiscard]] std::int32_t value() const noexcept { return m_value.load(std::memory_order_acquire); }
    void advance() noexcept; ///< value + 1, and everybody who waits for it wakes
    void waitWhile(std::int32_t old) noexcept;

private:
    std::atomic<std::int32_t> m_value{0};
    alignas(64) std::atomic<std::int32_t> m_sleepers{0};
    std::int32_t m_longestSpin;
    std::atomic<std::int32_t> m_spin;
};

/// All threads of a region meet here. What each wrote before is seen by all after.
class Barrier {
public:
    explicit Barrier(int threads) noexcept;
    void arriveAndWait() noexcept;

private:
    const int m_threads;
    alignas(64) std::atomic<int> m_arrived{0};
    SpinWait m_generation;
};

/// threads - 1 workers and the caller. A region runs the same function on all of them; regions are long (one step of
/// a model), their parts meet at the barrier. Between regions the workers sleep.
class ThreadPool {
public:
    explicit ThreadPool(int threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    [[nodiscard]] int threads() const noexcept { return m_threads; }
    /// Calls work(thread) on every thread, 0 being the caller, and returns when all are through. `work` must not throw.
    template <class Work> void run(Work&& work) noexcept {
        using Callable = std::remove_reference_t<Work>;
        launch([](void* context, int thread) { (*static_cast<Callable*>(context))(thread); },
               const_cast<void*>(static_cast<const void*>(&work)));
    }
    /// Within a region only.
    void barrier() noexcept { m_barrier.arriveAndWait(); }

private:
    using Entry = void (*)(void* context, int thread);
    void launch(Entry entry, void* context) noexcept;
    void work(int thread) noexcept;

    const int m_threads;
    Entry m_entry = nullptr;
    void* m_context = nullptr;
    std::atomic<bool> m_quit{false};
    SpinWait m_start;
    Barrier m_barrier;
    std::vector<std::thread> m_workers;
};

/// Part `part` of `count` things divided over `parts`, as even as it goes.
struct Share {
    std::uint32_t begin = 0, end = 0;
};
[[nodiscard]] constexpr Share shareOf(std::uint32_t count, int part, int parts) noexcept {
    const auto cut = [&](int at) {
        return static_cast<std::uint32_t>(std::uint64_t{count} * static_cast<unsigned>(at) /
                                          static_cast<unsigned>(parts));
    };
    return {cut(part), cut(part + 1)};
}

} // namespace decodescope::engine
