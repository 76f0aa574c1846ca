#include "engine/cpu/thread_pool.h"

#include <algorithm>
#include <limits>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace decodescope::engine {

namespace {

/// A pause is 40 to 140 cycles on current processors: this many are roughly 40 microseconds.
constexpr std::int32_t kBarrierSpins = 1200;
/// Between steps a token is sampled: workers stay awake a little longer for that.
constexpr std::int32_t kStartSpins = 4000;
/// After so many waits in a row that spinning did not end, only every kProbe-th wait spins to the full.
constexpr std::int32_t kPatience = 16;
constexpr std::int32_t kProbe = 16;
constexpr std::int32_t kFewestSpins = 16;

void relax() noexcept {
#if defined(__x86_64__)
    _mm_pause();
#else
    std::this_thread::yield();
#endif
}

} // namespace

void SpinWait::advance() noexcept {
    // Sequentially consistent on both sides: either the sleeper sees the new value, or we see the sleeper.
    m_value.fetch_add(1, std::memory_order_seq_cst);
    if (m_sleepers.load(std::memory_order_seq_cst) > 0)
        syscall(SYS_futex, &m_value, FUTEX_WAKE_PRIVATE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

void SpinWait::waitWhile(std::int32_t old) noexcept {
    const std::int32_t failures = m_failures.load(std::memory_order_relaxed);
    const std::int32_t spins = failures < kPatience || failures % kProbe == 0 ? m_spins : kFewestSpins;
    for (std::int32_t i = 0; i < spins; ++i) {
        if (m_value.load(std::memory_order_acquire) != old) {
            if (failures != 0)
                m_failures.store(0, std::memory_order_relaxed);
            return;
        }
        relax();
    }
    m_failures.store(failures < kPatience + kProbe ? failures + 1 : kPatience + 1, std::memory_order_relaxed);
    m_sleepers.fetch_add(1, std::memory_order_seq_cst);
    while (m_value.load(std::memory_order_seq_cst) == old) // the system looks again before it lets us sleep
        syscall(SYS_futex, &m_value, FUTEX_WAIT_PRIVATE, old, nullptr, nullptr, 0);
    m_sleepers.fetch_sub(1, std::memory_order_relaxed);
}

Barrier::Barrier(int threads) noexcept
    : m_threads(threads)
    , m_generation(kBarrierSpins) {}

void Barrier::arriveAndWait() noexcept {
    if (m_threads == 1)
        return;
    const std::int32_t generation = m_generation.value();
    if (m_arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == m_threads) {
        m_arrived.store(0, std::memory_order_relaxed); // nobody arrives again before the generation moves
        m_generation.advance();
        return;
    }
    m_generation.waitWhile(generation);
}

ThreadPool::ThreadPool(int threads)
    : m_threads(std::max(1, threads))
    , m_start(kStartSpins)
    , m_barrier(m_threads) {
    m_workers.reserve(static_cast<std::size_t>(m_threads) - 1);
    for (int thread = 1; thread < m_threads; ++thread)
        m_workers.emplace_back([this, thread] { work(thread); });
}

ThreadPool::~ThreadPool() {
    m_quit.store(true, std::memory_order_relaxed);
    m_start.advance();
    for (std::thread& worker : m_workers)
        worker.join();
}

void ThreadPool::launch(Entry entry, void* context) noexcept {
    m_entry = entry;
    m_context = context;
    if (m_threads > 1)
        m_start.advance();
    entry(context, 0);
    m_barrier.arriveAndWait();
}

void ThreadPool::work(int thread) noexcept {
    // The first region may have begun before this thread did: count regions from the start.
    for (std::int32_t seen = 0;; ++seen) {
        while (m_start.value() == seen)
            m_start.waitWhile(seen);
        if (m_quit.load(std::memory_order_relaxed))
            return;
        m_entry(m_context, thread);
        m_barrier.arriveAndWait();
    }
}

} // namespace decodescope::engine
