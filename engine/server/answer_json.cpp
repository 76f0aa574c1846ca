#include "engine/server/answer_json.h"

#include "engine/tokenizer/tokenizer.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace decodescope::engine {

using Json = nlohmann::ordered_json;

Json engineJson(const EngineCard& card) {
    Json json;
    json["version"] = card.version;
    json["model"] = card.model;
    json["architecture"] = card.architecture;
    json["quantization"] = card.quantization;
    json["device"] = card.device;
    json["threads"] = card.threads;
    json["context"] = card.context;
    json["parallel"] = card.parallel;
    json["kv_type"] = card.kvType;
    json["weight_bytes"] = card.weightBytes;
    json["kv_bytes_per_token"] = card.kvBytesPerToken;
    json["bandwidth_gb_per_s"] = card.bandwidthGBps ? Json(*card.bandwidthGBps) : Json(nullptr);
    json["speculative"] = card.speculative;
    return json;
}

Json promptJson(const PromptFacts& prompt, std::int64_t receivedNs) {
    Json json;
    json["tokens"] = prompt.tokens;
    json["cached"] = prompt.cached;
    json["chunks"] = prompt.chunks;
    json["queue_ns"] = prompt.queueNs;
    json["prefill_ns"] = prompt.prefillNs;
    json["received_ns"] = receivedNs;
    return json;
}

Json eventJson(const GenerationEvent& event) {
    Json json;
    json["tokens"] = Json::array();
    for (const SampledToken& token : event.tokens)
        json["tokens"].push_back(token.id);
    json["sampled_at_ns"] = event.sampledAtNs;
    json["position"] = event.position;
    json["kv_len"] = event.kvLength;
    json["drafted"] = event.drafted;
    json["accepted"] = event.accepted;
    Json& step = json["step"];
    step["id"] = event.step.id;
    step["batch"] = event.step.batch;
    step["rows"] = event.step.rows;
    step["begin_ns"] = event.step.beginNs;
    step["end_ns"] = event.step.endNs;
    step["attention_ns"] = event.step.attentionNs;
    step["feed_forward_ns"] = event.step.feedForwardNs;
    step["head_ns"] = event.step.headNs;
    step["sampling_ns"] = event.step.samplingNs;
    step["weight_bytes"] = event.step.weightBytes;
    step["kv_bytes"] = event.step.kvBytes;
    return json;
}

Json usageJson(const PromptFacts& prompt, std::uint64_t completionTokens) {
    Json json;
    json["prompt_tokens"] = prompt.tokens;
    json["completion_tokens"] = completionTokens;
    json["total_tokens"] = prompt.tokens + completionTokens;
    json["prompt_tokens_details"]["cached_tokens"] = prompt.cached;
    return json;
}

std::string tokenText(const Tokenizer& tokenizer, TokenId id) {
    return std::string(tokenizer.bytesOf(id, /*showControl=*/true));
}

double printableLogprob(float logprob) noexcept {
    constexpr double kUnlikely = -9999.0;
    return std::isfinite(logprob) ? static_cast<double>(logprob) : kUnlikely;
}

namespace {

Json oneLogprob(const Tokenizer& tokenizer, const TokenLogprob& token) {
    const std::string text = tokenText(tokenizer, token.id);
    Json json;
    json["id"] = token.id;
    json["token"] = text;
    json["bytes"] = Json::array();
    for (const char byte : text)
        json["bytes"].push_back(static_cast<unsigned char>(byte));
    json["logprob"] = printableLogprob(token.logprob);
    return json;
}

} // namespace

Json chatLogprobJson(const Tokenizer& tokenizer, const SampledToken& token) {
    if (!token.chosen)
        return nullptr;
    Json json = oneLogprob(tokenizer, *token.chosen);
    json["top_logprobs"] = Json::array();
    for (const TokenLogprob& candidate : token.candidates)
        json["top_logprobs"].push_back(oneLogprob(tokenizer, candidate));
    return json;
}

std::string dumped(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string sseEvent(const Json& json) {
    return "data: " + dumped(json) + "\n\n";
}

} // namespace decodescope::engine
