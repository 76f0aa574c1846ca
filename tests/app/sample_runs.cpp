#include "tests/app/sample_runs.h"

#include "core/record/run_recorder.h"

namespace decodescope {

namespace {

using namespace std::chrono_literals;

/// Feeds a recorder by hand.
struct Script {
    std::shared_ptr<RunRecord> record = std::make_shared<RunRecord>();
    RunRecorder recorder{record};
    Instant at = instantFromNs(5'000'000'000);
    std::uint32_t read = 0;
    std::uint32_t message = 0;

    Script() {
        record->spec.laneName = "A";
        record->spec.endpoint.url = "http://127.0.0.1:1/v1";
        record->spec.endpoint.model = "m";
        record->route = "http://127.0.0.1:1/v1/chat/completions";
        record->startedUtc = "2026-03-01T12:00:00.000Z";
        apply(Milestone{Milestone::Kind::connected, false, 1ms});
        apply(Milestone{Milestone::Kind::started, false, {}});
    }
    template <class T> void apply(T what) {
        StreamEvent event;
        event.at = at;
        event.read = read;
        event.message = message;
        event.what = std::move(what);
        recorder.apply(event);
    }
    void head(int status) {
        apply(Milestone{Milestone::Kind::sent, false, {}});
        apply(Milestone{Milestone::Kind::firstByte, false, {}});
        ResponseHead response;
        response.status = status;
        response.httpVersion = "1.1";
        response.headers = {{"content-type", "text/event-stream"},
                            {"x-request-id", "r-1"},
                            {"set-cookie", "session=DSCANARY"},
                            {"x-ratelimit-remaining-tokens", "99"},
                            {"x-api-key-echo", "DSCANARY"}};
        apply(response);
    }
    void word(int i) {
        apply(MessageArrived{});
        Fragment fragment;
        fragment.text = "w" + std::to_string(i) + " ";
        apply(TokenDelta{{fragment}, {}});
        ++read;
        ++message;
    }
    ReportedRun done() { return {record, summarize(*record)}; }
};

} // namespace

ReportedRun pacedRun(int tokens, Duration ttft, Duration interval) {
    Script script;
    script.head(200);
    script.at += ttft;
    for (int i = 0; i < tokens; ++i) {
        if (i > 0)
            script.at += interval;
        script.word(i);
    }
    UsageReport usage;
    usage.prompt = 10;
    usage.completion = static_cast<std::uint64_t>(tokens);
    script.apply(usage);
    script.apply(ServerTimings{{}, {}, 1.5, 2.5, R"({"predicted_ms":2.5,"prompt_ms":1.5})"});
    script.apply(FinishReported{0, "length"});
    StreamEnd end;
    end.httpStatus = 200;
    script.apply(end);
    return script.done();
}

ReportedRun failedRun(ErrorKind kind, int tokens, const std::string& message) {
    Script script;
    if (tokens >= 0)
        script.head(200);
    for (int i = 0; i < tokens; ++i) {
        script.at += 20ms;
        script.word(i);
    }
    StreamEnd end;
    end.verdict = kind == ErrorKind::truncated ? StreamEnd::Verdict::incomplete : StreamEnd::Verdict::error;
    end.kind = kind;
    end.message = message;
    script.apply(end);
    return script.done();
}

ReportedLane sampleLane(const std::string& name, std::vector<ReportedRun> runs) {
    ReportedLane lane;
    lane.name = name;
    lane.spec.laneName = name;
    lane.spec.endpoint.url = "http://127.0.0.1:1/v1";
    lane.spec.endpoint.model = "m";
    lane.runs = std::move(runs);
    return lane;
}

} // namespace decodescope
