#include "engine/cpu/bandwidth.h"

#include "engine/base/steady_time.h"
#include "engine/cpu/row_kernels.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

namespace decodescope::engine {

namespace {

/// Less would partly be read from caches; more takes time and tells nothing new.
constexpr std::size_t kLeastBytes = std::size_t{64} << 20U;
constexpr std::size_t kMostBytes = std::size_t{128} << 20U;
constexpr int kPasses = 4;

/// The best of a few passes.
double measure(ThreadPool& pool, const RowKernels& kernels, std::span<const std::byte> memory) {
    std::atomic<std::uint64_t> seen{0}; // so that the reading is not optimised away
    double best = 0;
    for (int pass = 0; pass < kPasses; ++pass) {
        const std::int64_t begin = steadyNs();
        pool.run([&](int thread) {
            const Share mine = shareOf(static_cast<std::uint32_t>(memory.size() / 64), thread, pool.threads());
            seen.fetch_xor(kernels.foldBytes(memory.data() + std::size_t{mine.begin} * 64,
                                             std::size_t{mine.end - mine.begin} * 64));
        });
        const auto took = static_cast<double>(std::max<std::int64_t>(steadyNs() - begin, 1));
        best = std::max(best, static_cast<double>(memory.size()) / took);
    }
    return best;
}

} // namespace

double measureReadBandwidth(ThreadPool& pool, Isa isa, std::span<const std::byte> weights) {
    const RowKernels& kernels = rowKernels(isa);
    if (weights.size() >= kLeastBytes)
        return measure(pool, kernels, weights.first(std::min(weights.size(), kMostBytes)));
    // A small model says nothing of the memory: a piece of it is read for its own sake, once in the process.
    static std::mutex mutex;
    static std::map<int, double> known; // by threads
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(pool.threads()); found != known.end())
        return found->second;
    const auto own = std::make_unique<std::byte[]>(kLeastBytes);
    std::memset(own.get(), 1, kLeastBytes); // pages that nobody wrote are all the same page
    return known[pool.threads()] = measure(pool, kernels, {own.get(), kLeastBytes});
}

} // namespace decodescope::engine
