#include "engine/cli/bench_run.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iterator>

namespace decodescope::engine {

namespace {

nlohmann::ordered_json orNull(std::optional<double> value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

std::string orDash(std::optional<double> value, const char* unit) {
    return value ? fmt::format("{:.1f}{}", *value, unit) : std::string("-");
}

} // namespace

std::string benchAsJson(const BenchReport& report, const BenchOptions& options) {
    nlohmann::ordered_json json;
    json["model"] = report.model;
    json["architecture"] = report.architecture;
    json["quantization"] = report.quantization;
    json["device"] = report.device;
    json["weight_bytes"] = report.weightBytes;
    json["prompt_tokens"] = options.promptTokens;
    json["decode_tokens"] = options.decodeTokens;
    json["repeat"] = options.repeat;
    json["bandwidth_gb_per_s"] = nlohmann::ordered_json::object();
    json["rows"] = nlohmann::ordered_json::array();
    for (const BenchRow& row : report.rows) {
        const std::optional<double> bandwidth = row.bandwidthGBps > 0 ? std::optional(row.bandwidthGBps) : std::nullopt;
        json["bandwidth_gb_per_s"][std::to_string(row.threads)] = orNull(bandwidth);
        nlohmann::ordered_json one;
        one["threads"] = row.threads;
        one["load_s"] = row.loadSeconds;
        one["prompt_tps"] = orNull(row.promptTps);
        one["decode_tps"] = orNull(row.decodeTps);
        one["decode_gb_per_s"] = orNull(row.decodeGBps);
        one["fraction"] = orNull(row.fraction);
        json["rows"].push_back(std::move(one));
    }
    if (!report.together.empty())
        json["slots"] = nlohmann::ordered_json::array();
    for (const BenchTogetherRow& row : report.together) {
        nlohmann::ordered_json one;
        one["threads"] = row.threads;
        one["slots"] = row.requests;
        one["aggregate_tps"] = row.aggregateTps;
        json["slots"].push_back(std::move(one));
    }
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string benchAsTable(const BenchReport& report, const BenchOptions& options) {
    std::string text = fmt::format("{} ({}, {}), {}\nmedians of {}; {} prompt tokens, {} decoded\n\n", report.model,
                                   report.architecture, report.quantization, report.device, options.repeat,
                                   options.promptTokens, options.decodeTokens);
    text += fmt::format("{:>7}  {:>12}  {:>12}  {:>10}  {:>14}  {:>8}\n", "threads", "prompt tok/s", "decode tok/s",
                        "decode", "memory reads", "fraction");
    for (const BenchRow& row : report.rows) {
        const std::optional<double> bandwidth = row.bandwidthGBps > 0 ? std::optional(row.bandwidthGBps) : std::nullopt;
        const std::optional<double> percent = row.fraction ? std::optional(*row.fraction * 100) : std::nullopt;
        fmt::format_to(std::back_inserter(text), "{:>7}  {:>12}  {:>12}  {:>10}  {:>14}  {:>8}\n", row.threads,
                       orDash(row.promptTps, ""), orDash(row.decodeTps, ""), orDash(row.decodeGBps, " GB/s"),
                       orDash(bandwidth, " GB/s"), orDash(percent, " %"));
    }
    if (!report.together.empty())
        text += fmt::format("\n{:>7}  {:>8}  {:>15}\n", "threads", "at once", "all together");
    for (const BenchTogetherRow& row : report.together)
        fmt::format_to(std::back_inserter(text), "{:>7}  {:>8}  {:>15}\n", row.threads, row.requests,
                       orDash(row.aggregateTps, " tok/s"));
    return text;
}

} // namespace decodescope::engine
