#include "app/engine_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace decodescope {

namespace {

/// A count of the engine's that it may leave out.
Json countOrNull(std::uint64_t count) {
    return count > 0 ? Json(count) : Json(nullptr);
}

Json phasesJson(const std::optional<PhaseShares>& phases) {
    if (!phases)
        return nullptr;
    return {{"attention", jsonNumber(phases->attention)},
            {"feed_forward", jsonNumber(phases->feedForward)},
            {"head", jsonNumber(phases->head)},
            {"sampling", jsonNumber(phases->sampling)},
            {"rest", jsonNumber(phases->rest)}};
}

void addFacts(Json& json, const EngineFacts& facts) {
    json["version"] = jsonTextOrNull(facts.version);
    json["model"] = jsonTextOrNull(facts.model);
    json["architecture"] = jsonTextOrNull(facts.architecture);
    json["quantization"] = jsonTextOrNull(facts.quantization);
    json["device"] = jsonTextOrNull(facts.device);
    json["threads"] = countOrNull(facts.threads);
    json["context"] = countOrNull(facts.context);
    json["parallel"] = countOrNull(facts.parallel);
    json["kv_type"] = jsonTextOrNull(facts.kvType);
    json["speculative"] = jsonTextOrNull(facts.speculative);
    json["weight_bytes"] = countOrNull(facts.weightBytes);
    json["kv_bytes_per_token"] = countOrNull(facts.kvBytesPerToken);
}

} // namespace

Json distributionJson(const std::optional<Distribution>& d) {
    if (!d)
        return nullptr;
    return {{"n", d->n},
            {"mean", jsonNumber(d->mean)},
            {"p50", jsonNumber(d->p50)},
            {"p90", jsonNumber(d->p90)},
            {"p95", jsonNumber(d->p95)},
            {"p99", jsonNumber(d->p99)},
            {"max", jsonNumber(d->max)}};
}

Json engineJson(const ReportedRun& run) {
    const std::optional<EngineSummary>& s = run.summary.engine;
    if (!s)
        return nullptr;
    Json json = Json::object();
    addFacts(json, run.record->engine.value_or(EngineFacts{}));
    json["bandwidth_gb_per_s"] = jsonNumber(s->bandwidthGBps);
    json["gb_per_s"] = jsonNumber(s->gbPerS);
    json["bandwidth_fraction"] = jsonNumber(s->bandwidthFraction);
    json["delivery_lag_s"] = distributionJson(s->deliveryLag);
    json["steps"] = s->steps;
    json["step_s"] = distributionJson(s->stepTime);
    json["bytes_per_step"] = jsonNumber(s->bytesPerStep);
    json["kv_bytes"] = jsonCount(s->kvBytes);
    json["predicted_tps"] = {{"first", jsonNumber(s->predictedTpsFirst)}, {"last", jsonNumber(s->predictedTpsLast)}};
    json["phases"] = phasesJson(s->phases);
    json["batch"] = {{"mean", jsonNumber(s->meanBatch)}, {"max", countOrNull(s->largestBatch)}};
    json["drafted"] = s->drafted;
    json["accepted"] = s->accepted;
    json["acceptance"] = jsonNumber(s->acceptance);
    json["queue_s"] = jsonNumber(s->queue);
    json["prefill_s"] = jsonNumber(s->prefill);
    json["prefill_tps"] = jsonNumber(s->prefillTps);
    json["prefill_chunks"] = countOrNull(s->prefillChunks);
    return json;
}

std::string engineLine(const ReportedRun& run) {
    const std::optional<EngineSummary>& s = run.summary.engine;
    if (!s)
        return {};
    constexpr double kMs = 1e3;
    constexpr double kPercent = 100;
    std::string line;
    const auto add = [&line](std::string part) { line += (line.empty() ? "" : ", ") + std::move(part); };
    if (run.record->engine && !run.record->engine->device.empty())
        add(run.record->engine->device);
    if (s->gbPerS && s->bandwidthFraction)
        add(fmt::format("{:.1f} GB/s ({:.0f}% of the {:.1f} measured)", *s->gbPerS, *s->bandwidthFraction * kPercent,
                        *s->bandwidthGBps));
    else if (s->gbPerS)
        add(fmt::format("{:.1f} GB/s", *s->gbPerS));
    if (s->phases)
        add(fmt::format("attention {:.0f}%, feed forward {:.0f}%, head {:.0f}%, sampling {:.0f}%, rest {:.0f}%",
                        s->phases->attention * kPercent, s->phases->feedForward * kPercent, s->phases->head * kPercent,
                        s->phases->sampling * kPercent, s->phases->rest * kPercent));
    if (s->acceptance)
        add(fmt::format("{} of {} drafts accepted", s->accepted, s->drafted));
    if (s->largestBatch > 1)
        add(fmt::format("up to {} requests a step", s->largestBatch));
    if (s->deliveryLag)
        add(fmt::format("delivered in {:.3f} ms (p99 {:.3f} ms)", s->deliveryLag->p50 * kMs,
                        s->deliveryLag->p99 * kMs));
    return line;
}

} // namespace decodescope
