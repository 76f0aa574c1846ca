#include "engine/server/completion_request.h"

#include "engine/server/json_fields.h"
#include "engine/server/json_input.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <limits>
#include <sys/random.h>

namespace decodescope::engine {

namespace {

using nlohmann::json;

constexpr std::size_t kMaxMessages = 4096;
constexpr std::size_t kMaxStops = 16;
constexpr std::size_t kMaxStopBytes = 1024;
constexpr std::size_t kMaxModelName = 256;
constexpr int kMaxLogprobs = 20;

std::uint64_t randomSeed() {
    std::uint64_t seed = 0;
    // Short or failed reads leave zeros: a seed like any other.
    (void)!getrandom(&seed, sizeof seed, GRND_NONBLOCK);
    return seed;
}

/// The text of a message: a string, or an array of text parts.
std::optional<std::string> contentText(const json& content) {
    if (content.is_string())
        return content.get<std::string>();
    if (!content.is_array())
        return std::nullopt;
    std::string text;
    for (const json& part : content) {
        if (!part.is_object() || part.value("type", json()) != "text")
            return std::nullopt;
        const auto piece = part.find("text");
        if (piece == part.end() || !piece->is_string())
            return std::nullopt;
        text += piece->get_ref<const std::string&>();
    }
    return text;
}

void readMessages(JsonFields& fields, CompletionRequest& request) {
    const json* messages = fields.find("messages");
    if (messages == nullptr || !messages->is_array() || messages->empty())
        return fields.fault("\"messages\" must be an array with at least one message.");
    if (messages->size() > kMaxMessages)
        return fields.fault(fmt::format("\"messages\" has more than {} messages.", kMaxMessages));
    for (std::size_t i = 0; i < messages->size(); ++i) {
        JsonFields message((*messages)[i]);
        ChatMessage read;
        read.role = message.text("role", 64).value_or("");
        if (read.role.empty())
            return fields.fault(fmt::format("messages[{}] needs a \"role\".", i));
        if (read.role == "developer") // the later name of the same role
            read.role = "system";
        if (const json* content = message.find("content")) {
            const auto text = contentText(*content);
            if (!text)
                return fields.fault(fmt::format("messages[{}].content must be text: a string, or an array of parts "
                                                "{{\"type\":\"text\",\"text\":...}}. This engine reads nothing else.",
                                                i));
            read.content = *text;
        }
        request.messages.push_back(std::move(read));
    }
}

void readChatOptions(JsonFields& fields, CompletionRequest& request) {
    const json* options = fields.find("chat_template_kwargs");
    if (options == nullptr)
        return;
    if (!options->is_object())
        return fields.fault("\"chat_template_kwargs\" must be an object.");
    JsonFields inner(*options);
    request.chatOptions.thinking = inner.flag("enable_thinking");
    if (!inner.good())
        fields.fault("chat_template_kwargs: " + inner.sentence());
}

void readPrompt(JsonFields& fields, const RequestDefaults& defaults, CompletionRequest& request) {
    const json* prompt = fields.find("prompt");
    const std::string_view wanted = "\"prompt\" must be a string or an array of token ids (one prompt a request).";
    if (prompt != nullptr && prompt->is_array() && prompt->size() == 1 &&
        ((*prompt)[0].is_string() || (*prompt)[0].is_array()))
        prompt = &(*prompt)[0];
    if (prompt == nullptr)
        return fields.fault("\"prompt\" is missing.");
    if (prompt->is_string()) {
        request.promptText = prompt->get<std::string>();
        return;
    }
    if (!prompt->is_array() || prompt->empty())
        return fields.fault(std::string(wanted));
    for (const json& id : *prompt) {
        if (!id.is_number())
            return fields.fault(std::string(wanted));
        const auto token = integerOf(id, 0, std::int64_t{defaults.vocabulary} - 1);
        if (!token)
            return fields.fault(fmt::format("\"prompt\" holds an id that the model does not have (0 to {}).",
                                            std::int64_t{defaults.vocabulary} - 1));
        request.promptIds.push_back(static_cast<TokenId>(*token));
    }
}

void readStops(JsonFields& fields, GenerationRequest& generation) {
    const json* stop = fields.find("stop");
    if (stop == nullptr)
        return;
    const json list = stop->is_string() ? json::array({*stop}) : *stop;
    if (!list.is_array() || list.size() > kMaxStops)
        return fields.fault(fmt::format("\"stop\" must be a string or an array of at most {} strings.", kMaxStops));
    for (const json& text : list) {
        if (!text.is_string() || text.get_ref<const std::string&>().empty() ||
            text.get_ref<const std::string&>().size() > kMaxStopBytes)
            return fields.fault(fmt::format("A stop string must be text of 1 to {} bytes.", kMaxStopBytes));
        generation.stop.push_back(text.get<std::string>());
    }
}

/// {"id": bias} as OpenAI has it, or [[id, bias], ...] as llama.cpp has it too.
void readBias(JsonFields& fields, const RequestDefaults& defaults, SamplingSpec& sampling) {
    const json* bias = fields.find("logit_bias");
    if (bias == nullptr)
        return;
    const std::int64_t last = std::int64_t{defaults.vocabulary} - 1;
    const auto add = [&](std::optional<std::int64_t> id, const json& value) {
        const auto amount = realOf(value, -100, 100);
        if (!id || !amount)
            return fields.fault(
                fmt::format("\"logit_bias\" must give token ids (0 to {}) a bias from -100 to 100.", last));
        sampling.bias.emplace_back(static_cast<TokenId>(*id), static_cast<float>(*amount));
    };
    if (bias->is_object()) {
        for (const auto& [key, value] : bias->items()) {
            std::int64_t id = -1;
            const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
            const bool good = error == std::errc{} && end == key.data() + key.size() && id >= 0 && id <= last;
            add(good ? std::optional(id) : std::nullopt, value);
        }
    } else if (bias->is_array()) {
        for (const json& pair : *bias) {
            const bool good = pair.is_array() && pair.size() == 2;
            add(good ? integerOf(pair[0], 0, last) : std::nullopt, good ? pair[1] : json());
        }
    } else {
        add(std::nullopt, *bias);
    }
}

void readLogprobs(JsonFields& fields, CompletionRequest& request) {
    auto& wanted = request.generation.sampling.logprobs;
    if (request.api == CompletionApi::completions) {
        if (const auto best = fields.integer("logprobs", 0, kMaxLogprobs))
            wanted = static_cast<std::uint32_t>(*best);
        return;
    }
    const bool on = fields.flag("logprobs").value_or(false);
    const auto best = fields.integer("top_logprobs", 0, kMaxLogprobs);
    if (on)
        wanted = static_cast<std::uint32_t>(best.value_or(0));
    else if (best && *best > 0)
        fields.fault("\"top_logprobs\" needs \"logprobs\": true.");
}

/// Any 64 bits, signed or not: other programs draw their seeds from either range.
std::uint64_t readSeed(JsonFields& fields) {
    const json* value = fields.find("seed");
    if (value != nullptr && value->is_number_unsigned())
        return value->get<std::uint64_t>();
    const auto seed =
        fields.integer("seed", std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
    return seed && *seed != -1 ? static_cast<std::uint64_t>(*seed) : randomSeed();
}

void readSampling(JsonFields& fields, const RequestDefaults& defaults, CompletionRequest& request) {
    SamplingSpec& sampling = request.generation.sampling;
    sampling.temperature = fields.real("temperature", 0, 100).value_or(sampling.temperature);
    sampling.topP = fields.real("top_p", 0, 1).value_or(sampling.topP);
    sampling.minP = fields.real("min_p", 0, 1).value_or(sampling.minP);
    const auto topK = fields.integer("top_k", -1, std::numeric_limits<std::int32_t>::max());
    sampling.topK = topK && *topK > 0 ? static_cast<std::int32_t>(*topK) : 0; // 0 and -1 both mean "off" elsewhere
    auto repetition = fields.real("repetition_penalty", 0.01, 100);
    if (!repetition)
        repetition = fields.real("repeat_penalty", 0.01, 100);
    sampling.repetitionPenalty = repetition.value_or(sampling.repetitionPenalty);
    sampling.presencePenalty = fields.real("presence_penalty", -2, 2).value_or(0);
    sampling.frequencyPenalty = fields.real("frequency_penalty", -2, 2).value_or(0);
    sampling.seed = readSeed(fields);
    readLogprobs(fields, request);
    readBias(fields, defaults, sampling);
}

void readLength(JsonFields& fields, GenerationRequest& generation) {
    for (const std::string_view key : {"max_completion_tokens", "max_tokens"}) {
        const json* value = fields.find(key);
        if (value == nullptr)
            continue;
        if (integerOf(*value, -1, -1))
            return; // "as far as it goes", elsewhere
        const auto tokens = fields.integer(key, 1, std::numeric_limits<std::int32_t>::max());
        generation.maxTokens = static_cast<std::uint32_t>(tokens.value_or(0));
        return;
    }
}

void readStreaming(JsonFields& fields, CompletionRequest& request) {
    request.stream = fields.flag("stream").value_or(false);
    const json* options = fields.find("stream_options");
    if (options == nullptr)
        return;
    if (!options->is_object())
        return fields.fault("\"stream_options\" must be an object.");
    JsonFields inner(*options);
    request.includeUsage = inner.flag("include_usage").value_or(false);
    request.continuousUsage = inner.flag("continuous_usage_stats").value_or(false);
    if (!inner.good())
        fields.fault("stream_options: " + inner.sentence());
}

/// Wishes that would change the answer and that nobody may believe fulfilled.
void refuseTheImpossible(JsonFields& fields) {
    for (const char* key : {"n", "best_of"}) {
        const json* value = fields.find(key);
        if (value != nullptr && !integerOf(*value, 1, 1))
            return fields.fault(fmt::format("\"{}\" must be 1: send several requests, they decode together.", key));
    }
    if (fields.flag("echo").value_or(false))
        return fields.fault("\"echo\" is not supported.");
    for (const char* key : {"tools", "functions", "suffix", "grammar", "json_schema"}) {
        const json* value = fields.find(key);
        if (value != nullptr && !value->empty() &&
            !(value->is_string() && value->get_ref<const std::string&>().empty()))
            return fields.fault(fmt::format("\"{}\" is not supported by this engine.", key));
    }
    if (const json* format = fields.find("response_format");
        format != nullptr && (!format->is_object() || format->value("type", json()) != "text"))
        fields.fault("\"response_format\" other than {\"type\":\"text\"} is not supported.");
}

} // namespace

Result<CompletionRequest> parseCompletionRequest(CompletionApi api, std::string_view body,
                                                 const RequestDefaults& defaults) {
    const Result<json> parsed = parseJsonObject(body);
    if (!parsed)
        return tl::unexpected(parsed.error());
    JsonFields fields(*parsed);
    CompletionRequest request;
    request.api = api;
    request.model = fields.text("model", kMaxModelName).value_or(defaults.model);
    refuseTheImpossible(fields);
    if (api == CompletionApi::chat) {
        readMessages(fields, request);
        readChatOptions(fields, request);
    } else {
        readPrompt(fields, defaults, request);
    }
    readStreaming(fields, request);
    readSampling(fields, defaults, request);
    readLength(fields, request.generation);
    readStops(fields, request.generation);
    request.generation.ignoreEos = fields.flag("ignore_eos").value_or(false);
    request.generation.usePrefixCache = fields.flag("cache_prompt").value_or(true);
    request.generation.speculate = defaults.speculative;
    if (const auto speculative = fields.text("speculative", 64)) {
        request.generation.speculate = *speculative == "lookup";
        if (*speculative != "lookup" && *speculative != "off")
            fields.fault("\"speculative\" must be \"lookup\" or \"off\".");
    }
    if (!fields.good())
        return fail(ErrorCode::usage, fields.sentence());
    return request;
}

} // namespace decodescope::engine
