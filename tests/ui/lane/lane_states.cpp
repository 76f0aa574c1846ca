#include "tests/ui/lane/lane_states.h"

#include <cmath>

namespace decodescope {
namespace {

const char* const kText =
    "An index is a second copy of some columns, kept in order. When you look for a row by its key the database walks "
    "down the tree, which takes a few steps, and it does not have to read the whole table. A write has to change the "
    "table and every index on it, so each index makes writes a little slower.\n\nExample: think of a table of "
    "customers with an index on the email column. Looking up a customer by email is fast. But if you load a large "
    "file of new customers, every new row must also be put in the right place in the index, and the load takes "
    "longer.\n\nWhen we added indexes on customer, status and created_at, lookups by customer fell from 900 ms to 2 "
    "ms, but the insert rate fell to 1,500 per second. We then dropped the index on status, because it has only five "
    "values and the planner never used it, and got back to 2,200 inserts per second.\n\nThe habit to keep: measure "
    "first, index the columns that your slow queries filter on, and look at the usage statistics once a quarter to "
    "find those that nobody reads any more.";

/// Gaps that look like a real server's, the same each time.
double jitter(int i, double mean) {
    const double wave = std::fabs(std::sin(i * 12.9898) * 43758.5453);
    const double share = wave - std::floor(wave);
    return mean * (0.75 + 0.5 * share + (i % 37 == 36 ? 0.9 : 0) + (i % 61 == 60 ? 2.2 : 0));
}

LaneCase base(const char* name, const char* model, const char* url, int look) {
    LaneCase c;
    c.name = QString::fromLatin1(name);
    c.config.id = static_cast<LaneId>(look + 1);
    c.config.look = look;
    c.config.spec.endpoint.url = url;
    c.config.spec.endpoint.model = model;
    return c;
}

/// Streams `share` of the text; `late` is the word before which the stream stands still for 803 ms and then catches
/// up in one read.
void stream(RecordBuilder& b, double share, double meanMs, int late = -1, int burst = 0) {
    const std::string text = std::string(kText).substr(0, static_cast<std::size_t>(share * std::string(kText).size()));
    int i = 0;
    std::size_t begin = 0;
    for (std::size_t at = 1; at <= text.size(); ++at) {
        const bool cut = at == text.size() || text[at] == ' ' || text[at] == ',' || text[at] == '.' ||
                         (text[at] == '\n' && text[at - 1] != '\n');
        if (!cut)
            continue;
        double gap = jitter(i, meanMs);
        if (i == late)
            gap = 803;
        else if (late >= 0 && i > late && i <= late + burst)
            gap = 0;
        b.token(text.substr(begin, at - begin), gap);
        begin = at;
        ++i;
    }
}

void finish(LaneCase& c, RecordBuilder& b, Outcome outcome, LaneState state) {
    c.record = b.shared();
    c.record->outcome = outcome;
    if (outcome != Outcome::running) {
        c.record->finished = b.now();
        if (outcome == Outcome::complete) {
            c.record->finish = "stop";
            UsageReport usage;
            usage.completion = c.record->events.size() + 1;
            usage.prompt = 24;
            c.record->usage = usage;
        }
    }
    c.record->spec = c.config.spec;
    c.state = state;
    c.now = b.now();
    c.inFlight = outcome == Outcome::running;
    c.summary = summarize(*c.record);
}

StreamEnd fault(ErrorKind kind, std::optional<int> status, std::string body = {}) {
    StreamEnd end;
    end.verdict = StreamEnd::Verdict::error;
    end.kind = kind;
    end.httpStatus = status;
    end.body = std::move(body);
    return end;
}

LaneCase failedCase() {
    LaneCase c = base("failed", "gateway/large", "https://gateway.example/v1/chat/completions", 1);
    c.config.spec.endpoint.key = {KeyReference::Kind::environment, "GATEWAY_API_KEY"};
    c.config.spec.key = std::make_shared<const Secret>(Secret(std::string(51, 'x')));
    RecordBuilder b;
    b.record().route = "https://gateway.example/v1/chat/completions";
    b.wait(212);
    b.record().firstByte = b.now();
    b.record().end = fault(ErrorKind::auth, 401,
                           R"({"error":{"message":"Incorrect API key provided.","type":"invalid_request_error",)"
                           R"("code":"invalid_api_key"}})");
    finish(c, b, Outcome::error, LaneState::failed);
    return c;
}

LaneCase readsCase() {
    LaneCase c = base("shared-reads", "gateway/large", "https://gateway.example:8443/v1", 2);
    RecordBuilder b;
    b.wait(846);
    stream(b, 1, 13, 120, 60);
    finish(c, b, Outcome::complete, LaneState::done);
    return c;
}

LaneCase channelsCase() {
    LaneCase c = base("channels", "reasoner-7b", "http://127.0.0.1:8081/v1", 4);
    RecordBuilder b;
    b.wait(120);
    for (const char* word : {"The", " user", " asks", " about", " weather", ";", " a", " tool", " is", " there", "."})
        b.token(word, 21, Channel::reasoning);
    for (const char* word : {"\n\nLet", " me", " look", " that", " up", " for", " you", ":", " 世界", "，", " שלום",
                             " 👨‍👩‍👧", ".\n"})
        b.token(word, 22);
    for (const char* word : {"get_weather", "{\"city\":", "\"Köln\"", "}"})
        b.token(word, 23, Channel::tool);
    finish(c, b, Outcome::complete, LaneState::done);
    return c;
}

} // namespace

std::vector<LaneCase> laneCases() {
    std::vector<LaneCase> cases;
    cases.push_back(base("idle", "SmolLM2-135M Q4_1", "http://127.0.0.1:8080/v1", 0));
    const auto add = [&](const char* name, const char* url, int look, double waitMs, double share, double meanMs,
                         Outcome outcome, LaneState state) -> LaneCase& {
        LaneCase c = base(name, look == 0 ? "SmolLM2-135M Q4_1" : "llama-3.1-8b", url, look);
        RecordBuilder b;
        b.wait(waitMs);
        if (share > 0)
            stream(b, share, meanMs);
        finish(c, b, outcome, state);
        cases.push_back(std::move(c));
        return cases.back();
    };
    const char* const kLocal = "http://127.0.0.1:8080/v1";
    add("connecting", kLocal, 0, 300, 0, 0, Outcome::running, LaneState::connecting);
    add("waiting", kLocal, 1, 1234, 0, 0, Outcome::running, LaneState::waiting);
    add("running", kLocal, 1, 412, 0.8, 24, Outcome::running, LaneState::running);
    {
        LaneCase& c = add("stalled", kLocal, 1, 412, 0.6, 24, Outcome::running, LaneState::running);
        c.name = QStringLiteral("stalled");
        c.now = *c.now + fromSeconds(0.43);
        LiveMetrics live;
        live.update(*c.record);
        c.summary = live.summary(*c.record, c.now);
    }
    add("done", "http://127.0.0.1:8080/v1", 0, 118, 1, 10, Outcome::complete, LaneState::done);
    cases.push_back(readsCase());
    cases.push_back(channelsCase());
    cases.push_back(failedCase());
    {
        LaneCase& c = add("cut", kLocal, 2, 436, 0.85, 23, Outcome::truncated, LaneState::cut);
        StreamEnd end;
        end.verdict = StreamEnd::Verdict::incomplete;
        end.kind = ErrorKind::truncated;
        c.record->end = end;
    }
    {
        LaneCase& c = add("overloaded", kLocal, 4, 755, 0.5, 40, Outcome::error, LaneState::cut);
        c.record->end = fault(ErrorKind::inStream, 200);
        c.record->end->message = "The server is overloaded, please try again later";
    }
    for (const bool pinned : {false, true}) {
        LaneCase& c = add(pinned ? "pinned" : "untrusted", "https://127.0.0.1:18743/v1", 1, 2, 0, 0, Outcome::error,
                          LaneState::failed);
        std::string fingerprint = "0B";
        for (int i = 1; i < 32; ++i)
            fingerprint += ":3" + std::to_string(i % 10);
        c.record->end = fault(ErrorKind::tls, std::nullopt);
        c.record->end->message =
            "The certificate of 127.0.0.1:18743 is not trusted: The certificate is self-signed, and untrusted. Its "
            "SHA-256 fingerprint is " +
            fingerprint +
            ". If this is your own server, trust this certificate by its fingerprint, name it as an extra authority, "
            "or allow invalid certificates for this lane.";
        if (pinned)
            c.config.spec.endpoint.pinnedCertificate = fingerprint;
    }
    add("cancelled", kLocal, 3, 436, 0.4, 23, Outcome::cancelled, LaneState::cancelled);
    {
        LaneCase& c = add("unreachable", "http://127.0.0.1:9/v1", 5, 2, 0, 0, Outcome::error, LaneState::failed);
        c.record->end = fault(ErrorKind::unreachable, std::nullopt);
        c.record->end->message = "Connection refused";
    }
    {
        LaneCase& c = add("not-streamed", kLocal, 6, 2100, 0, 0, Outcome::complete, LaneState::notStreamed);
        RecordBuilder b;
        b.wait(2100);
        b.token(kText, 1);
        finish(c, b, Outcome::notStreamed, LaneState::notStreamed);
    }
    return cases;
}

} // namespace decodescope
