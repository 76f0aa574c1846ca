#include "tests/fuzz/wire_input.h"

#include "core/metrics/metrics.h"
#include "core/record/run_recorder.h"
#include "tests/core/wire/decode_helper.h"
#include "tests/fuzz/expect.h"

#include <algorithm>
#include <memory>
#include <numeric>

namespace decodescope::test {
namespace {

using engine::test::expect;

enum Flags : std::uint8_t { http = 1, thinkTags = 2, cumulative = 4, wholeAsked = 8, tight = 16 };
constexpr std::size_t kHead = 3;

/// Rows are what the events say, in order, and no figure of them is impossible.
void checkRows(const std::vector<StreamEvent>& events, const std::string& protocol) {
    const auto record = std::make_shared<RunRecord>();
    record->spec.endpoint.protocol = protocol;
    RunRecorder recorder(record);
    std::string said;
    for (const StreamEvent& event : events) {
        recorder.apply(event);
        if (const auto* delta = std::get_if<TokenDelta>(&event.what)) {
            for (const Fragment& fragment : delta->fragments)
                said += fragment.choice == 0 ? fragment.text : "";
        }
    }
    expect(record->transcript == said, "the deltas' sum is the record's text", said);
    expect(record->outcome != Outcome::running, "a run with an end has ended");
    Instant last{};
    std::uint32_t lastMessage = 0;
    for (const TokenEvent& event : record->events) {
        expect(event.at >= last, "arrivals in the order of time");
        expect(event.message >= lastMessage && event.message < record->messages, "token events are messages, in order");
        expect(event.textBegin <= event.textEnd && event.textEnd <= record->transcript.size(), "a row's text is there");
        last = event.at;
        lastMessage = event.message;
    }
    const TokenCount count = countTokens(*record);
    double sum = 0;
    for (const double tokens : count.perEvent) {
        expect(tokens >= 0, "no event has fewer than no tokens");
        sum += tokens;
    }
    expect(!count.visible || *count.visible >= 0, "no fewer than no tokens are visible");
    expect(count.perEvent.empty() || count.perEvent.size() == record->events.size(), "a count for each event or none");
    expect(sum < 1e20, "a sum that stays a number");
    (void)summarize(*record);
}

} // namespace

WireInput readWireInput(const std::uint8_t* data, std::size_t size) {
    static const std::vector<std::string_view> protocols = knownProtocols();
    WireInput input;
    const std::string_view all = plainInput(data, size);
    const std::uint8_t flags = size > 1 ? data[1] : std::uint8_t{0};
    input.options.protocol = protocols[(size > 0 ? data[0] : 0U) % protocols.size()];
    input.options.framing = (flags & http) != 0 ? Framing::http : Framing::bodyOnly;
    input.options.thinkTags = (flags & thinkTags) != 0;
    input.options.cumulative = (flags & cumulative) != 0;
    input.options.streamRequested = (flags & wholeAsked) == 0;
    input.options.requestUrl = "http://host.example/v1/chat/completions";
    if ((flags & tight) != 0) {
        input.options.limits.headerBytes = 300;
        input.options.limits.eventBytes = 200;
        input.options.limits.bodyBytes = 1000;
        input.options.limits.messages = 5;
        input.options.limits.errorBodyBytes = 40;
        input.options.limits.jsonDepth = 6;
    }
    input.cutSeed = size > 2 ? data[2] : std::uint8_t{0};
    input.bytes = all.substr(std::min(kHead, all.size()));
    return input;
}

std::string wireInput(std::string_view protocol, std::string_view bytes, bool think, bool whole) {
    const std::vector<std::string_view> protocols = knownProtocols();
    const auto known = std::find(protocols.begin(), protocols.end(), protocol);
    std::string input(kHead, '\0');
    input[0] = static_cast<char>(known - protocols.begin());
    input[1] =
        static_cast<char>((bytes.starts_with("HTTP/") ? http : 0) | (think ? thinkTags : 0) | (whole ? cumulative : 0));
    return input.append(bytes);
}

std::vector<std::size_t> everyByte(std::size_t size) {
    std::vector<std::size_t> cuts(size);
    std::iota(cuts.begin(), cuts.end(), std::size_t{1});
    return cuts;
}

std::vector<std::size_t> someCuts(std::size_t size, std::uint32_t seed) {
    std::vector<std::size_t> cuts;
    std::uint32_t state = seed * 2'654'435'761U + 1;
    for (std::size_t at = 0; at < size;) {
        state = state * 1'664'525U + 1'013'904'223U;
        at += 1 + (state >> 16) % 97;
        cuts.push_back(at);
    }
    return cuts;
}

void checkStream(const WireInput& input) {
    const std::vector<StreamEvent> whole = decode(input.bytes, input.options);
    const std::string broken = brokenPromise(whole);
    expect(broken.empty(), "the promises of stream_event.h", broken);
    checkRows(whole, input.options.protocol);
    const std::string expected = described(whole);
    for (const auto& cuts : {everyByte(input.bytes.size()), someCuts(input.bytes.size(), input.cutSeed)}) {
        const std::vector<StreamEvent> cut = decode(input.bytes, input.options, cuts);
        const std::string cutBroken = brokenPromise(cut);
        expect(cutBroken.empty(), "the promises of stream_event.h, cut", cutBroken);
        expect(described(cut) == expected, "the same events in every cut", expected + "\ncut:\n" + described(cut));
        checkRows(cut, input.options.protocol);
    }
}

} // namespace decodescope::test
