#pragma once

#include "engine/base/error.h"
#include "engine/sampling/sampler.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// One request as the scheduler sees it, and what it reports of it, step by step.
namespace decodescope::engine {

struct GenerationRequest {
    std::vector<TokenId> prompt; ///< not empty, shorter than the context
    std::uint32_t maxTokens = 0; ///< 0, or more than the context has room for: as far as the context goes
    SamplingSpec sampling;
    std::vector<std::string> stop;
    bool ignoreEos = false;
    bool speculate = false; ///< prompt lookup; only greedy sequences do it, the tokens are the same
    bool usePrefixCache = true;
    std::int64_t receivedNs = 0; ///< when the request had been read; queueing counts from here
};

enum class FinishReason : std::uint8_t { stop, length, cancelled, error };

/// The step that produced an event, for the `decodescope` object (docs/engine_api.md). An event leaves before the
/// step's other sequences are sampled: endNs is when its own tokens were known, samplingNs what sampling had taken
/// until then.
struct StepFacts {
    std::uint64_t id = 0;    ///< counts up over the engine's life
    std::uint32_t batch = 0; ///< sequences in the step
    std::uint32_t rows = 0;  ///< tokens that went through the model
    std::int64_t beginNs = 0, endNs = 0;
    std::int64_t attentionNs = 0, feedForwardNs = 0, headNs = 0, samplingNs = 0;
    std::uint64_t weightBytes = 0, kvBytes = 0;
};

/// What became known of one request in one step. Ids are those sampled and kept, the end token included, so that
/// the ids of all events are exactly the tokens generated; text may lag behind them (held-back bytes, stop strings).
struct GenerationEvent {
    std::vector<SampledToken> tokens;
    std::string text;
    std::int64_t sampledAtNs = 0;
    std::uint32_t position = 0;              ///< in the context, of the first of the tokens
    std::uint32_t kvLength = 0;              ///< positions in the cache after the step
    std::uint32_t drafted = 0, accepted = 0; ///< speculation in this step
    StepFacts step;
    std::optional<FinishReason> finish; ///< with the last event
    std::string message;                ///< with FinishReason::error
};

/// Known once, with the first event.
struct PromptFacts {
    std::uint32_t tokens = 0, cached = 0;
    std::uint32_t chunks = 0;   ///< steps that the prompt took
    std::int64_t queueNs = 0;   ///< received to its first step
    std::int64_t prefillNs = 0; ///< that step's begin to the first token
};

/// How a request listens. Called on the scheduler's thread; returns at once, never throws.
struct GenerationSink {
    /// `prompt` is set with the first event alone.
    std::function<void(GenerationEvent event, const PromptFacts* prompt)> onEvent;
    /// Prompt progress: tokens of it that are in the cache. May be empty.
    std::function<void(std::uint32_t done, std::uint32_t total)> onProgress;
};

} // namespace decodescope::engine
