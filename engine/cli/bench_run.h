#pragma once

#include "engine/backend/backend.h"
#include "engine/base/error.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace decodescope::engine {

struct BenchOptions {
    std::string file;
    std::string device = "auto";
    std::vector<int> threads{0};      ///< 0: tuned at load
    std::uint32_t promptTokens = 512; ///< 0: prompts are not measured
    std::uint32_t decodeTokens = 128; ///< 0: decoding is not measured
    std::uint32_t repeat = 3;
    std::vector<std::uint32_t> atOnce; ///< numbers of requests that decode together through the scheduler
    KvType kvType = KvType::f16;
};

/// Medians over the repeats.
struct BenchRow {
    int threads = 0;
    double bandwidthGBps = 0;         ///< measured at load with these threads, no less than decoding read
    double loadSeconds = 0;           ///< backend alone: repacking, tuning, measuring
    std::optional<double> promptTps;  ///< one prompt from an empty cache
    std::optional<double> decodeTps;  ///< one sequence, one token a step, from an empty cache
    std::optional<double> decodeGBps; ///< weights and cache read by those steps, by their time
    std::optional<double> fraction;   ///< of the bandwidth
};

/// Requests at once, through the scheduler.
struct BenchTogetherRow {
    int threads = 0;
    std::uint32_t requests = 0;
    double aggregateTps = 0; ///< tokens of all, from the first token of the last to begin to the last token of all
};

struct BenchReport {
    std::string model, architecture, quantization, device;
    std::uint64_t weightBytes = 0;
    std::vector<BenchRow> rows;
    std::vector<BenchTogetherRow> together;
};

/// Called with a few words before each part.
using BenchProgress = std::function<void(const std::string& what)>;

[[nodiscard]] Result<BenchReport> runBench(const BenchOptions& options, const BenchProgress& progress);

/// The rows of options.atOnce with one number of threads, through loadModel and the scheduler.
[[nodiscard]] Result<std::vector<BenchTogetherRow>> runTogether(const BenchOptions& options, int threads,
                                                                const BenchProgress& progress);

/// Ids spread over the vocabulary, the same ones for the same `seed`.
[[nodiscard]] std::vector<TokenId> spreadIds(std::uint32_t count, std::uint32_t vocabulary, std::uint64_t seed);
[[nodiscard]] double median(std::vector<double> values); ///< of at least one

[[nodiscard]] std::string benchAsJson(const BenchReport& report, const BenchOptions& options);
[[nodiscard]] std::string benchAsTable(const BenchReport& report, const BenchOptions& options);

} // namespace decodescope::engine
