#include "engine/cli/bench_run.h"

#include "engine/base/steady_time.h"
#include "engine/server/backend_choice.h"
#include "engine/server/loaded_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>

namespace decodescope::engine {

namespace {

constexpr std::uint32_t kMostRows = 512; // of a step of the prompt
constexpr std::uint32_t kWarmTokens = 8;
constexpr double kNsPerSecond = 1e9;

std::optional<double> medianOf(const std::vector<double>& values) {
    return values.empty() ? std::nullopt : std::optional(median(values));
}

/// One sequence on a backend, its blocks in order.
class OneSequence {
public:
    OneSequence(Backend& backend, std::uint32_t blocks)
        : m_backend(backend)
        , m_blocks(blocks) {
        std::iota(m_blocks.begin(), m_blocks.end(), 0U);
    }

    /// Seconds that the tokens took, all in steps of at most kMostRows; logits of the last one alone.
    Result<double> prefill(std::span<const TokenId> tokens) {
        std::int64_t ns = 0;
        for (std::size_t at = 0; at < tokens.size(); at += kMostRows) {
            const auto part = tokens.subspan(at, std::min<std::size_t>(kMostRows, tokens.size() - at));
            const auto rows = static_cast<std::uint32_t>(part.size());
            const bool last = at + rows == tokens.size();
            if (auto taken = step(part, static_cast<std::uint32_t>(at), last ? rows - 1 : rows); taken)
                ns += *taken;
            else
                return tl::unexpected(std::move(taken.error()));
        }
        return static_cast<double>(ns) / kNsPerSecond;
    }

    struct Decoded {
        double seconds = 0;
        double bytes = 0;
    };
    Result<Decoded> decode(std::span<const TokenId> tokens) {
        Decoded total;
        for (std::size_t at = 0; at < tokens.size(); ++at) {
            auto taken = step(tokens.subspan(at, 1), static_cast<std::uint32_t>(at), 0);
            if (!taken)
                return tl::unexpected(std::move(taken.error()));
            total.seconds += static_cast<double>(*taken) / kNsPerSecond;
            total.bytes += static_cast<double>(m_bytes);
        }
        return total;
    }

private:
    /// Nanoseconds as a caller sees them, with what the step needs around its own clock.
    Result<std::int64_t> step(std::span<const TokenId> tokens, std::uint32_t first, std::uint32_t logitsFrom) {
        const std::size_t blocks = (first + tokens.size() + kKvBlockTokens - 1) / kKvBlockTokens;
        const SequenceSlice slice{tokens, first, std::span(m_blocks).first(blocks), logitsFrom};
        const std::int64_t beginNs = steadyNs();
        auto output = m_backend.step({&slice, 1});
        if (!output)
            return tl::unexpected(std::move(output.error()));
        m_bytes = output->timings.weightBytes + output->timings.kvBytes;
        return steadyNs() - beginNs;
    }

