#pragma once

#include "engine/scheduler/generation.h"
#include "engine/server/engine_card.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>

/// The parts that answers are made of: docs/engine_api.md and the standard fields.
namespace decodescope::engine {

class Tokenizer;

[[nodiscard]] nlohmann::ordered_json engineJson(const EngineCard& card);
[[nodiscard]] nlohmann::ordered_json promptJson(const PromptFacts& prompt, std::int64_t receivedNs);
/// tokens, sampled_at_ns, position, kv_len, drafted, accepted, step
[[nodiscard]] nlohmann::ordered_json eventJson(const GenerationEvent& event);
[[nodiscard]] nlohmann::ordered_json usageJson(const PromptFacts& prompt, std::uint64_t completionTokens);
/// {id, token, bytes, logprob, top_logprobs} as chat answers have it; a token without logprobs gives null.
[[nodiscard]] nlohmann::ordered_json chatLogprobJson(const Tokenizer& tokenizer, const SampledToken& token);

/// Text of a token as answers show it: control tokens by their name.
[[nodiscard]] std::string tokenText(const Tokenizer& tokenizer, TokenId id);
/// JSON cannot hold infinities: what has no probability is as unlikely as other servers say.
[[nodiscard]] double printableLogprob(float logprob) noexcept;
/// Valid UTF-8 whatever is inside.
[[nodiscard]] std::string dumped(const nlohmann::ordered_json& json);
/// One server-sent event.
[[nodiscard]] std::string sseEvent(const nlohmann::ordered_json& json);

} // namespace decodescope::engine
