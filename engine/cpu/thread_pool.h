#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace decodescope::engine {

/// A number that threads wait on: they spin for a while, then sleep. Where spinning fails again and again (more threads
/// than free processors) hardly any is done, so that a crowded machine costs sleeps and not whole time slices; now and
/// then a full spin finds out whether that is over.
class alignas(64) SpinWait {
public:
    explicit SpinWait(std::int32_t spins) noexcept
        : m_spins(spins) {}
    [[nodiscard]] std::int32_t value() const noexcept { return m_value.load(std::memory_order_acquire); }
    void advance() noexcept; ///< value + 1, and everybody who waits for it wakes
    void waitWhile(std::int32_t old) noexcept;

private:
    std::atomic<std::int32_t> m_value{0};
    alignas(64) std::atomic<std::int32_t> m_sleepers{0};
    const std::int32_t m_spins;
    std::atomic<std::int32_t> m_failures{0}; ///< waits in a row that ended in sleep
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
