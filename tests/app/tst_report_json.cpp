#include "app/report_json.h"
#include "app/response_headers.h"
#include "tests/app/sample_runs.h"

#include <QCryptographicHash>
#include <QtTest>
#include <nlohmann/json.hpp>

#include <limits>

using namespace decodescope;
using namespace std::chrono_literals;

class ReportJsonTest : public QObject {
    Q_OBJECT

    static void requireKeys(const Json& json, std::initializer_list<const char*> keys) {
        for (const char* key : keys)
            QVERIFY2(json.contains(key), key);
    }

private slots:
    void everyFieldOfARunIsThere() {
        const Json run = runJson(pacedRun(60, 200ms, 20ms), TextExport::hashOnly);
        requireKeys(run, {"repeat",
                          "warmup",
                          "in_stats",
                          "outcome",
                          "error",
                          "ttft_s",
                          "ttfa_s",
                          "ttfb_s",
                          "connect_s",
                          "ttft_sent_s",
                          "decode_s",
                          "decode_tps",
                          "events_per_s",
                          "tpot_s",
                          "e2e_s",
                          "e2e_tps",
                          "output_tokens",
                          "visible_tokens",
                          "reasoning_tokens",
                          "prompt_tokens",
                          "cached_tokens",
                          "prompt_tps",
                          "token_events",
                          "token_source",
                          "token_basis",
                          "clock_source",
                          "itl_s",
                          "itl_per_token_s",
                          "jitter_s",
                          "chars_per_s",
                          "words_per_s",
                          "rate_at",
                          "decay_percent_per_1000",
                          "stalls",
                          "server",
                          "provider",
                          "system_fingerprint",
                          "response_headers",
                          "http_version",
                          "connection",
                          "finish",
                          "flags",
                          "text_sha256"});
        QVERIFY(!run.contains("text"));
        QCOMPARE(run["repeat"].get<int>(), 1);
        QVERIFY(run["in_stats"].get<bool>());
        QCOMPARE(run["outcome"].get<std::string>(), std::string("complete"));
        QVERIFY(run["error"].is_null());
        QVERIFY(qAbs(run["ttft_s"].get<double>() - 0.2) < 1e-9);
        QVERIFY(qAbs(run["decode_tps"].get<double>() - 50) < 1e-6);
        QCOMPARE(run["output_tokens"].get<int>(), 60);
        QVERIFY(run["visible_tokens"].is_number_unsigned());
        QCOMPARE(run["token_source"].get<std::string>(), std::string("usage"));
        QCOMPARE(run["connection"].get<std::string>(), std::string("cold"));
        QCOMPARE(run["server"]["predicted_ms"].get<double>(), 2.5);
        QCOMPARE(run["rate_at"].contains("1"), true);
        QVERIFY(run["provider"].is_null());
        QVERIFY(run["reasoning_tokens"].is_null());
        QCOMPARE(run["itl_s"]["n"].get<int>(), 59);
    }

    void aStallTellsItsEvidenceAsData() {
        Stall stall;
        stall.readBefore = 4;
        stall.data.thresholdS = 0.1;
        stall.data.medianS = 0.02;
        stall.data.trendPerS = 50;
        stall.data.owed = 25;
        stall.data.caughtUp = 1;
        stall.data.withinS = 0.75;
        const Json told = stallJson(stall);
        const Json& data = told["evidence_data"];
        QCOMPARE(data["trend_per_s"].get<double>(), 50.0);
        QCOMPARE(data["trend_from"].get<std::string>(), std::string("before"));
        QCOMPARE(data["owed"].get<double>(), 25.0);
        QVERIFY(data["hiccup_s"].is_null() && data["from_channel"].is_null());
        QCOMPARE(told["reads"][0].get<int>(), 4);
        QVERIFY(told["reads"][1].is_null() && told["others"].is_null() && !told["together"].get<bool>());
        stall.others = StallOthers{2, 2, StallSide::client, "both"};
        QCOMPARE(stallJson(stall)["others"]["points_at"].get<std::string>(), std::string("client"));
        QVERIFY(stallJson(stall)["together"].get<bool>());
        // Channels by the words of the JSON lines, not by those of sentences.
        stall.data.from = Channel::answer;
        stall.data.to = Channel::tool;
        const Json changed = stallJson(stall)["evidence_data"];
        QCOMPARE(changed["from_channel"].get<std::string>(), std::string("answer"));
        QCOMPARE(changed["to_channel"].get<std::string>(), std::string("tool"));
    }

