// Whole steps of the processor's backend on a model file: loading, prefill and decode in tokens a second, the stream
// of weights beside what the memory gives, where the time of a step goes, and what recording spans costs.
// bench_engine_steps [FILE] [-t THREADS] [-p PROMPT] [-n DECODE] [-r REPEATS] [-b SEQUENCES] [-d DEPTH]
#include "engine/cpu/cpu_backend.h"
#include "tests/bench/bench_report.h"
#include "tests/engine/support/tiny_model.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <unistd.h>
#include <vector>

using namespace decodescope;
using namespace decodescope::engine;

namespace {

struct Wishes {
    std::string path;
    int threads = 1;
    std::uint32_t prompt = 64;
    std::uint32_t decode = 16;
    int repeats = 1;
    std::uint32_t sequences = 0;
    std::uint32_t depth = 0; ///< positions before the first decoded one
};

Wishes read(int argc, char** argv) {
    Wishes wishes;
    for (int i = 1; i < argc; ++i) {
        int value = 0;
        if (argv[i][0] != '-' || i + 1 == argc) {
            if (std::strcmp(argv[i], "--quick") != 0)
                wishes.path = argv[i];
            continue;
        }
        const char* const text = argv[i + 1];
        std::from_chars(text, text + std::strlen(text), value);
        switch (argv[i++][1]) {
        case 't':
            wishes.threads = value;
            break;
        case 'p':
            wishes.prompt = static_cast<std::uint32_t>(value);
            break;
        case 'n':
            wishes.decode = static_cast<std::uint32_t>(value);
            break;
        case 'r':
            wishes.repeats = value;
            break;
        case 'd':
            wishes.depth = static_cast<std::uint32_t>(value);
            break;
        case 'b':
            wishes.sequences = static_cast<std::uint32_t>(value);
            break;
        default:
            break;
        }
    }
    return wishes;
}

[[noreturn]] void end(const Error& error) {
    std::fprintf(stderr, "%s\n", error.message.c_str());
    std::exit(1);
}

template <class T> T valueOf(Result<T> result) {
    if (!result)
        end(result.error());
    return std::move(*result);
}

class Measured {
public:
    Measured(Backend& backend, const ModelPlan& plan, std::uint32_t positions)
        : m_backend(backend)
        , m_plan(plan)
        , m_blocks(positions / kKvBlockTokens + 1) {
        std::iota(m_blocks.begin(), m_blocks.end(), 0U);
    }

    /// Seconds of a prompt in one step, logits of its last token.
    double prefill(std::uint32_t tokens) {
        std::vector<TokenId> ids(tokens);
        for (std::uint32_t i = 0; i < tokens; ++i)
            ids[i] = static_cast<TokenId>((i * 7919U + 1) % m_plan.vocabulary);
        return step({SequenceSlice{ids, 0, m_blocks, tokens - 1}});
    }
    /// Seconds of so many steps of one token.
    double decode(std::uint32_t steps, std::uint32_t from = 0) {
        double seconds = 0;
        for (std::uint32_t i = 0; i < steps; ++i) {
            const auto token = static_cast<TokenId>((i * 104729U + 1) % m_plan.vocabulary);
            seconds += step({SequenceSlice{{&token, 1}, from + i, m_blocks, 0}});
        }
        return seconds;
    }
    /// Seconds of so many steps of one token of each of so many sequences.
    double decodeTogether(std::uint32_t steps, std::uint32_t sequences) {
        const std::uint32_t blocks = steps / kKvBlockTokens + 1;
        std::vector<std::uint32_t> all(std::size_t{blocks} * sequences);
        std::iota(all.begin(), all.end(), 0U);
        double seconds = 0;
        for (std::uint32_t i = 0; i < steps; ++i) {
            const auto token = static_cast<TokenId>((i * 104729U + 1) % m_plan.vocabulary);
            std::vector<SequenceSlice> slices;
            for (std::uint32_t k = 0; k < sequences; ++k)
                slices.push_back({{&token, 1}, i, std::span(all).subspan(std::size_t{k} * blocks, blocks), 0});
            seconds += step(slices);
        }
        return seconds;
    }
    [[nodiscard]] const StepTimings& sums() const { return m_sums; }
    void clear() { m_sums = {}; }

private:
    double step(std::vector<SequenceSlice> slices) {
        const StepTimings timings = valueOf(m_backend.step(slices)).timings;
        m_sums.attentionNs += timings.attentionNs;
        m_sums.feedForwardNs += timings.feedForwardNs;
        m_sums.headNs += timings.headNs;
        m_sums.weightBytes += timings.weightBytes;
        m_sums.kvBytes += timings.kvBytes;
        return static_cast<double>(timings.endNs - timings.beginNs) * 1e-9;
    }

