#pragma once

#include "engine/tokenizer/tokenizer.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace decodescope::engine {

/// How the next token is chosen. Defaults are those of the OpenAI API where it has them.
struct SamplingSpec {
    float temperature = 1.0F; ///< 0: greedy
    std::int32_t topK = 0;    ///< 0: off
    float topP = 1.0F;
    float minP = 0.0F;
    float repetitionPenalty = 1.0F;
    float presencePenalty = 0.0F;
    float frequencyPenalty = 0.0F;
    std::uint32_t penaltyWindow = 64; ///< tokens looked back on, prompt included; for repetitionPenalty
    std::uint64_t seed = 0;           ///< the same seed, prompt and settings give the same tokens
    std::optional<std::uint32_t> logprobs; ///< alternatives per token; 0: the chosen one alone; nullopt: none
    std::vector<std::pair<TokenId, float>> bias; ///< added to the logits
};

struct TokenLogprob {
    TokenId id = 0;
    float logprob = 0; ///< log-softmax of the raw logits, before temperature and filters
};

struct SampledToken {
    TokenId id = 0;
    std::optional<TokenLogprob> chosen;   ///< with logprobs asked for
    std::vector<TokenLogprob> candidates; ///< best first
};

/// Chooses tokens for one sequence. Deterministic: the random number of a token depends on the seed and on how many
/// tokens were sampled before, not on what else the engine does.
class Sampler {
public:
    Sampler(const SamplingSpec& spec, std::span<const TokenId> prompt);
    /// nullopt when the logits are not finite: the sequence ends with that reason. Does not take the token in.
    [[nodiscard]] std::optional<SampledToken> sample(std::span<const float> logits);
    /// Tells that `id` is now a part of the sequence; penalties see it from here on.
    void accept(TokenId id);
    [[nodiscard]] bool greedy() const noexcept { return m_spec.temperature <= 0.0F; }

private:
    SamplingSpec m_spec;
    std::vector<TokenId> m_history; // prompt and accepted tokens
    std::size_t m_promptTokens = 0;
    std::uint64_t m_accepted = 0;
    std::vector<TokenLogprob> m_scratch;
    std::vector<float> m_adjusted;
};

/// Looks for stop strings in text as it grows, holding back what may become one.
class StopStrings {
public:
    explicit StopStrings(std::vector<std::string> stops);
    struct Outcome {
        std::string text; ///< that may be shown now
        bool stopped = false; ///< a stop string was met: it and what follows are dropped
    };
    [[nodiscard]] Outcome push(std::string_view text);
    /// At the end: what was held back and turned out to be no stop string.
    [[nodiscard]] std::string finish();

private:
    std::vector<std::string> m_stops;
    std::string m_held;
};

} // namespace decodescope::engine
