#include "core/wire/engine_object.h"

#include "core/wire/surrogates.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace decodescope {
namespace {

/// The number under `key`; 0 where there is none that fits.
template <class T> T take(JsonView object, std::string_view key) {
    const auto value = object[key].count();
    return value && std::in_range<T>(*value) ? static_cast<T>(*value) : T{0};
}

std::string takeText(JsonView object, std::string_view key) {
    return wtf8ToUtf8(object[key].text());
}

EngineFacts readFacts(JsonView engine) {
    EngineFacts facts;
    facts.version = takeText(engine, "version");
    facts.model = takeText(engine, "model");
    facts.architecture = takeText(engine, "architecture");
    facts.quantization = takeText(engine, "quantization");
    facts.device = takeText(engine, "device");
    facts.kvType = takeText(engine, "kv_type");
    facts.speculative = takeText(engine, "speculative");
    facts.threads = take<std::uint32_t>(engine, "threads");
    facts.context = take<std::uint32_t>(engine, "context");
    facts.parallel = take<std::uint32_t>(engine, "parallel");
    facts.weightBytes = take<std::uint64_t>(engine, "weight_bytes");
    facts.kvBytesPerToken = take<std::uint64_t>(engine, "kv_bytes_per_token");
    if (const auto gbPerS = engine["bandwidth_gb_per_s"].number(); gbPerS && *gbPerS > 0)
        facts.bandwidthGBps = gbPerS;
    return facts;
}

EnginePrompt readPrompt(JsonView told) {
    EnginePrompt prompt;
    prompt.tokens = take<std::uint32_t>(told, "tokens");
    prompt.cached = take<std::uint32_t>(told, "cached");
    prompt.chunks = take<std::uint32_t>(told, "chunks");
    prompt.receivedNs = take<std::int64_t>(told, "received_ns");
    prompt.queueNs = take<std::int64_t>(told, "queue_ns");
    prompt.prefillNs = take<std::int64_t>(told, "prefill_ns");
    return prompt;
}

EngineStep readStep(JsonView object) {
    EngineStep step;
    step.tokens = static_cast<std::uint32_t>(
        std::min<std::size_t>(object["tokens"].size(), std::numeric_limits<std::uint32_t>::max()));
    step.sampledAtNs = take<std::int64_t>(object, "sampled_at_ns");
    step.position = take<std::uint32_t>(object, "position");
    step.kvLength = take<std::uint32_t>(object, "kv_len");
    step.drafted = take<std::uint32_t>(object, "drafted");
    step.accepted = take<std::uint32_t>(object, "accepted");
    const JsonView told = object["step"];
    step.stepId = take<std::uint64_t>(told, "id");
    step.batch = take<std::uint32_t>(told, "batch");
    step.rows = take<std::uint32_t>(told, "rows");
    step.beginNs = take<std::int64_t>(told, "begin_ns");
    step.endNs = take<std::int64_t>(told, "end_ns");
    step.attentionNs = take<std::int64_t>(told, "attention_ns");
    step.feedForwardNs = take<std::int64_t>(told, "feed_forward_ns");
    step.headNs = take<std::int64_t>(told, "head_ns");
    step.samplingNs = take<std::int64_t>(told, "sampling_ns");
    step.weightBytes = take<std::uint64_t>(told, "weight_bytes");
    step.kvBytes = take<std::uint64_t>(told, "kv_bytes");
    return step;
}

} // namespace

void readEngineObject(JsonView object, MessageContent& out) {
    if (!object.isObject())
        return;
    if (const JsonView engine = object["engine"]; engine.isObject())
        out.engine = std::make_shared<const EngineFacts>(readFacts(engine));
    if (const JsonView prompt = object["prompt"]; prompt.isObject())
        out.enginePrompt = readPrompt(prompt);
    const EngineStep step = readStep(object);
    if (step.tokens == 0)
        return;
    out.hints.engine = step.tokens;
    if (step.sampledAtNs > 0) // an answer that came whole tells of no single step
        out.engineStep = step;
}

} // namespace decodescope
