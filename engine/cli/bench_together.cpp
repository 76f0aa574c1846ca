#include "engine/cli/bench_run.h"
#include "engine/server/loaded_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace decodescope::engine {

namespace {

constexpr std::uint32_t kPromptTokens = 16;
constexpr double kNsPerSecond = 1e9;

/// Notes when each token of each request was sampled.
class Stamps : public std::enable_shared_from_this<Stamps> {
public:
    explicit Stamps(std::size_t requests)
        : m_sampledNs(requests) {}

    GenerationSink sinkOf(std::size_t request) {
        GenerationSink sink;
        sink.onEvent = [self = shared_from_this(), request](const GenerationEvent& event, const PromptFacts*) {
            self->note(request, event);
        };
        return sink;
    }
    /// Tokens a second of all together while all were decoding or the slower ones finished: from the moment the last of
    /// them had its first token.
    Result<double> waitForRate() {
        std::unique_lock lock(m_mutex);
        m_wake.wait(lock, [this] { return m_finished == m_sampledNs.size(); });
        if (!m_failure.empty())
            return fail(ErrorCode::internal, m_failure);
        std::int64_t beginNs = 0;
        std::int64_t endNs = 0;
        for (const auto& stamps : m_sampledNs) {
            beginNs = std::max(beginNs, stamps.empty() ? 0 : stamps.front());
            endNs = std::max(endNs, stamps.empty() ? 0 : stamps.back());
        }
        std::size_t tokens = 0;
        for (const auto& stamps : m_sampledNs)
            tokens += static_cast<std::size_t>(
                std::count_if(stamps.begin(), stamps.end(), [&](std::int64_t ns) { return ns > beginNs; }));
        if (endNs <= beginNs)
            return fail(ErrorCode::usage, "Too few tokens to measure a rate: -n must be greater.");
        return static_cast<double>(tokens) * kNsPerSecond / static_cast<double>(endNs - beginNs);
    }

private:
    void note(std::size_t request, const GenerationEvent& event) {
        const std::lock_guard lock(m_mutex);
        m_sampledNs[request].insert(m_sampledNs[request].end(), event.tokens.size(), event.sampledAtNs);
        if (!event.finish)
            return;
        if (*event.finish != FinishReason::length)
            m_failure = "A request ended early: " + event.message;
        ++m_finished;
        m_wake.notify_one();
    }

    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::vector<std::vector<std::int64_t>> m_sampledNs;
    std::size_t m_finished = 0;
    std::string m_failure;
};

Result<double> rateOf(LoadedModel& model, std::uint32_t requests, const BenchOptions& options) {
    const auto stamps = std::make_shared<Stamps>(requests);
    for (std::uint32_t i = 0; i < requests; ++i) {
        GenerationRequest request;
        request.prompt = spreadIds(kPromptTokens, model.plan.vocabulary, i + 1);
        request.maxTokens = options.decodeTokens;
        request.sampling.temperature = 0;
        request.ignoreEos = true;
        request.usePrefixCache = false;
        auto id = model.scheduler->submit(std::move(request), stamps->sinkOf(i));
        if (!id) // the sinks of those that were taken keep the stamps
            return tl::unexpected(std::move(id.error()));
    }
    return stamps->waitForRate();
}

} // namespace

Result<std::vector<BenchTogetherRow>> runTogether(const BenchOptions& options, int threads,
                                                  const BenchProgress& progress) {
    ModelOptions asked;
    asked.path = options.file;
    asked.device = options.device;
    asked.threads = threads;
    asked.contextLength = kPromptTokens + options.decodeTokens;
    asked.parallel = *std::max_element(options.atOnce.begin(), options.atOnce.end());
    asked.kvType = options.kvType;
    const auto model = loadModel(asked);
    if (!model)
        return tl::unexpected(model.error());
    std::vector<BenchTogetherRow> rows;
    for (const std::uint32_t requests : options.atOnce) {
        progress(fmt::format("measuring {} at once", requests));
        std::vector<double> rates;
        for (std::uint32_t r = 0; r < options.repeat; ++r) {
            auto rate = rateOf(**model, requests, options);
            if (!rate)
                return tl::unexpected(std::move(rate.error()));
            rates.push_back(*rate);
        }
        rows.push_back({(*model)->card.threads, requests, median(std::move(rates))});
    }
    return rows;
}

} // namespace decodescope::engine
