#pragma once

#include "engine/backend/backend.h"
#include "engine/scheduler/generation.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// Iteration-level continuous batching: one thread, one step after another over whatever sequences there are, a
/// prompt's chunks between decode steps, a cache of prefixes, cancellation between steps.
namespace decodescope::engine {

struct SchedulerOptions {
    std::uint32_t parallel = 4;         ///< sequences that decode together, 1 ... 16; more wait in order of arrival
    std::uint32_t contextLength = 2048; ///< most positions of one sequence
    std::uint32_t prefillChunk = 128;   ///< most prompt tokens of a step while others decode
    std::uint32_t kvBlocks = 0;         ///< blocks of the backend's cache, as in its BackendOptions; so the next two
    std::uint32_t maxRows = 256;
    std::uint32_t maxLogitsRows = 64;
    std::uint32_t maxQueue = 256;   ///< requests that may wait; more are refused
    std::uint32_t draftTokens = 8;  ///< most tokens drafted by prompt lookup
    std::uint32_t traceSteps = 512; ///< steps kept for /trace
};

using GenerationId = std::uint64_t;

/// A span of /trace. `request` 0: the step as a whole.
struct TraceSpan {
    std::string name; ///< "queue", "prefill chunk", "decode step", "embed", "attention", "feed forward", "head",
                      ///< "sampling", "detokenise", "send"
    std::uint64_t step = 0;
    GenerationId request = 0;
    std::int32_t layer = -1;
    std::int64_t beginNs = 0, endNs = 0;
    std::uint32_t tokens = 0; ///< of the chunk or step
};

struct SchedulerStats {
    std::uint32_t running = 0, waiting = 0;
    std::uint64_t requestsTotal = 0, requestsCancelled = 0, requestsFailed = 0;
    std::uint64_t promptTokens = 0, cachedTokens = 0, generatedTokens = 0;
    std::uint64_t drafted = 0, accepted = 0;
    std::uint64_t steps = 0;
    double promptSeconds = 0, decodeSeconds = 0;
    std::uint32_t kvBlocksUsed = 0, kvBlocksCached = 0, kvBlocksTotal = 0;
};

class Scheduler {
public:
    /// Owns the backend and a thread. `tokenizer` outlives it.
    Scheduler(std::unique_ptr<Backend> backend, const Tokenizer& tokenizer, const SchedulerOptions& options);
    ~Scheduler(); ///< cancels everything, joins the thread
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;

    /// ErrorCode::usage when the prompt does not fit the context or holds ids out of range, or the queue is full
    /// (::memory). Events come to the sink from the scheduler's thread until one has `finish`; they may come before
    /// this returns. Sinks may call the scheduler.
    [[nodiscard]] Result<GenerationId> submit(GenerationRequest request, GenerationSink sink);
    /// The request ends with FinishReason::cancelled before the next step; unknown ids do nothing.
    void cancel(GenerationId id);
    /// Ends everything in flight with FinishReason::error and `message`, before the next step; nothing new is taken
    /// (ErrorCode::cancelled). Returns at once.
    void shutdown(const std::string& message);

    /// Both tell of every event that was sent, but for a sink of the step under way.
    [[nodiscard]] SchedulerStats stats() const;
    [[nodiscard]] std::vector<TraceSpan> trace() const; ///< of the last steps, in order of begin
    /// Adds a span measured elsewhere: the server's "send".
    void addSpan(TraceSpan span);
    [[nodiscard]] BackendFacts backendFacts() const;
    [[nodiscard]] const SchedulerOptions& options() const;
    /// Always-on instrumentation (spans and trace), for measuring what it costs.
    void setTracing(bool on);

private:
    struct Inside;
    std::unique_ptr<Inside> m_inside;
};

} // namespace decodescope::engine
