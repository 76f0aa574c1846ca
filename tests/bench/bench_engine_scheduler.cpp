// What scheduling, sampling and telling cost beside the model: processor time of the scheduler's thread a token over a
// backend that does nothing, by vocabulary, batch and sampling; and how long an event takes from its stamp to its
// listener.
#include "engine/base/steady_time.h"
#include "engine/scheduler/scheduler.h"
#include "tests/bench/bench_report.h"
#include "tests/engine/scheduler/fake_tokenizer.h"

#include <algorithm>
#include <future>
#include <random>
#include <string_view>

using namespace decodescope::engine;
using namespace decodescope::bench;

namespace {

std::uint32_t g_tokens = 500; // a sequence; fewer with --quick
int g_repeats = 3;

/// Answers every step at once with the same logits, and keeps the time that its caller's thread has used.
class IdleBackend final : public Backend {
public:
    IdleBackend(std::size_t vocabulary, double& threadUsed)
        : m_vocabulary(vocabulary)
        , m_logits(vocabulary * kMostRows)
        , m_threadUsed(threadUsed) {
        std::mt19937 random(1);
        std::normal_distribution<float> normal(0.0F, 3.0F);
        for (std::size_t i = 0; i < vocabulary; ++i)
            m_logits[i] = normal(random);
        m_logits[20] = 20.0F; // known to the tokenizer
        for (std::size_t row = 1; row < kMostRows; ++row)
            std::copy_n(m_logits.begin(), vocabulary, m_logits.begin() + static_cast<std::ptrdiff_t>(row * vocabulary));
        for (std::uint16_t layer = 0; layer < 30; ++layer)
            for (const auto phase : {PhaseSpan::Phase::attention, PhaseSpan::Phase::feedForward})
                m_spans.push_back({phase, layer, 0, 0});
    }

    Result<StepOutput> step(std::span<const SequenceSlice> slices) override {
        m_threadUsed = threadSeconds();
        std::size_t rows = 0;
        for (const SequenceSlice& slice : slices)
            rows += slice.tokens.size() - slice.logitsFrom;
        StepOutput output;
        output.logits = std::span(m_logits).first(rows * m_vocabulary);
        output.timings.beginNs = output.timings.endNs = steadyNs();
        if (m_recording)
            output.timings.spans = m_spans;
        return output;
    }
    void copyBlock(std::uint32_t, std::uint32_t, std::uint32_t) override {}
    BackendFacts facts() const override { return {}; }
    void recordSpans(bool on) override { m_recording = on; }

    static constexpr std::size_t kMostRows = 16;

private:
    std::size_t m_vocabulary;
    std::vector<float> m_logits; // (kMostRows, m_vocabulary)
    double& m_threadUsed;
    std::vector<PhaseSpan> m_spans;
    bool m_recording = true;
};

struct Cost {
    double perTokenUs = 0;
    double eventLagP99Us = 0;
};

enum class Tracing { off, on };

Cost measure(std::size_t vocabulary, std::uint32_t batch, const SamplingSpec& sampling, Tracing tracing) {
    SchedulerOptions options;
    options.parallel = batch;
    options.contextLength = g_tokens + 100;
    options.kvBlocks = batch * (options.contextLength / kKvBlockTokens + 1);
    options.maxLogitsRows = IdleBackend::kMostRows;
    FakeTokenizer tokenizer;
    double used = 0;
    double usedBefore = 0;
    std::vector<std::int64_t> lagsNs;
    lagsNs.reserve(std::size_t{batch} * g_tokens);
    std::vector<std::promise<void>> ended(batch);
    {
        Scheduler scheduler(std::make_unique<IdleBackend>(vocabulary, used), tokenizer, options);
        scheduler.setTracing(tracing == Tracing::on);
        for (std::uint32_t i = 0; i < batch; ++i) {
            GenerationRequest request;
            request.prompt.assign(40, static_cast<TokenId>(i + 2));
            request.maxTokens = g_tokens;
            request.sampling = sampling;
            request.ignoreEos = true;
            GenerationSink sink;
            sink.onEvent = [&, i](const GenerationEvent& event, const PromptFacts*) {
                lagsNs.push_back(steadyNs() - event.sampledAtNs);
                if (usedBefore == 0)
                    usedBefore = used;
                if (event.finish)
                    ended[i].set_value();
            };
            if (!scheduler.submit(std::move(request), std::move(sink)))
                std::exit(1);
        }
        for (std::promise<void>& end : ended)
            end.get_future().wait();
    }
    const auto p99 = lagsNs.begin() + static_cast<std::ptrdiff_t>(lagsNs.size() * 99 / 100);
    std::nth_element(lagsNs.begin(), p99, lagsNs.end());
    return {(used - usedBefore) / (static_cast<double>(g_tokens) * batch) * 1e6, static_cast<double>(*p99) * 1e-3};
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

void figure(std::string_view name, std::size_t vocabulary, std::uint32_t batch, const SamplingSpec& sampling) {
    std::vector<double> perToken;
    std::vector<double> lag;
    std::vector<double> tracingCost;
    for (int i = 0; i < g_repeats; ++i) { // on and off in turns, so that both see the same machine
        const Cost on = measure(vocabulary, batch, sampling, Tracing::on);
        const Cost off = measure(vocabulary, batch, sampling, Tracing::off);
        perToken.push_back(on.perTokenUs);
        lag.push_back(on.eventLagP99Us);
        tracingCost.push_back(on.perTokenUs - off.perTokenUs);
    }
    const std::string shape =
        fmt::format("{}, vocabulary {}, {} sequences, {} tokens each", name, vocabulary, batch, g_tokens);
    report("engine_scheduler_per_token", median(perToken), "us", shape);
    report("engine_scheduler_tracing_per_token", median(tracingCost), "us", shape);
    report("engine_stamp_to_listener_p99", median(lag), "us", shape);
}

} // namespace

int main(int argc, char** argv) {
    if (argc > 1 && std::string_view(argv[1]) == "--quick") {
        g_tokens = 40;
        g_repeats = 3;
    }
    SamplingSpec greedy;
    greedy.temperature = 0;
    SamplingSpec logprobs = greedy;
    logprobs.logprobs = 5;
    SamplingSpec usual;
    usual.temperature = 0.8F;
    usual.topK = 40;
    usual.topP = 0.95F;
    SamplingSpec nucleus;
    nucleus.topP = 0.95F;
    SamplingSpec penalties = greedy;
    penalties.repetitionPenalty = 1.1F;
    penalties.frequencyPenalty = 0.1F;

    figure("greedy", 1000, 1, greedy); // next to nothing to sample: the scheduler itself
    figure("greedy", 1000, 16, greedy);
    for (const std::size_t vocabulary : {49152U, 262144U}) {
        figure("greedy", vocabulary, 1, greedy);
        figure("greedy with 5 logprobs", vocabulary, 1, logprobs);
        figure("greedy with penalties", vocabulary, 1, penalties);
        figure("temperature 0.8, top-k 40, top-p 0.95", vocabulary, 1, usual);
        figure("top-p 0.95", vocabulary, 1, nucleus);
    }
    return 0;
}
