#include "engine/cpu/cpu_backend.h"

#include "engine/backend/check_slices.h"
#include "engine/base/steady_time.h"
#include "engine/cpu/arena.h"
#include "engine/cpu/bandwidth.h"
#include "engine/cpu/cores.h"
#include "engine/cpu/cpu_model.h"
#include "engine/cpu/kv_cache.h"
#include "engine/cpu/step_runner.h"
#include "engine/cpu/thread_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

namespace decodescope::engine {

namespace {

constexpr int kMostThreads = 256;
constexpr int kTuningSteps = 4; // one to warm up

std::string_view nameOf(Isa isa) {
    switch (isa) {
    case Isa::avx512:
        return "AVX-512 VNNI";
    case Isa::avx2:
        return "AVX2";
    case Isa::scalar:
        break;
    }
    return "scalar";
}

class CpuBackend final : public Backend {
public:
    CpuBackend(const ModelPlan& plan, const BackendOptions& options, Isa isa)
        : m_plan(plan)
        , m_options(options)
        , m_isa(isa) {}

    Result<void> load(const LoadProgress& progress);

    Result<StepOutput> step(std::span<const SequenceSlice> slices) override;
    void copyBlock(std::uint32_t from, std::uint32_t to, std::uint32_t tokens) override {
        m_cache.copyBlock(from, to, tokens);
    }
    [[nodiscard]] BackendFacts facts() const override;
    void recordSpans(bool on) override { m_recordSpans = on; }

private:
    void usePool(int threads);
    void tune(int most);
    [[nodiscard]] std::int64_t timeOfStep();

    const ModelPlan m_plan;
    const BackendOptions m_options;
    const Isa m_isa;
    bool m_recordSpans = true;
    double m_bandwidthGBps = 0;
    CpuModel m_model;
    KvCache m_cache;
    std::unique_ptr<ThreadPool> m_pool;
    std::unique_ptr<StepRunner> m_runner;
};

Result<void> CpuBackend::load(const LoadProgress& progress) {
    const bool tuned = m_options.threads == 0;
    // One core is left to whoever shows what is decoded.
    const int most = tuned ? std::max(1, allowedCores() - 1) : std::min(m_options.threads, kMostThreads);
    {
        // Repacking takes all processors there are, so many to each thread of the steps.
        ThreadPool packers(most * std::max(1, allowedProcessors() / most));
        auto model = loadCpuModel(m_plan, m_isa, packers, progress);
        if (!model)
            return tl::unexpected(std::move(model.error()));
        m_model = std::move(*model);
    }
    m_pool = std::make_unique<ThreadPool>(most);
    auto cache = KvCache::make(m_plan, m_options.kvBlocks, m_options.kvType);
    if (!cache)
        return tl::unexpected(std::move(cache.error()));
    m_cache = std::move(*cache);
    m_runner = std::make_unique<StepRunner>(m_model, m_cache, m_isa, m_options);
    // The cache was promised, not touched: what steps need must fit beside it.
    if (auto enough = checkMemory(m_cache.bytes() + m_runner->scratchBytes(most), "The cache and a step of the model",
                                  "ask for a smaller context or fewer parallel requests");
        !enough)
        return enough;
    m_runner->usePool(*m_pool);
    if (tuned && most > 1)
        tune(most);
    m_bandwidthGBps = measureReadBandwidth(*m_pool, m_isa, {m_model.planes.data(), m_model.planeBytes});
    return {};
}

void CpuBackend::usePool(int threads) {
    if (m_pool->threads() == threads)
        return;
    m_pool = std::make_unique<ThreadPool>(threads);
    m_runner->usePool(*m_pool);
}

/// The best time of a few decode steps.
std::int64_t CpuBackend::timeOfStep() {
    constexpr TokenId kToken = 0;
    constexpr std::uint32_t kBlock = 0;
    const SequenceSlice slice{{&kToken, 1}, 0, {&kBlock, 1}, 0};
    std::int64_t best = std::numeric_limits<std::int64_t>::max();
    for (int i = 0; i < kTuningSteps; ++i) {
        const StepOutput output = m_runner->run({&slice, 1}, false);
        best = std::min(best, output.timings.endNs - output.timings.beginNs);
    }
    return best;
}

/// More threads than the memory feeds only disturb each other: of the candidates the fastest, or one with fewer
/// threads that is nearly as fast.
void CpuBackend::tune(int most) {
    constexpr double kNearly = 1.03;
    int best = most;
    std::int64_t bestNs = timeOfStep();
    for (int threads = most; threads > 1;) {
        threads = threads > 4 ? threads * 3 / 4 : threads - 1;
        usePool(threads);
        const std::int64_t took = timeOfStep();
        if (static_cast<double>(took) > static_cast<double>(bestNs) * kNearly)
            break;
        best = threads;
        bestNs = std::min(bestNs, took);
    }
    usePool(best);
}

Result<StepOutput> CpuBackend::step(std::span<const SequenceSlice> slices) {
    if (const auto size = checkSlices(slices, m_plan.vocabulary, m_options); !size)
        return tl::unexpected(size.error());
    if (slices.empty())
        return fail(ErrorCode::internal, "A decode step was asked for no tokens.");
    try {
        StepOutput output = m_runner->run(slices, m_recordSpans);
        output.timings.weightBytes = m_model.planeBytes;
        if (output.logits.empty())
            output.timings.weightBytes -= m_model.planeBytesOfLogits;
        output.timings.kvBytes = layerPositionsRead(m_plan, slices) * m_cache.bytesPerLayerToken();
        return output;
    } catch (const std::bad_alloc&) { // of the lists of rows and spans, before the threads begin
        return fail(ErrorCode::memory, "There is no memory for the step: ask for a shorter prompt at once.");
    }
}

BackendFacts CpuBackend::facts() const {
    BackendFacts facts;
    facts.threads = m_pool->threads();
    facts.device =
        fmt::format("cpu: {}, {} {}", nameOf(m_isa), facts.threads, facts.threads == 1 ? "thread" : "threads");
    facts.weightBytes = m_model.planeBytes;
    facts.kvBytesPerToken = m_cache.bytesPerLayerToken() * m_plan.layers;
    facts.memoryBytes = m_model.planes.bytes() + m_cache.bytes() + m_runner->scratchBytes(facts.threads);
    facts.readBandwidthGBps = m_bandwidthGBps;
    return facts;
}

} // namespace

Result<std::unique_ptr<Backend>> makeCpuBackend(const ModelPlan& plan, const BackendOptions& options,
                                                const LoadProgress& progress) {
    if (options.threads < 0 || options.kvBlocks == 0 || options.maxRows == 0)
        return fail(ErrorCode::usage, "The backend needs at least one block of cache and one row a step.");
    try {
        auto backend = std::make_unique<CpuBackend>(plan, options, detectIsa());
        if (auto loaded = backend->load(progress); !loaded)
            return tl::unexpected(std::move(loaded.error()));
        return backend;
    } catch (const std::bad_alloc&) {
        return fail(ErrorCode::memory, "There is not enough memory to run the model: ask for a smaller context.");
    } catch (const std::system_error&) { // no thread to be had
        return fail(ErrorCode::memory, "The system gives no more threads: ask for fewer.");
    }
}

} // namespace decodescope::engine
