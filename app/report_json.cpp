#include "app/report_json.h"

#include "app/instrument_json.h"
#include "app/metric_table.h"
#include "core/source/request.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <numeric>

namespace decodescope {

namespace {

Json aggregateJson(const std::optional<Aggregate>& a) {
    if (!a)
        return nullptr;
    return {{"n", a->n},
            {"min", jsonNumber(a->min)},
            {"p50", jsonNumber(a->p50)},
            {"p90", jsonNumber(a->p90)},
            {"p95", jsonNumber(a->p95)},
            {"p99", jsonNumber(a->p99)},
            {"max", jsonNumber(a->max)},
            {"mean", jsonNumber(a->mean)}};
}

template <class T> Json orNull(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json samplingJson(const SamplingSpec& sampling) {
    return {{"max_tokens", orNull(sampling.maxTokens)},
            {"temperature", jsonNumber(sampling.temperature)},
            {"seed", orNull(sampling.seed)},
            {"ignore_eos", sampling.ignoreEos},
            {"reasoning_effort", jsonOptionalText(sampling.reasoningEffort)},
            {"stream", sampling.stream}};
}

std::string routeOf(const ReportedLane& lane) {
    for (const ReportedRun& run : lane.runs) {
        if (!run.record->route.empty())
            return run.record->route;
    }
    const Result<Url> url = completionUrl(lane.spec.endpoint);
    return url ? url->text() : std::string();
}

/// The run that stands for the lane where a card needs one: the first in statistics, else the first.
const ReportedRun* typicalRun(const ReportedLane& lane) {
    const auto good = std::find_if(lane.runs.begin(), lane.runs.end(), [](const auto& r) { return r.summary.inStats; });
    if (good != lane.runs.end())
        return &*good;
    return lane.runs.empty() ? nullptr : &lane.runs.front();
}

Json runCardJson(const ReportedLane& lane) {
    const ReportedRun* run = typicalRun(lane);
    const RunCard card = run ? run->record->card : RunCard{};
    const RunSpec& spec = run ? run->record->spec : lane.spec;
    return {{"model", jsonOptionalText(card.model)},
            {"quantization", jsonOptionalText(card.quantization)},
            {"hardware", jsonOptionalText(card.hardware)},
            {"batch", orNull(card.batch)},
            {"tokens_in", run ? jsonCount(run->summary.tokens.prompt) : Json(nullptr)},
            {"tokens_out", run ? jsonCount(run->summary.tokens.output) : Json(nullptr)},
            {"concurrency", orNull(card.concurrency)},
            {"scheduler", jsonOptionalText(card.scheduler)},
            {"kv_type", jsonOptionalText(card.kvType)},
            {"speculative_decoding", jsonOptionalText(card.speculativeDecoding)},
            {"context_length", orNull(card.contextLength)},
            {"sampling", samplingJson(spec.sampling)},
            {"unique_prefix", spec.uniquePrefix},
            {"endpoint", jsonTextOrNull(routeOf(lane))},
            {"server_version", jsonOptionalText(card.serverVersion)},
            {"client_version", jsonTextOrNull(card.clientVersion)}};
}

/// Why a run is in no percentile.
std::string_view reasonFor(const RunRecord& record) {
    if (record.warmup)
        return "warmup";
    // Without a token event nothing can be timed, also where hidden tokens were counted.
    return record.outcome == Outcome::complete ? "no_tokens" : toString(record.outcome);
}

} // namespace

Json laneSummaryJson(const ReportedLane& lane) {
    Json json = Json::object();
    json["runs"] = lane.runs.size();
    std::map<std::string, int, std::less<>> excluded;
    for (const ReportedRun& run : lane.runs) {
        if (!run.summary.inStats)
            ++excluded[std::string(reasonFor(*run.record))];
    }
    json["excluded"] = Json(excluded);
    for (const RunMetric& metric : runMetrics()) {
        std::vector<double> values;
        for (const ReportedRun& run : lane.runs) {
            if (!run.summary.inStats)
                continue;
            if (const std::optional<double> value = metric.of(run.summary))
                values.push_back(*value);
        }
        json[std::string(metric.field)] = aggregateJson(aggregate(std::move(values), metric.lowTail()));
    }
    json["itl_s"] = aggregateJson(aggregate(lane.pooledGaps(), false));
    json["client_gaps"] = std::accumulate(lane.runs.begin(), lane.runs.end(), std::uint64_t{0},
                                          [](std::uint64_t sum, const ReportedRun& run) {
                                              return sum + (run.summary.inStats ? run.summary.clientGaps : 0);
                                          });
    json["flags"] = lane.slowTail() ? Json::array({"scheduler_or_memory"}) : Json::array();
    return json;
}

Json laneJson(const ReportedLane& lane, TextExport text) {
    Json runs = Json::array();
    for (const ReportedRun& run : lane.runs)
        runs.push_back(runJson(run, text));
    return {{"name", jsonText(lane.name)},
            {"endpoint", jsonTextOrNull(routeOf(lane))},
            {"protocol", jsonText(lane.spec.endpoint.protocol)},
            {"model", jsonTextOrNull(lane.spec.endpoint.model)},
            {"run_card", runCardJson(lane)},
            {"runs", std::move(runs)},
            {"summary", laneSummaryJson(lane)}};
}

Json reportJson(const SessionReport& report, TextExport text) {
    Json lanes = Json::array();
    for (const ReportedLane& lane : report.lanes)
        lanes.push_back(laneJson(lane, text));
    Json machine = jsonForeign(report.machineJson);
    if (!machine.is_object())
        machine = Json::object();
    return {{"schema", 1},
            {"started_utc", jsonTextOrNull(report.startedUtc)},
            {"machine", std::move(machine)},
            {"instrument", instrumentJson(report)},
            {"recording", jsonOptionalText(report.recording)},
            {"release_spread_s", jsonNumber(releaseSpreadS(report))},
            {"lanes", std::move(lanes)}};
}

} // namespace decodescope
