#include "core/record/spec_json.h"

#include "core/base/redaction.h"
#include "core/record/json_fields.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <utility>

namespace decodescope {
namespace {

using nlohmann::json;

using KindRow = std::pair<KeyReference::Kind, const char*>;
constexpr std::array kKeyKinds{
    KindRow{KeyReference::Kind::none, "none"},       KindRow{KeyReference::Kind::environment, "environment"},
    KindRow{KeyReference::Kind::file, "file"},       KindRow{KeyReference::Kind::standardInput, "stdin"},
    KindRow{KeyReference::Kind::session, "session"}, KindRow{KeyReference::Kind::keychain, "keychain"},
};

template <class T> void put(json& object, const char* name, const std::optional<T>& value) {
    if (value)
        object[name] = *value;
}
void put(json& object, const char* name, const std::string& value) {
    if (!value.empty())
        object[name] = value;
}
void putSeconds(json& object, const char* name, const std::optional<Duration>& value) {
    object[name] = value ? json(toSeconds(*value)) : json(nullptr);
}

void takeSeconds(const json& object, const char* name, std::optional<Duration>& value) {
    constexpr double kLongestS = 1e9; // keeps the nanoseconds well inside 64 bits
    const json* told = member(object, name);
    if (told == nullptr)
        return;
    if (told->is_null())
        value.reset();
    else if (const auto seconds = numberMember(object, name); seconds && *seconds >= 0 && *seconds <= kLongestS)
        value = fromSeconds(*seconds);
}

std::optional<int> smallInteger(const json& object, const char* name) {
    const auto value = integerMember(object, name);
    return value && std::in_range<int>(*value) ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

json keyToJson(const KeyReference& key) {
    json object = json::object();
    for (const auto& [kind, name] : kKeyKinds) {
        if (kind == key.kind)
            object["kind"] = name;
    }
    put(object, "name", key.name);
    return object;
}

KeyReference keyFromJson(const json& object) {
    KeyReference key;
    const std::string wanted = textMember(object, "kind").value_or("none");
    for (const auto& [kind, name] : kKeyKinds) {
        if (wanted == name)
            key.kind = kind;
    }
    key.name = textMember(object, "name").value_or("");
    return key;
}

json endpointToJson(const EndpointSpec& endpoint) {
    json object = json::object();
    object["url"] = urlWithoutSecrets(endpoint.url);
    object["protocol"] = endpoint.protocol;
    object["model"] = endpoint.model;
    object["key_ref"] = keyToJson(endpoint.key);
    put(object, "extra_ca_file", endpoint.extraCaFile);
    if (endpoint.allowInvalidTls)
        object["tls_not_verified"] = true;
    if (endpoint.allowPlainHttpWithKey)
        object["plain_http_with_key"] = true;
    put(object, "pinned_certificate", endpoint.pinnedCertificate);
    put(object, "preset", endpoint.preset);
    if (!endpoint.presetOptions.empty())
        object["preset_options"] = endpoint.presetOptions;
    object["connection"] = endpoint.connection == ConnectionUse::reuse ? "reuse" : "fresh";
    object["think_tags"] = endpoint.thinkTags;
    object["cumulative"] = endpoint.cumulative;
    return object;
}

EndpointSpec endpointFromJson(const json& object) {
    EndpointSpec endpoint;
    endpoint.url = textMember(object, "url").value_or("");
    endpoint.protocol = textMember(object, "protocol").value_or(endpoint.protocol);
    endpoint.model = textMember(object, "model").value_or("");
    if (const json* key = member(object, "key_ref"))
        endpoint.key = keyFromJson(*key);
    endpoint.extraCaFile = textMember(object, "extra_ca_file").value_or("");
    // Whose certificate somebody trusted is told and not taken over: the recording may be a stranger's.
    endpoint.preset = textMember(object, "preset").value_or("");
    if (const json* options = member(object, "preset_options"); options != nullptr && options->is_array()) {
        for (const json& option : *options) {
            if (option.is_string())
                endpoint.presetOptions.push_back(option.get<std::string>());
        }
    }
    if (textMember(object, "connection") == "reuse")
        endpoint.connection = ConnectionUse::reuse;
    endpoint.thinkTags = boolMember(object, "think_tags").value_or(false);
    endpoint.cumulative = boolMember(object, "cumulative").value_or(false);
    return endpoint;
}

std::optional<std::size_t> sizeMember(const json& object, const char* name) {
    const auto value = integerMember(object, name);
    return value && *value >= 0 ? std::optional(static_cast<std::size_t>(*value)) : std::nullopt;
}

json localToJson(const LocalModelSpec& local) {
    return {{"path", local.path},
            {"device", local.device},
            {"threads", local.threads},
            {"context", local.contextLength},
            {"parallel", local.parallel},
            {"kv", local.kvType},
            {"speculative", local.speculative},
            {"prefix_cache", local.prefixCache}};
}

/// A number of things of which there cannot be many.
int countMember(const json& object, const char* name, int otherwise) {
    constexpr int kMost = 1 << 28;
    const auto value = smallInteger(object, name);
    return value && *value >= 0 && *value <= kMost ? *value : otherwise;
}

std::optional<LocalModelSpec> localFromJson(const json& object) {
    LocalModelSpec local;
    local.path = textMember(object, "path").value_or("");
    if (local.path.empty())
        return std::nullopt;
    local.device = textMember(object, "device").value_or(local.device);
    local.threads = countMember(object, "threads", local.threads);
    local.contextLength = countMember(object, "context", local.contextLength);
    local.parallel = countMember(object, "parallel", local.parallel);
    local.kvType = textMember(object, "kv").value_or(local.kvType);
    local.speculative = boolMember(object, "speculative").value_or(local.speculative);
    local.prefixCache = boolMember(object, "prefix_cache").value_or(local.prefixCache);
    return local;
}

std::optional<RecordedLaneSpec> recordedFromJson(const json& object) {
    RecordedLaneSpec recorded;
    recorded.file = textMember(object, "file").value_or("");
    recorded.lane = countMember(object, "lane", 0);
    return recorded.file.empty() ? std::nullopt : std::optional(recorded);
}

json samplingToJson(const SamplingSpec& sampling) {
    json object = json::object();
    put(object, "max_tokens", sampling.maxTokens);
    if (sampling.temperature && std::isfinite(*sampling.temperature))
        object["temperature"] = *sampling.temperature;
    put(object, "seed", sampling.seed);
    object["ignore_eos"] = sampling.ignoreEos;
    put(object, "reasoning_effort", sampling.reasoningEffort);
    object["stream"] = sampling.stream;
    return object;
}

SamplingSpec samplingFromJson(const json& object) {
    SamplingSpec sampling;
    sampling.maxTokens = smallInteger(object, "max_tokens");
    sampling.temperature = numberMember(object, "temperature");
    sampling.seed = integerMember(object, "seed");
    sampling.ignoreEos = boolMember(object, "ignore_eos").value_or(false);
    sampling.reasoningEffort = textMember(object, "reasoning_effort");
    sampling.stream = boolMember(object, "stream").value_or(true);
    return sampling;
}

json timeoutsToJson(const Timeouts& timeouts) {
    json object = json::object();
    putSeconds(object, "connect_s", timeouts.connect);
    putSeconds(object, "first_token_s", timeouts.firstToken);
    putSeconds(object, "idle_s", timeouts.idle);
    putSeconds(object, "total_s", timeouts.total);
    return object;
}

Timeouts timeoutsFromJson(const json& object) {
    Timeouts timeouts;
    takeSeconds(object, "connect_s", timeouts.connect);
    takeSeconds(object, "first_token_s", timeouts.firstToken);
    takeSeconds(object, "idle_s", timeouts.idle);
    takeSeconds(object, "total_s", timeouts.total);
    return timeouts;
}

} // namespace

std::string runSpecToJson(const RunSpec& spec) {
    json object = json::object();
    put(object, "lane_name", spec.laneName);
    object["endpoint"] = endpointToJson(spec.endpoint);
    if (spec.local)
        object["local"] = localToJson(*spec.local);
    if (spec.recorded)
        object["recorded"] = {{"file", spec.recorded->file}, {"lane", spec.recorded->lane}};
    if (spec.batchMates > 0)
        object["batch_mates"] = spec.batchMates;
    if (spec.contextDepth > 0)
        object["context_depth"] = spec.contextDepth;
    put(object, "system", spec.system);
    object["prompt"] = spec.prompt;
    object["sampling"] = samplingToJson(spec.sampling);
    object["timeouts"] = timeoutsToJson(spec.timeouts);
    put(object, "max_bytes", spec.caps.bytes);
    put(object, "max_events", spec.caps.messages);
    object["unique_prefix"] = spec.uniquePrefix;
    return dumpJson(object);
}

Result<RunSpec> runSpecFromJson(std::string_view text) {
    const auto object = parseJson(text);
    if (!object || !object->is_object())
        return fail(ErrorCode::malformed, "The description of a run is no JSON object.");
    RunSpec spec;
    spec.laneName = textMember(*object, "lane_name").value_or("");
    if (const json* endpoint = member(*object, "endpoint"))
        spec.endpoint = endpointFromJson(*endpoint);
    if (const json* local = member(*object, "local"))
        spec.local = localFromJson(*local);
    if (const json* recorded = member(*object, "recorded"))
        spec.recorded = recordedFromJson(*recorded);
    spec.batchMates = countMember(*object, "batch_mates", 0);
    spec.contextDepth = countMember(*object, "context_depth", 0);
    spec.system = textMember(*object, "system").value_or("");
    spec.prompt = textMember(*object, "prompt").value_or("");
    if (const json* sampling = member(*object, "sampling"))
        spec.sampling = samplingFromJson(*sampling);
    if (const json* timeouts = member(*object, "timeouts"))
        spec.timeouts = timeoutsFromJson(*timeouts);
    spec.caps.bytes = sizeMember(*object, "max_bytes");
    spec.caps.messages = sizeMember(*object, "max_events");
    spec.uniquePrefix = boolMember(*object, "unique_prefix").value_or(false);
    return spec;
}

} // namespace decodescope