    void theBufferingDetectorIsHeard() {
        ReportedRun run = pacedRun(60, 200ms, 20ms);
        const Json steady = runJson(run, TextExport::hashOnly)["buffering"];
        QVERIFY(steady["signs"].empty() && steady["flushed_by"].is_null());
        run.summary.buffering.signs = {{BufferingKind::nagle, "pairs", "TCP_NODELAY"}};
        run.summary.buffering.flushedBy = FlushedBy::size;
        const Json found = runJson(run, TextExport::hashOnly)["buffering"];
        QCOMPARE(found["signs"][0]["name"].get<std::string>(), std::string("nagle"));
        QCOMPARE(found["signs"][0]["try"].get<std::string>(), std::string("TCP_NODELAY"));
        QCOMPARE(found["flushed_by"].get<std::string>(), std::string("size"));
        QVERIFY(runJson(failedRun(ErrorKind::unreachable, -1), TextExport::hashOnly)["buffering"].is_null());
    }

    void textIsExportedOnlyWhenAskedFor() {
        const Json run = runJson(pacedRun(2, 10ms, 10ms), TextExport::whole);
        QCOMPARE(run["text"].get<std::string>(), std::string("w0 w1 "));
        QCOMPARE(run["reasoning"].get<std::string>(), std::string());
        // sha256("w0 w1 ")
        QCOMPARE(run["text_sha256"].get<std::string>(),
                 QCryptographicHash::hash("w0 w1 ", QCryptographicHash::Sha256).toHex().toStdString());
    }

    void failedRunsKeepWhatIsDefined() {
        const Json run =
            runJson(failedRun(ErrorKind::connectionClosed, 3, "The connection was lost."), TextExport::whole);
        QCOMPARE(run["outcome"].get<std::string>(), std::string("error"));
        QVERIFY(!run["in_stats"].get<bool>());
        QCOMPARE(run["error"]["kind"].get<std::string>(), std::string("connection_closed"));
        QCOMPARE(run["error"]["message"].get<std::string>(), std::string("The connection was lost."));
        QVERIFY(run["error"]["retry_after_ms"].is_null());
        QVERIFY(run["ttft_s"].is_number());
        QCOMPARE(run["text"].get<std::string>(), std::string("w0 w1 w2 "));
    }

    void undefinedIsNull() {
        const Json run = runJson(failedRun(ErrorKind::unreachable, -1), TextExport::hashOnly);
        for (const char* key : {"ttft_s", "decode_tps", "tpot_s", "e2e_tps", "output_tokens", "itl_s", "jitter_s",
                                "finish", "text_sha256", "http_version", "server"})
            QVERIFY2(run[key].is_null(), key);
        QCOMPARE(run["token_events"].get<int>(), 0);
        QCOMPARE(run["token_basis"].get<std::string>(), std::string("none"));
    }

    void headersThatOpenDoorsStayOut() {
        const Json headers = runJson(pacedRun(2, 10ms, 10ms), TextExport::hashOnly)["response_headers"];
        QCOMPARE(headers["x-request-id"].get<std::string>(), std::string("r-1"));
        QCOMPARE(headers["x-ratelimit-remaining-tokens"].get<std::string>(), std::string("99"));
        QVERIFY(!headers.contains("set-cookie"));
        QVERIFY(!headers.contains("x-api-key-echo"));
        QVERIFY(jsonDump(headers).find("DSCANARY") == std::string::npos);
        QVERIFY(!isReportedHeader("authorization"));
        QVERIFY(!isReportedHeader("x-auth-token"));
        QVERIFY(isReportedHeader("x-provider"));
        const Headers joined = reportedHeaders({{"via", "a"}, {"x-id", "1"}, {"via", "b"}});
        QCOMPARE(joined.size(), 2U);
        QCOMPARE(joined[0].second, std::string("a, b"));
    }