    Backend& m_backend;
    const ModelPlan& m_plan;
    std::vector<std::uint32_t> m_blocks;
    StepTimings m_sums;
};

void run(const Wishes& wishes) {
    const auto fileBegin = std::chrono::steady_clock::now();
    const auto file = valueOf(GgufFile::open(wishes.path));
    const ModelPlan plan = valueOf(buildPlan(*file));
    file->willNeed();
    BackendOptions options;
    options.threads = wishes.threads;
    options.maxRows = std::max(wishes.prompt, 64U);
    const std::uint32_t positions = std::max(wishes.prompt, wishes.depth + wishes.decode) + 512;
    options.kvBlocks =
        std::max(positions / kKvBlockTokens + 1, wishes.sequences * (wishes.decode / kKvBlockTokens + 1));
    const auto backend = valueOf(makeCpuBackend(plan, options));
    const double loadSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - fileBegin).count();
    const BackendFacts facts = backend->facts();
    const std::string conditions = fmt::format("{} {}, {}", plan.name, plan.quantization, facts.device);
    Measured measured(*backend, plan, positions);
    measured.prefill(std::min(wishes.prompt, 32U)); // warms up
    measured.decode(2);
    double prefill = 1e9;
    double decode = 1e9;
    double decodeBare = 1e9;
    StepTimings prefillSums;
    StepTimings decodeSums;
    for (int i = 0; i < wishes.repeats; ++i) {
        measured.clear();
        prefill = std::min(prefill, measured.prefill(wishes.prompt));
        prefillSums = measured.sums();
        measured.clear();
        decode = std::min(decode, measured.decode(wishes.decode, wishes.depth));
        decodeSums = measured.sums();
        backend->recordSpans(false);
        decodeBare = std::min(decodeBare, measured.decode(wishes.decode, wishes.depth));
        backend->recordSpans(true);
    }
    bench::report("engine.load", loadSeconds, "s", conditions);
    bench::report("engine.read bandwidth", facts.readBandwidthGBps, "GB/s", conditions);
    const auto phases = [&](const char* what, const StepTimings& sums) {
        bench::report(fmt::format("engine.{} attention", what), static_cast<double>(sums.attentionNs) * 1e-6, "ms",
                      conditions);
        bench::report(fmt::format("engine.{} feed forward", what), static_cast<double>(sums.feedForwardNs) * 1e-6, "ms",
                      conditions);
        bench::report(fmt::format("engine.{} head", what), static_cast<double>(sums.headNs) * 1e-6, "ms", conditions);
    };
    bench::report("engine.prefill", wishes.prompt / prefill, "tokens/s",
                  fmt::format("{}, {} tokens", conditions, wishes.prompt));
    phases("prefill", prefillSums);
    bench::report("engine.decode", wishes.decode / decode, "tokens/s",
                  fmt::format("{}, {} tokens", conditions, wishes.decode));
    phases("decode", decodeSums);
    const double bytes = static_cast<double>(decodeSums.weightBytes + decodeSums.kvBytes);
    bench::report("engine.decode of read bandwidth", bytes * 1e-9 / decode / facts.readBandwidthGBps, "ratio",
                  conditions, "read bandwidth");
    bench::report("engine.spans cost", decode / decodeBare - 1, "ratio", conditions, "decode without spans");
    if (wishes.sequences > 0) {
        const double together = measured.decodeTogether(wishes.decode, wishes.sequences);
        bench::report("engine.decode together", wishes.decode * wishes.sequences / together, "tokens/s",
                      fmt::format("{}, {} sequences", conditions, wishes.sequences));
    }
}

} // namespace

int main(int argc, char** argv) {
    Wishes wishes = read(argc, argv);
    const std::string made = fmt::format("/tmp/bench_engine_steps.{}.gguf", getpid());
    if (wishes.path.empty()) {
        wishes.path = made;
        if (!engine::test::TinyModel::of("llama", TensorType::q4_1).write(made))
            end({ErrorCode::disk, "The model for the benchmark cannot be written to /tmp."});
    }
    run(wishes);
    std::remove(made.c_str());
}