    Backend& m_backend;
    std::vector<std::uint32_t> m_blocks;
    std::uint64_t m_bytes = 0;
};

Result<BenchRow> measure(Backend& backend, std::uint32_t blocks, std::uint32_t vocabulary,
                         const BenchOptions& options) {
    const std::vector<TokenId> prompt = spreadIds(options.promptTokens, vocabulary, 1);
    const std::vector<TokenId> answer = spreadIds(options.decodeTokens, vocabulary, 2);
    OneSequence sequence(backend, blocks);
    if (auto warm = sequence.prefill(std::span(prompt).first(std::min<std::size_t>(prompt.size(), kMostRows))); !warm)
        return tl::unexpected(std::move(warm.error()));
    if (auto warm = sequence.decode(std::span(answer).first(std::min<std::size_t>(answer.size(), kWarmTokens))); !warm)
        return tl::unexpected(std::move(warm.error()));
    std::vector<double> promptTps;
    std::vector<double> decodeTps;
    std::vector<double> decodeGBps;
    for (std::uint32_t r = 0; r < options.repeat; ++r) {
        if (!prompt.empty()) {
            const auto seconds = sequence.prefill(prompt);
            if (!seconds)
                return tl::unexpected(seconds.error());
            promptTps.push_back(static_cast<double>(prompt.size()) / *seconds);
        }
        if (!answer.empty()) {
            const auto decoded = sequence.decode(answer);
            if (!decoded)
                return tl::unexpected(decoded.error());
            decodeTps.push_back(static_cast<double>(answer.size()) / decoded->seconds);
            decodeGBps.push_back(decoded->bytes / decoded->seconds / 1e9);
        }
    }
    const BackendFacts facts = backend.facts();
    BenchRow row;
    row.threads = facts.threads;
    row.bandwidthGBps = facts.readBandwidthGBps;
    row.promptTps = medianOf(promptTps);
    row.decodeTps = medianOf(decodeTps);
    row.decodeGBps = medianOf(decodeGBps);
    // Measured beside other work at load it is too low: memory is no slower than decoding was seen to read it.
    if (row.bandwidthGBps > 0 && !decodeGBps.empty())
        row.bandwidthGBps = std::max(row.bandwidthGBps, *std::max_element(decodeGBps.begin(), decodeGBps.end()));
    if (row.decodeGBps && row.bandwidthGBps > 0)
        row.fraction = *row.decodeGBps / row.bandwidthGBps;
    return row;
}

} // namespace

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::vector<TokenId> spreadIds(std::uint32_t count, std::uint32_t vocabulary, std::uint64_t seed) {
    std::vector<TokenId> ids(count);
    std::uint64_t state = 0x9E3779B97F4A7C15U * seed;
    for (TokenId& id : ids) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        id = static_cast<TokenId>((state >> 33U) % vocabulary);
    }
    return ids;
}

Result<BenchReport> runBench(const BenchOptions& options, const BenchProgress& progress) {
    const Result<DeviceName> device = parseDeviceName(options.device);
    if (!device)
        return tl::unexpected(device.error());
    auto file = GgufFile::open(options.file);
    if (!file)
        return tl::unexpected(std::move(file.error()));
    auto plan = buildPlan(**file);
    if (!plan)
        return tl::unexpected(std::move(plan.error()));
    const std::uint32_t longest = std::max({options.promptTokens, options.decodeTokens, 1U});
    if (longest > plan->contextLength)
        return fail(
            ErrorCode::usage,
            fmt::format("The model has a context of {} tokens: -p and -n must not be greater.", plan->contextLength));
    const Result<BackendMaker> maker = backendFor(options.device);
    if (!maker)
        return tl::unexpected(maker.error());
    BenchReport report;
    report.model = visible(plan->name);
    report.architecture = visible(plan->architecture);
    report.quantization = plan->quantization;
    for (const int threads : options.threads) {
        progress(fmt::format("loading for {} threads", threads == 0 ? "tuned" : std::to_string(threads)));
        BackendOptions backing;
        backing.threads = threads;
        backing.kvBlocks = (longest + kKvBlockTokens - 1) / kKvBlockTokens;
        backing.maxRows = std::max(kMostRows, backing.maxRows);
        backing.kvType = options.kvType;
        backing.device = device->index;
        const std::int64_t beginNs = steadyNs();
        auto backend = (*maker)(*plan, backing, {});
        if (!backend)
            return tl::unexpected(std::move(backend.error()));
        const double loadSeconds = static_cast<double>(steadyNs() - beginNs) / kNsPerSecond;
        (*backend)->recordSpans(false);
        progress("measuring");
        Result<BenchRow> row = measure(**backend, backing.kvBlocks, plan->vocabulary, options);
        if (!row)
            return tl::unexpected(std::move(row.error()));
        row->loadSeconds = loadSeconds;
        report.device = (*backend)->facts().device;
        report.weightBytes = (*backend)->facts().weightBytes;
        report.rows.push_back(*row);
        backend->reset(); // its memory is the next one's
        if (options.atOnce.empty())
            continue;
        auto together = runTogether(options, threads, progress);
        if (!together)
            return tl::unexpected(std::move(together.error()));
        report.together.insert(report.together.end(), together->begin(), together->end());
    }
    return report;
}

} // namespace decodescope::engine
