#include "engine/server/metrics_text.h"

#include <fmt/format.h>

namespace decodescope::engine {

std::string metricsText(const SchedulerStats& stats, const BackendFacts& facts) {
    std::string out;
    const auto write = [&](const char* type, const char* name, const char* help, auto value) {
        out += fmt::format("# HELP decodescope_{0} {1}\n# TYPE decodescope_{0} {2}\ndecodescope_{0} {3}\n", name, help,
                           type, value);
    };
    write("gauge", "requests_running", "Sequences that are being decoded or whose prompt is being read.",
          stats.running);
    write("gauge", "requests_waiting", "Requests in the queue.", stats.waiting);
    write("counter", "requests_total", "Requests taken since the start.", stats.requestsTotal);
    write("counter", "requests_cancelled_total", "Requests whose client left or cancelled.", stats.requestsCancelled);
    write("counter", "requests_failed_total", "Requests that ended with an error.", stats.requestsFailed);
    write("counter", "prompt_tokens_total", "Prompt tokens, cached ones included.", stats.promptTokens);
    write("counter", "prompt_tokens_cached_total", "Prompt tokens taken from the prefix cache.", stats.cachedTokens);
    write("counter", "generated_tokens_total", "Tokens sampled and kept.", stats.generatedTokens);
    write("counter", "drafted_tokens_total", "Tokens proposed by prompt lookup.", stats.drafted);
    write("counter", "accepted_tokens_total", "Proposed tokens that proved right.", stats.accepted);
    write("counter", "steps_total", "Steps run by the model.", stats.steps);
    write("counter", "prompt_seconds_total", "Time of steps that read prompts.", stats.promptSeconds);
    write("counter", "decode_seconds_total", "Time of steps that decoded alone.", stats.decodeSeconds);
    write("gauge", "kv_blocks_used", "Blocks of the key-value cache held by requests.", stats.kvBlocksUsed);
    write("gauge", "kv_blocks_cached", "Blocks kept for prompts to come.", stats.kvBlocksCached);
    write("gauge", "kv_blocks_total", "Blocks of the key-value cache.", stats.kvBlocksTotal);
    write("gauge", "threads", "Threads that compute.", facts.threads);
    write("gauge", "weight_bytes", "Bytes of weights that one decode step reads.", facts.weightBytes);
    write("gauge", "kv_bytes_per_token", "Bytes of the cache per position.", facts.kvBytesPerToken);
    write("gauge", "memory_bytes", "Weights, cache and scratch.", facts.memoryBytes);
    write("gauge", "read_bandwidth_gb_per_second", "Read rate measured at load with these threads.",
          facts.readBandwidthGBps);
    return out;
}

} // namespace decodescope::engine
