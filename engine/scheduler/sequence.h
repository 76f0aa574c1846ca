#pragma once

#include "engine/backend/backend.h"
#include "engine/scheduler/generation.h"
#include "engine/scheduler/kv_space.h"
#include "engine/scheduler/prompt_lookup.h"
#include "engine/scheduler/scheduler.h"
#include "engine/scheduler/step_plan.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace decodescope::engine {

/// One request from its arrival to its last event: its tokens, what it wants of a step, and what it makes of one.
class Sequence {
public:
    /// `request` was checked: its prompt fits, maxTokens is set. `draftTokens`: as of SchedulerOptions.
    Sequence(GenerationRequest request, GenerationSink sink, const Tokenizer& tokenizer, std::uint32_t draftTokens);

    [[nodiscard]] GenerationId id() const noexcept { return m_id; }
    void setId(GenerationId id) noexcept { m_id = id; }
    [[nodiscard]] std::span<const TokenId> prompt() const noexcept { return std::span(m_tokens).first(m_promptTokens); }
    /// Positions that the cache has to hold, at most: the last token is never fed.
    [[nodiscard]] std::uint32_t positionsNeeded() const noexcept { return m_promptTokens + m_maxTokens - 1; }
    [[nodiscard]] CacheUse cacheUse() const noexcept { return m_cacheUse; }
    [[nodiscard]] std::int64_t receivedNs() const noexcept { return m_receivedNs; }
    [[nodiscard]] bool decoding() const noexcept { return m_tokens.size() > m_promptTokens; }
    [[nodiscard]] std::uint32_t generated() const noexcept {
        return static_cast<std::uint32_t>(m_tokens.size()) - m_promptTokens;
    }
    [[nodiscard]] std::optional<FinishReason> finish() const noexcept { return m_finish; }
    [[nodiscard]] const PromptFacts& promptFacts() const noexcept { return m_facts; }

    KvLease lease; ///< of the scheduler's KvSpace
    /// Tokens whose keys and values are in the cache.
    [[nodiscard]] std::span<const TokenId> computed() const noexcept { return std::span(m_tokens).first(m_kvLength); }

    /// It has its lease: what was cached counts as done.
    void admitted();
    /// Its lease has caught up with what others computed of its prompt: `positions` of it are there.
    void caughtUp(std::uint32_t positions);
    /// Whether `leader`, which came before, is about to compute the block of the prompt that this one needs next: then
    /// it is better to wait and share it.
    [[nodiscard]] bool follows(const Sequence& leader) const;
    [[nodiscard]] StepWish wish();
    /// Makes its part of the step out of its share. `lease` covers it.
    [[nodiscard]] SequenceSlice slice(StepShare share, std::int64_t stepBeginNs);
    [[nodiscard]] std::uint32_t positionsAfter(StepShare share) const noexcept {
        return m_kvLength + share.rows + share.drafts;
    }

    struct Outcome {
        std::uint32_t drafted = 0, accepted = 0;
        std::int64_t samplingBeginNs = 0, sampledAtNs = 0, detokenisedNs = 0; ///< 0: nothing was sampled
    };
    /// The step is done: `logits` are those of its slice, rows of `vocabulary`. Samples, and sends the event before
    /// anything else is done with it. `step.samplingNs` is what others took before; its own is added.
    Outcome advance(std::span<const float> logits, std::size_t vocabulary, StepFacts& step);
    /// Ends it between steps.
    void end(FinishReason reason, std::string message);

private:
    void sampleRows(std::span<const float> logits, std::size_t vocabulary, GenerationEvent& event);
    void detokenise(GenerationEvent& event);
    void send(GenerationEvent event);

    GenerationId m_id = 0;
    GenerationSink m_sink;
    const Tokenizer& m_tokenizer;
    std::uint32_t m_promptTokens;
    std::uint32_t m_maxTokens;
    bool m_ignoreEos;
    CacheUse m_cacheUse;
    std::int64_t m_receivedNs;

    std::vector<TokenId> m_tokens; // the prompt and what was generated
    std::uint32_t m_kvLength = 0;
    StepShare m_share;              // of the step under way
    std::vector<TokenId> m_checked; // the last token and its drafts, in such a step
    Sampler m_sampler;
    StreamDetokenizer m_detokenizer;
    StopStrings m_stops;
    std::optional<PromptLookup> m_lookup;
    std::span<const TokenId> m_draft; // in m_lookup
    PromptFacts m_facts;
    std::int64_t m_firstStepNs = 0;
    bool m_sentFirst = false;
    std::optional<FinishReason> m_finish;
};

} // namespace decodescope::engine
