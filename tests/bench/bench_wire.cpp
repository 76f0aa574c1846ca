// W1: what it costs to turn bytes into events (HTTP framing, SSE, JSON, dialect), per event. Goal: below 10 us.
#include "core/wire/json_reader.h"
#include "core/wire/sse_decoder.h"
#include "core/wire/stream_decoder.h"
#include "tests/bench/bench_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

using namespace decodescope;
using namespace decodescope::bench;

namespace {

int g_events = 50'000; // fewer with --quick
constexpr int kRepeats = 7;

std::string chatEvent(int i, const std::string& more) {
    return fmt::format(R"(data: {{"id":"chatcmpl-9f8e7d6c5b4a","object":"chat.completion.chunk","created":1700000000,)"
                       R"("model":"demo-7b-instruct","system_fingerprint":"fp_44709d6fcb","choices":[{{"index":0,)"
                       R"("delta":{{"content":" word{}"}},"logprobs":null,"finish_reason":null}}]{}}})"
                       "\n\n",
                       i % 1000, more);
}

std::string stream(const std::string& more) {
    std::string body;
    for (int i = 0; i < g_events; ++i)
        body += chatEvent(i, more);
    return body + "data: [DONE]\n\n";
}

/// Median microseconds per event; `once` says how many it had, which must be all.
double perEventUs(const std::function<std::size_t()>& once) {
    const double seconds = medianSeconds(kRepeats, [&] {
        if (once() != static_cast<std::size_t>(g_events))
            std::exit(1);
    });
    return seconds / g_events * 1e6;
}

/// Reads of `step` bytes, as a socket would hand them out; counts the token deltas.
std::size_t decodeAll(const std::vector<ByteChunk>& chunks, Framing framing) {
    DecoderOptions options;
    options.framing = framing;
    auto decoder = StreamDecoder::create(options);
    std::vector<StreamEvent> events;
    std::size_t deltas = 0;
    const auto count = [&] {
        for (const StreamEvent& event : events)
            deltas += std::holds_alternative<TokenDelta>(event.what);
        events.clear();
    };
    for (const ByteChunk& chunk : chunks) {
        (*decoder)->feed(chunk, events);
        count();
    }
    (*decoder)->finish({}, events);
    count();
    return deltas;
}

std::vector<ByteChunk> inReads(const std::string& bytes, std::size_t step) {
    std::vector<ByteChunk> chunks;
    for (std::size_t at = 0; at < bytes.size(); at += step)
        chunks.push_back({Instant{}, static_cast<std::uint32_t>(chunks.size()), bytes.substr(at, step)});
    return chunks;
}

/// One HTTP chunk and one read for each event: how a server that streams token by token looks.
std::vector<ByteChunk> eventByEvent(const std::string& more) {
    std::vector<ByteChunk> chunks{
        {Instant{}, 0, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"}};
    for (int i = 0; i < g_events; ++i) {
        const std::string event = chatEvent(i, more);
        chunks.push_back(
            {Instant{}, static_cast<std::uint32_t>(i + 1), fmt::format("{:x}\r\n{}\r\n", event.size(), event)});
    }
    return chunks;
}

/// Only counts.
class Counter final : public SseSink {
public:
    explicit Counter(std::function<bool(std::string_view)> take)
        : m_take(std::move(take)) {}
    void onSseEvent(std::string_view, std::string_view data) override { count += m_take(data); }
    void onSseComment(std::string_view) override {}
    void onSseErrorField(std::string_view) override {}
    std::size_t count = 0;

private:
    std::function<bool(std::string_view)> m_take;
};

std::size_t parseAll(const std::string& body, const std::function<bool(std::string_view)>& parse) {
    Counter counter([&](std::string_view data) { return data.front() == '{' && parse(data); });
    SseDecoder decoder(counter, 1U << 20);
    (void)decoder.feed(body);
    return counter.count;
}

} // namespace

int main(int argc, char** argv) {
    if (argc > 1 && std::string_view(argv[1]) == "--quick")
        g_events = 1'000;
    const std::string timings = R"(,"timings":{"prompt_n":12,"prompt_ms":20.5,"predicted_n":7,"predicted_ms":93.25})";
    const std::string plain = stream("");
    const auto single = eventByEvent("");
    const auto singleTimings = eventByEvent(timings);
    const auto reads = inReads(plain, 4096);
    const auto crumbs = inReads(plain, 16);
    const std::string shape = fmt::format("openai-chat, {} events of {} bytes", g_events, chatEvent(1, "").size());

    const double whole = perEventUs([&] { return decodeAll(single, Framing::http); });
    report("W1_wire_decode_per_event", whole, "us", shape + ", one HTTP chunk and one read an event");
    report("W1_wire_events_per_second", 1e6 / whole, "events/s", shape + ", one HTTP chunk and one read an event");
    report("W1_wire_decode_per_event_with_timings", perEventUs([&] { return decodeAll(singleTimings, Framing::http); }),
           "us", shape + " and llama.cpp timings in each");
    report("W1_wire_decode_per_event_4k_reads", perEventUs([&] { return decodeAll(reads, Framing::bodyOnly); }), "us",
           shape + ", reads of 4096 bytes");
    report("W1_wire_decode_per_event_16b_reads", perEventUs([&] { return decodeAll(crumbs, Framing::bodyOnly); }), "us",
           shape + ", reads of 16 bytes");

    const double sse = perEventUs([&] { return parseAll(plain, [](std::string_view) { return true; }); });
    report("W1_sse_alone_per_event", sse, "us", shape);
    JsonDocument document;
    const double reader =
        perEventUs([&] { return parseAll(plain, [&](std::string_view data) { return document.parse(data); }); }) - sse;
    const double library = perEventUs([&] {
                               return parseAll(plain, [](std::string_view data) {
                                   return !nlohmann::json::parse(data, nullptr, false).is_discarded();
                               });
                           }) -
                           sse;
    report("W1_json_reader_ratio", reader / library, "ratio", shape, "nlohmann::json::parse");
    return 0;
}
