#pragma once

#include "core/base/clock.h"
#include "core/source/run_spec.h"
#include "core/source/token_source.h"
#include "core/wire/stream_event.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Everything that was observed of one run, and nothing that was computed from it: metrics are recomputed from
/// this at any time. Append-only; RunRecorder is its only writer.
namespace decodescope {

/// How a run ended, by the names of cli.md.
enum class Outcome : std::uint8_t {
    running, ///< not over yet; never exported
    complete,
    truncated, ///< a clean end without finish or terminator
    error,
    cancelled,
    timeout,
    notStreamed, ///< a whole JSON answer: only total latency and the end-to-end rate exist
    interrupted  ///< a recording that holds no end of this run
};
[[nodiscard]] std::string_view toString(Outcome outcome) noexcept;

/// Tokens of one event as each part of the wire tells them. 0: not told. Tokens of textless events are passed
/// on to the next event with text (metrics.md section 2), running totals are turned into differences.
struct EventTokens {
    std::uint32_t usage = 0;
    std::uint32_t timings = 0;
    std::uint32_t ids = 0;
    std::uint32_t logprobs = 0;
    std::uint32_t engine = 0;

    friend bool operator==(const EventTokens&, const EventTokens&) = default;
};

/// A token event: a message with at least one non-empty fragment, of any channel and choice.
struct TokenEvent {
    Instant at{};                ///< stamp of the read that completed it
    std::uint32_t read = 0;      ///< that read's number
    std::uint32_t message = 0;   ///< 0-based index among dispatched messages
    std::uint32_t textBegin = 0; ///< its bytes in RunRecord::transcript; empty for other choices than 0
    std::uint32_t textEnd = 0;
    std::uint8_t channels = 0; ///< bit 1 << Channel for each channel with a fragment
    EventTokens tokens;
    std::uint32_t streamEnd = 0; ///< bytes of the stream, head and framing included, up to the end of that read

    [[nodiscard]] bool has(Channel c) const noexcept { return (channels >> static_cast<unsigned>(c)) & 1U; }
    /// Whether any fragment is not reasoning.
    [[nodiscard]] bool answers() const noexcept {
        return (channels & ~(1U << static_cast<unsigned>(Channel::reasoning))) != 0;
    }
};

/// What our own engine told of one message: the step whose tokens it brought, with or without text.
struct EngineRow {
    EngineStep step;         ///< its times on the time line of the record's stamps
    Instant at{};            ///< arrival: stamp of the read that completed the message
    std::uint32_t event = 0; ///< index of the token event that shows its tokens; events.size(): none has come yet
};

/// From `begin` on, up to the next span, the transcript is of this channel.
struct ChannelSpan {
    std::uint32_t begin = 0;
    Channel channel = Channel::answer;
};

struct ToolCall {
    std::optional<std::string> id;
    std::string name;
    std::string arguments;
    std::uint16_t choice = 0;
};

struct ChoiceRecord {
    std::string text;
    std::optional<std::string> finish;
};

/// The control variables without which a figure means nothing (mission.md 16). What is not known stays empty.
struct RunCard {
    std::optional<std::string> model, quantization, hardware, scheduler, kvType, speculativeDecoding, serverVersion;
    std::optional<int> batch, concurrency, contextLength;
    std::string clientVersion; ///< "decodescope 0.1.0"
};

struct RunRecord {
    // What was asked. `spec.key` is always null here.
    RunSpec spec;
    std::string route;       ///< URL really used, without secrets
    std::string requestBody; ///< JSON as sent
    std::string startedUtc;  ///< label
    int lane = 0;            ///< index of the lane in its session or recording
    int repeat = 1;          ///< from 1
    bool warmup = false;
    RunCard card;
    ClockSource clock = ClockSource::user;

    // When (metrics.md section 1). t1, ta and tn are in `events`.
    std::optional<Instant> started, connected, sent, firstByte, finished;
    bool warmConnection = false;
    std::optional<Duration> openingTook; ///< TCP and TLS, also when they were up before t0; 0 for a warm connection
    std::optional<Duration> tlsTook;     ///< TLS's part of it; absent without TLS and for a warm connection
    std::string tlsVersion;              ///< "TLSv1.3"; empty without TLS
    bool tlsUnverified = false;          ///< the lane took any certificate
    std::string proxy;                   ///< "host:port" of the proxy in between; empty: direct
    std::optional<StampReport> stamps;   ///< how well the arrivals were stamped
    std::vector<Hiccup> hiccups;         ///< of ours while the run was in flight, in order of waking

    // What came.
    std::optional<ResponseHead> head;
    std::vector<TokenEvent> events;
    std::string transcript; ///< every fragment of choice 0, all channels, in order of arrival; valid UTF-8
    std::vector<ChannelSpan> spans;
    std::vector<ToolCall> toolCalls;
    std::map<std::uint16_t, ChoiceRecord> choices; ///< answer text by choice, 0 included
    std::optional<std::string> finish;             ///< choice 0
    std::optional<UsageReport> usage;
    EventTokens trailing;         ///< told after the last event with text: belong to n, not to n_w
    bool usageContinuous = false; ///< usage came with more than the last messages: a per-event source
    bool usageFell = false;       ///< and once told fewer tokens than before: no such source after all
    bool timingsFell = false;     ///< the same of the counter in the timings
    std::optional<ServerTimings> timings;
    ServerIdentity identity;
    Duration moved{}; ///< how far all stamps lie from when they were taken: a recording on the time line of a race
    // What our own engine told; empty for every other server.
    std::optional<EngineFacts> engine;
    std::optional<EnginePrompt> enginePrompt;
    std::vector<EngineRow> engineSteps; ///< in order of arrival
    std::uint32_t messages = 0;
    std::uint32_t reads = 0;
    std::uint32_t keepalives = 0;
    std::vector<std::string> warnings; ///< names of cli.md, each once, in order of first appearance

    // How it ended.
    Outcome outcome = Outcome::running;
    std::optional<StreamEnd> end;

    /// The joined text of one channel of choice 0.
    [[nodiscard]] std::string text(Channel channel) const;
    [[nodiscard]] std::string_view textOf(const TokenEvent& e) const {
        return std::string_view(transcript).substr(e.textBegin, e.textEnd - e.textBegin);
    }
    /// Channel at a byte of the transcript.
    [[nodiscard]] Channel channelAt(std::uint32_t offset) const;
};

} // namespace decodescope