    void summariesCountAndExclude() {
        std::vector<ReportedRun> runs = {pacedRun(11, 100ms, 20ms), pacedRun(11, 300ms, 25ms),
                                         failedRun(ErrorKind::truncated, 3), failedRun(ErrorKind::truncated, 4),
                                         failedRun(ErrorKind::auth, -1)};
        const Json summary = laneSummaryJson(sampleLane("A", std::move(runs)));
        QCOMPARE(summary["runs"].get<int>(), 5);
        QCOMPARE(summary["excluded"], Json({{"error", 1}, {"truncated", 2}}));
        QCOMPARE(summary["ttft_s"]["n"].get<int>(), 2);
        QVERIFY(qAbs(summary["ttft_s"]["p50"].get<double>() - 0.2) < 1e-9);
        QVERIFY(qAbs(summary["ttft_s"]["max"].get<double>() - 0.3) < 1e-9);
        QVERIFY(summary["decode_tps"]["p99"].get<double>() < summary["decode_tps"]["p50"].get<double>());
        QCOMPARE(summary["itl_s"]["n"].get<int>(), 20);
        QVERIFY(summary["reasoning_tokens"].is_null());
    }

    void theWholeObjectHasItsParts() {
        SessionReport report;
        report.startedUtc = "2026-03-01T12:00:00.000Z";
        report.machineJson = R"({"cores":2})";
        report.lanes = {sampleLane("A", {pacedRun(3, 10ms, 10ms)}), sampleLane("B", {})};
        const Json json = reportJson(report, TextExport::hashOnly);
        const Json& lane0 = json["lanes"][0]["runs"][0];
        QCOMPARE(json["schema"].get<int>(), 1);
        QVERIFY(json["recording"].is_null());
        QCOMPARE(json["machine"]["cores"].get<int>(), 2);
        requireKeys(json["instrument"], {"clock_source", "stamp_error_bound_s", "network_lag_s", "hiccups"});
        QVERIFY(json["instrument"]["hiccups"].is_null()); // runs of before such reports
        QVERIFY(lane0["hiccups"].is_null() && lane0["stamps"].is_null());
        const Json& lane = json["lanes"][0];
        requireKeys(lane, {"name", "endpoint", "protocol", "model", "run_card", "runs", "summary"});
        QCOMPARE(lane["endpoint"].get<std::string>(), std::string("http://127.0.0.1:1/v1/chat/completions"));
        QCOMPARE(json["lanes"][1]["endpoint"], lane["endpoint"]);
        QCOMPARE(lane["run_card"]["tokens_out"].get<int>(), 3);
        QVERIFY(lane["run_card"]["quantization"].is_null());
    }

