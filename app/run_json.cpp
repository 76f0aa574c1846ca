#include "app/run_json.h"

#include "app/engine_json.h"
#include "app/instrument_json.h"
#include "app/response_headers.h"
#include "core/base/utf8.h"

#include <QCryptographicHash>
#include <nlohmann/json.hpp>

namespace decodescope {

namespace {

Json jitterJson(const std::optional<Jitter>& jitter) {
    if (!jitter)
        return nullptr;
    return {{"stdev", jsonNumber(jitter->stdev)},
            {"mad", jsonNumber(jitter->mad)},
            {"p99_minus_p50", jsonNumber(jitter->p99MinusP50)},
            {"rfc3550", jsonNumber(jitter->rfc3550)}};
}

Json rateAtJson(const std::vector<RateAt>& rates) {
    Json object = Json::object();
    for (const RateAt& rate : rates)
        object[std::to_string(rate.position)] = jsonNumber(rate.tps);
    return object;
}

/// Null where a number played no part.
Json evidenceJson(const StallEvidence& data) {
    const auto channel = [](const std::optional<Channel>& c) { return c ? Json(toString(*c)) : Json(nullptr); };
    const bool compared = data.trendPerS.has_value();
    return {{"threshold_s", jsonNumber(data.thresholdS)},
            {"median_s", jsonNumber(data.medianS)},
            {"unit", data.countsTokens ? "tokens" : "events"},
            {"trend_per_s", jsonNumber(data.trendPerS)},
            {"trend_from", compared ? Json(data.trendFromAfter ? "after" : "before") : Json(nullptr)},
            {"owed", jsonNumber(data.owed)},
            {"caught_up", jsonNumber(data.caughtUp)},
            {"within_s", jsonNumber(data.withinS)},
            {"from_channel", channel(data.from)},
            {"to_channel", channel(data.to)},
            {"hiccup_s", jsonNumber(data.hiccupS)}};
}

Json othersJson(const std::optional<StallOthers>& others) {
    if (!others)
        return nullptr;
    return {{"lanes_stalled", others->stalled},
            {"lanes_streaming", others->streaming},
            {"points_at", others->side == StallSide::none ? Json(nullptr) : Json(toString(others->side))},
            {"evidence", jsonText(others->evidence)}};
}

Json stallsJson(const std::vector<Stall>& stalls) {
    Json list = Json::array();
    for (const Stall& stall : stalls)
        list.push_back(stallJson(stall));
    return list;
}

Json headersJson(const RunRecord& record) {
    Json object = Json::object();
    if (record.head) {
        for (const auto& [name, value] : reportedHeaders(record.head->headers))
            object[jsonText(name).get<std::string>()] = jsonText(std::string_view(value));
    }
    return object;
}

Json textsJson(const std::vector<std::string>& texts) {
    Json list = Json::array();
    for (const std::string& text : texts)
        list.push_back(jsonText(text));
    return list;
}

Json sha256Json(const std::string& text) {
    if (text.empty())
        return nullptr;
    const QByteArray bytes = QByteArray::fromRawData(text.data(), static_cast<qsizetype>(text.size()));
    return QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex().toStdString();
}

void addOutcome(Json& json, const ReportedRun& run) {
    const RunRecord& record = *run.record;
    json["repeat"] = record.repeat;
    json["warmup"] = record.warmup;
    json["in_stats"] = run.summary.inStats;
    json["outcome"] = toString(record.outcome);
    json["error"] = runErrorJson(record);
}

void addTimes(Json& json, const RunSummary& s) {
    json["ttft_s"] = jsonNumber(s.ttft);
    json["ttfa_s"] = jsonNumber(s.ttfa);
    json["ttfb_s"] = jsonNumber(s.ttfb);
    json["connect_s"] = jsonNumber(s.connect);
    json["ttft_without_connect_s"] = jsonNumber(s.ttftWithoutConnect);
    json["ttft_sent_s"] = jsonNumber(s.ttftFromSent);
    json["decode_s"] = jsonNumber(s.decode);
    json["decode_tps"] = jsonNumber(s.decodeTps);
    json["events_per_s"] = jsonNumber(s.eventsPerS);
    json["tpot_s"] = jsonNumber(s.tpot);
    json["e2e_s"] = jsonNumber(s.e2e);
    json["e2e_tps"] = jsonNumber(s.e2eTps);
    json["last_answer_s"] = jsonNumber(s.lastAnswer);
}

void addTokens(Json& json, const RunSummary& s) {
    json["output_tokens"] = jsonCount(s.tokens.output);
    json["visible_tokens"] = jsonCount(s.tokens.visible);
    json["reasoning_tokens"] = jsonCount(s.tokens.reasoning);
    json["prompt_tokens"] = jsonCount(s.tokens.prompt);
    json["cached_tokens"] = jsonCount(s.tokens.cached);
    json["prompt_tps"] = jsonNumber(s.promptTps);
    json["token_events"] = s.tokenEvents;
    json["token_source"] = toString(s.tokens.source);
    json["token_basis"] = toString(s.tokens.basis);
}

void addFlow(Json& json, const RunSummary& s) {
    json["itl_s"] = distributionJson(s.itl);
    json["itl_per_token_s"] = distributionJson(s.itlPerToken);
    json["jitter_s"] = jitterJson(s.jitter);
    json["chars_per_s"] = jsonNumber(s.charsPerS);
    json["words_per_s"] = jsonNumber(s.wordsPerS);
    json["rate_at"] = rateAtJson(s.rateAt);
    json["decay_percent_per_1000"] = s.decay ? jsonNumber(s.decay->percentPer1000) : Json(nullptr);
    json["decay_interval_percent"] =
        s.decay ? Json::array({jsonNumber(s.decay->low), jsonNumber(s.decay->high)}) : Json(nullptr);
    json["stalls"] = stallsJson(s.stalls);
    json["client_gaps"] = s.clientGaps;
    json["hiccup_gaps"] = s.hiccupGaps;
    json["buffering"] = bufferingJson(s);
}

void addServer(Json& json, const RunRecord& record) {
    json["server"] = record.timings ? jsonForeign(record.timings->raw) : Json(nullptr);
    json["provider"] = jsonTextOrNull(record.identity.provider);
    json["system_fingerprint"] = jsonTextOrNull(record.identity.systemFingerprint);
    json["server_model"] = jsonTextOrNull(record.identity.model);
    json["response_headers"] = headersJson(record);
    json["http_version"] = record.head ? jsonTextOrNull(record.head->httpVersion) : Json(nullptr);
    json["connection"] = record.connected ? Json(record.warmConnection ? "warm" : "cold") : Json(nullptr);
    json["proxy"] = jsonTextOrNull(record.proxy);
    json["tls"] = jsonTextOrNull(record.tlsVersion);
    json["tls_verified"] = record.tlsVersion.empty() ? Json(nullptr) : Json(!record.tlsUnverified);
    json["tls_s"] = record.tlsTook ? jsonNumber(toSeconds(*record.tlsTook)) : Json(nullptr);
    json["opening_s"] = record.openingTook ? jsonNumber(toSeconds(*record.openingTook)) : Json(nullptr);
}

} // namespace

std::string answerText(const RunRecord& record) {
    std::string text = record.text(Channel::answer);
    if (text.empty()) {
        if (const auto choice = record.choices.find(0); choice != record.choices.end())
            text = choice->second.text;
    }
    return text;
}

/// Null while the run goes on and for one that was not streamed.
Json bufferingJson(const RunSummary& s) {
    if (s.arrivals == 0 || s.outcome == Outcome::running)
        return nullptr;
    const Buffering& b = s.buffering;
    Json signs = Json::array();
    for (const BufferingSign& sign : b.signs)
        signs.push_back(
            {{"name", toString(sign.kind)}, {"evidence", jsonText(sign.evidence)}, {"try", jsonText(sign.advice)}});
    const Json flushedBy =
        b.flushedBy == FlushedBy::unknown ? Json(nullptr) : Json(b.flushedBy == FlushedBy::size ? "size" : "time");
    return {{"merged_events", b.mergedEvents},
            {"merged_arrivals", b.mergedArrivals},
            {"largest_merge", b.largestMerge},
            {"bursts", b.bursts},
            {"burst_share", jsonNumber(b.burstShare)},
            {"burst_events", jsonNumber(b.burstEvents)},
            {"burst_period_s", jsonNumber(b.burstPeriodS)},
            {"burst_bytes", jsonNumber(b.burstBytes)},
            {"flushed_by", flushedBy},
            {"buffer_bytes", b.bufferBytes ? Json(*b.bufferBytes) : Json(nullptr)},
            {"pairs", b.pairs},
            {"pair_share", jsonNumber(b.pairShare)},
            {"pair_gap_s", jsonNumber(b.pairGapS)},
            {"content_encoding", jsonTextOrNull(b.contentEncoding)},
            {"cache_headers", textsJson(b.cacheHeaders)},
            {"signs", std::move(signs)}};
}

Json stallJson(const Stall& stall) {
    return {{"start_s", jsonNumber(stall.startS)},
            {"length_s", jsonNumber(stall.lengthS)},
            {"kind", toString(stall.kind)},
            {"periodic", stall.periodic},
            {"token_index", jsonCount(std::optional<double>(stall.tokenIndex))},
            {"text_offset", stall.textOffset},
            {"reads", {stall.readBefore, stall.readAfter ? Json(*stall.readAfter) : Json(nullptr)}},
            {"evidence", jsonText(stall.evidence)},
            {"evidence_data", evidenceJson(stall.data)},
            {"together", stall.together()},
            {"others", othersJson(stall.others)}};
}

Json runErrorJson(const RunRecord& record) {
    switch (record.outcome) {
    case Outcome::complete:
    case Outcome::notStreamed:
    case Outcome::running:
        return nullptr;
    case Outcome::interrupted:
        return {{"kind", "interrupted"},
                {"message",
                 "The recording holds no end of this run: the program that made it was stopped, or its disk was full."},
                {"http_status", record.head ? Json(record.head->status) : Json(nullptr)},
                {"retry_after_ms", nullptr}};
    default:
        break;
    }
    const StreamEnd end = record.end.value_or(StreamEnd{});
    return {{"kind", toString(end.kind)},
            {"message", jsonText(end.message)},
            {"http_status", end.httpStatus ? Json(*end.httpStatus) : Json(nullptr)},
            {"retry_after_ms", end.retryAfterMs ? Json(*end.retryAfterMs) : Json(nullptr)}};
}

Json runJson(const ReportedRun& run, TextExport text) {
    const RunRecord& record = *run.record;
    Json json = Json::object();
    addOutcome(json, run);
    json["started_utc"] = jsonTextOrNull(record.startedUtc);
    addTimes(json, run.summary);
    addTokens(json, run.summary);
    json["clock_source"] = toString(record.clock);
    json["stamps"] = stampsJson(record);
    json["hiccups"] = hiccupsJson(record);
    addFlow(json, run.summary);
    addServer(json, record);
    json["engine"] = engineJson(run);
    json["finish"] = jsonOptionalText(record.finish);
    json["flags"] = textsJson(run.summary.flags);
    json["warnings"] = textsJson(record.warnings);
    const std::string answer = answerText(record);
    json["text_sha256"] = sha256Json(answer);
    if (text == TextExport::whole) {
        json["text"] = jsonText(answer);
        json["reasoning"] = jsonText(record.text(Channel::reasoning));
    }
    return json;
}

} // namespace decodescope
