#pragma once

#include "engine/tokenizer/tokenizer.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace decodescope::engine {

/// How the next token is chosen. Defaults are those of the OpenAI API where it has them. In order: penalties, bias,
/// temperature, top-k, top-p (of the mass that top-k left), min-p. Numbers that make no sense count as their default.
struct SamplingSpec {
    float temperature = 1.0F; ///< 0: greedy
    std::int32_t topK = 0;    ///< 0: off
    float topP = 1.0F;
    float minP = 0.0F;
    float repetitionPenalty = 1.0F;
    float presencePenalty = 0.0F; ///< over generated tokens alone, as is the next
    float frequencyPenalty = 0.0F;
    std::uint32_t penaltyWindow = 64;            ///< tokens looked back on, prompt included; for repetitionPenalty
    std::uint64_t seed = 0;                      ///< the same seed, prompt and settings give the same tokens
    std::optional<std::uint32_t> logprobs;       ///< alternatives per token; 0: the chosen one alone; nullopt: none
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

struct LogitPeak;
struct RowPeaks;
struct WeighedToken;

/// Chooses tokens for one sequence. Deterministic: the random number of a token depends on the seed and on how many
/// tokens were sampled before, not on what else the engine does.
class Sampler {
public:
    Sampler(const SamplingSpec& spec, std::span<const TokenId> prompt);
    ~Sampler();
    Sampler(Sampler&&) noexcept;
    Sampler& operator=(Sampler&&) noexcept;
    /// nullopt when the logits are not finite: the sequence ends with that reason. Does not take the token in.
    [[nodiscard]] std::optional<SampledToken> sample(std::span<const float> logits);
    /// Tells that `id` is now a part of the sequence; penalties see it from here on.
    void accept(TokenId id);
    [[nodiscard]] bool greedy() const noexcept { return m_spec.temperature <= 0.0F; }

private:
    [[nodiscard]] bool adjusts() const noexcept;
    [[nodiscard]] std::span<const float> adjust(std::span<const float> logits);
    [[nodiscard]] TokenId draw(std::span<const float> logits, const LogitPeak& peak);
    [[nodiscard]] TokenId drawOfAll(std::span<const float> logits, const LogitPeak& peak, double uniform);
    void gatherCandidates(std::span<const float> logits, const LogitPeak& peak);

    SamplingSpec m_spec;
    std::vector<TokenId> m_window; // of the last tokens, prompt included; only with a repetition penalty
    std::unordered_map<TokenId, std::uint32_t> m_generated; // how often; only with the penalties that count
    std::uint64_t m_accepted = 0;
    // What follows is of the row at hand, kept for its memory.
    std::unique_ptr<RowPeaks> m_rawPeaks;
    std::unique_ptr<RowPeaks> m_peaks;  // of the adjusted row
    std::vector<std::size_t> m_changed; // runs
    std::vector<float> m_adjusted;
    std::vector<double> m_sums;
    std::vector<TokenLogprob> m_candidates;
    std::vector<WeighedToken> m_weighed;
};

/// Looks for stop strings in text as it grows, holding back what may become one.
class StopStrings {
public:
    explicit StopStrings(std::vector<std::string> stops);
    struct Outcome {
        std::string text;     ///< that may be shown now
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