    void theInstrumentTellsItsOwnError() {
        const auto stamped = [](ReportedRun run, const StampReport& stamps, std::vector<Hiccup> hiccups) {
            auto record = std::make_shared<RunRecord>(*run.record);
            record->clock = stamps.source;
            record->stamps = stamps;
            record->hiccups = std::move(hiccups);
            return ReportedRun{record, run.summary};
        };
        const Instant at = instantFromNs(6'000'000'000);
        const Hiccup both{at, at + 12ms};
        SessionReport report;
        report.lanes = {
            sampleLane("A",
                       {stamped(pacedRun(3, 10ms, 10ms), {ClockSource::kernel, Duration(400), 5, 0, 90us}, {both})}),
            sampleLane("B", {stamped(pacedRun(3, 10ms, 10ms), {ClockSource::kernel, Duration(900), 5, 1, 2ms},
                                     {{both.due, both.woke - 3ms}, {at + 50ms, at + 57ms}})})};
        Json json = reportJson(report, TextExport::hashOnly);
        QCOMPARE(json["instrument"]["clock_source"].get<std::string>(), std::string("kernel"));
        QCOMPARE(json["instrument"]["stamp_error_bound_s"].get<double>(), 900e-9);
        QCOMPARE(json["instrument"]["network_lag_s"].get<double>(), 2e-3);
        QCOMPARE(json["instrument"]["hiccups"]["count"].get<int>(), 2); // one of them fell into both runs
        QCOMPARE(json["instrument"]["hiccups"]["max_s"].get<double>(), 12e-3);
        const Json& run = json["lanes"][1]["runs"][0];
        QCOMPARE(run["clock_source"].get<std::string>(), std::string("kernel"));
        QCOMPARE(run["stamps"]["rejected"].get<int>(), 1);
        QCOMPARE(run["stamps"]["kernel_stamps"].get<int>(), 5);
        QCOMPARE(run["stamps"]["largest_lag_s"].get<double>(), 2e-3);
        QCOMPARE(run["hiccups"]["count"].get<int>(), 2);
        QCOMPARE(run["hiccups"]["max_s"].get<double>(), 9e-3);

        // The least exact run speaks for all, and one that cannot tell its error leaves all without.
        report.lanes.push_back(
            sampleLane("C", {stamped(pacedRun(3, 10ms, 10ms), {ClockSource::user, std::nullopt, 0, 0, 1ms}, {})}));
        json = reportJson(report, TextExport::hashOnly);
        QCOMPARE(json["instrument"]["clock_source"].get<std::string>(), std::string("user"));
        QVERIFY(json["instrument"]["stamp_error_bound_s"].is_null());
        QCOMPARE(json["lanes"][2]["runs"][0]["hiccups"]["count"].get<int>(), 0);
        QVERIFY(json["lanes"][2]["runs"][0]["hiccups"]["max_s"].is_null());
        QVERIFY(json["lanes"][2]["runs"][0]["stamps"]["error_bound_s"].is_null());
        for (const char* name : {"clock_source", "stamp_error_bound_s", "network_lag_s", "hiccups"})
            QVERIFY2(reportJson({}, TextExport::hashOnly)["instrument"][name].is_null(), name);

        // A recording beside live lanes was stamped by another instrument at another time.
        auto replayed = std::make_shared<RunRecord>(*report.lanes[2].runs[0].record);
        replayed->spec.recorded = RecordedLaneSpec{"race.decodescope", 0};
        report.lanes[2].runs[0].record = replayed;
        json = reportJson(report, TextExport::hashOnly);
        QCOMPARE(json["instrument"]["clock_source"].get<std::string>(), std::string("kernel"));
        QCOMPARE(json["instrument"]["stamp_error_bound_s"].get<double>(), 900e-9);
    }

    void hostileTextBecomesValidJson() {
        QCOMPARE(jsonDump(jsonText(std::string("a\xff\x1b[2J"))), std::string("\"a\xEF\xBF\xBD\\u001b[2J\""));
        QVERIFY(jsonNumber(std::numeric_limits<double>::quiet_NaN()).is_null());
        QVERIFY(jsonNumber(std::numeric_limits<double>::infinity()).is_null());
        QVERIFY(jsonForeign("{\"a\":").is_null());
        QVERIFY(jsonForeign(std::string(100000, '[') + std::string(100000, ']')).is_null());
        QCOMPARE(jsonForeign("{\"a\":[1]}")["a"][0].get<int>(), 1);
        QCOMPARE(jsonDump(jsonCount(std::optional<double>(2.5))), std::string("2.5"));
    }
};

QTEST_GUILESS_MAIN(ReportJsonTest)
#include "tst_report_json.moc"
