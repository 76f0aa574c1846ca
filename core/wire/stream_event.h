#pragma once

#include "core/base/clock.h"
#include "core/base/clock_source.h"
#include "core/base/hiccup.h"
#include "core/wire/engine_report.h"
#include "core/wire/error_kind.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// What a response means, message by message, in one vocabulary for every API. Produced by StreamDecoder on the
/// network thread (or by a replay), posted through a Mailbox, consumed by RunRecorder.
namespace decodescope {

/// On which channel a piece of generated text came.
enum class Channel : std::uint8_t { answer, reasoning, refusal, tool };

/// A non-empty generated piece of text.
struct Fragment {
    Channel channel = Channel::answer;
    std::uint16_t choice = 0;
    std::string text; ///< valid UTF-8; for a tool call its name or a piece of its arguments
    /// Tool calls only: the position of the call in RunRecord::toolCalls, and whether `text` is the name.
    std::uint16_t toolCall = 0;
    bool isToolName = false;
};

/// How many tokens a message brought, by each part of the wire that tells it. Absent where it does not.
/// Running counters are handed on as they stand (totals so far), not as differences.
struct TokenHints {
    std::optional<std::uint64_t> runningUsage;   ///< continuous `usage.completion_tokens`, total so far
    std::optional<std::uint64_t> runningTimings; ///< llama.cpp's `timings.predicted_n`, total so far
    std::optional<std::uint32_t> ids;            ///< token ids in this message
    std::optional<std::uint32_t> logprobs;       ///< logprob entries in this message
    std::optional<std::uint32_t> engine;         ///< tokens in this message as our own engine counts them
};

/// The bytes of a request or response met a milestone. Sent by sources, not by the decoder.
struct Milestone {
    enum class Kind : std::uint8_t {
        started,   ///< t0
        connected, ///< tc: TCP, and TLS where used, are up; `warm` tells a reused or prepared connection
        sent,      ///< ts: last byte of the request left
        firstByte, ///< tb: first byte of the response head
        routed     ///< no connection came about, but it was to lead through `proxy`
    };
    Kind kind = Kind::started;
    bool warm = false;        ///< with connected: the connection had been used before
    Duration openingTook{};   ///< with connected: how long TCP and TLS took, also when that was before t0
    Duration tlsTook{};       ///< with connected: the part of openingTook that was TLS; 0 without TLS
    std::string tlsVersion{}; ///< with connected: "TLSv1.3"; empty without TLS
    bool unverified = false;  ///< with connected: under TLS, but the lane takes any certificate
    std::string proxy{};      ///< with connected and routed: "host:port" of the proxy in between; empty: direct
    /// With started: how far the stamps of this run were moved from when they were taken. Not 0 only for a recording
    /// that runs beside live lanes, on their time line.
    Duration moved{};
};

using Headers = std::vector<std::pair<std::string, std::string>>; ///< names in lower case, in wire order

/// The response's head was complete.
struct ResponseHead {
    int status = 200;
    std::string httpVersion; ///< "1.1"; empty for a bare body
    Headers headers;
};

/// One dispatched message (an SSE event with non-empty data, an NDJSON line, an array element). Exactly one of
/// these is emitted for each message up to and including the first [DONE], before anything the message says.
struct MessageArrived {};

/// Text, tool or token counts of the message. A delta without fragments but with hints is a token without text.
struct TokenDelta {
    std::vector<Fragment> fragments;
    TokenHints hints;
};

/// A tool call was opened; fragments refer to it by index. An absent id is nullopt.
struct ToolCallOpened {
    std::uint16_t toolCall = 0;
    std::uint16_t choice = 0;
    std::optional<std::string> id;
};

/// Which part of the wire told the totals.
enum class UsageOrigin : std::uint8_t {
    usage,
    evalCount ///< Ollama's eval_count
};

/// Totals; each message replaces what is told and leaves the rest (last non-null wins).
struct UsageReport {
    std::optional<std::uint64_t> prompt;     ///< includes cached tokens
    std::optional<std::uint64_t> completion; ///< includes reasoning
    std::optional<std::uint64_t> reasoning;
    std::optional<std::uint64_t> cached;
    UsageOrigin origin = UsageOrigin::usage; ///< of `completion`
};

/// The server's own clock, shown beside ours and never mixed into it.
struct ServerTimings {
    std::optional<double> queueMs;
    std::optional<double> loadMs;
    std::optional<double> promptMs;
    std::optional<double> decodeMs;
    std::string raw; ///< the object as sent, as JSON text
};

/// Which backend answered. Only non-empty members are news.
struct ServerIdentity {
    std::string provider;
    std::string systemFingerprint;
    std::string model;
};

/// Our own engine said what it is; once a run. Shared, so that an event stays small.
struct EngineIntroduced {
    std::shared_ptr<const EngineFacts> facts; ///< never null
};

struct FinishReported {
    std::uint16_t choice = 0;
    std::string reason; ///< as the protocol spells it, never empty
};

/// A comment or ping: the server is alive, nothing was generated.
struct Keepalive {
    std::string note;
};

/// Something odd that does not end the run: a name of cli.md's `warnings`.
struct WarningRaised {
    std::string name;
};

/// How well the arrivals of this run were stamped: the instrument's word about itself. Once a run, before its end.
struct StampReport {
    ClockSource source = ClockSource::user; ///< `user` as soon as one read had no usable kernel stamp
    /// What a stamp may be wrong by, as far as this machine can know: for kernel stamps half the bracket of the clock
    /// offset; for stamps in user space the largest lateness of the network thread during the run. Absent: not known.
    std::optional<Duration> errorBound;
    std::uint32_t kernelStamps = 0; ///< reads whose kernel stamp was used
    std::uint32_t rejected = 0;     ///< kernel stamps outside [previous read, this read]: the wall clock was stepped
    Duration largestLag{};          ///< largest lateness of the network thread during the run

    friend bool operator==(const StampReport&, const StampReport&) = default;
};

/// The final word on a stream; exactly one, the last event. `at` of the event is te.
struct StreamEnd {
    enum class Verdict : std::uint8_t {
        complete,   ///< the protocol's end, or a finish reason and then the end of the stream
        incomplete, ///< a clean end that shows neither; kind is truncated
        error
    };
    Verdict verdict = Verdict::complete;
    ErrorKind kind = ErrorKind::none;
    std::string message; ///< what the server said, or our own sentence for faults of the transport
    std::string code;    ///< the error's code or type as JSON text (502, "overloaded_error"); may be empty
    bool codeIsNumber = false;
    std::optional<int> httpStatus; ///< of the response, if there was one
    std::optional<std::int64_t> retryAfterMs;
    std::string redirectTo;   ///< absolute URL, for redirects
    bool notStreamed = false; ///< a whole JSON answer, asked for or not
    std::string body;         ///< the raw body of an error answer, at most 64 KiB, valid UTF-8
};

/// The end of a stream for a reason of our own, not the server's.
[[nodiscard]] inline StreamEnd errorEnd(ErrorKind kind, std::string message) {
    StreamEnd end;
    end.verdict = StreamEnd::Verdict::error;
    end.kind = kind;
    end.message = std::move(message);
    return end;
}

/// One event with the stamp and number of the read that completed it.
struct StreamEvent {
    Instant at{};
    std::uint32_t read = 0;
    std::uint32_t message = 0; ///< 0-based index among messages; that of the latest one for what is no message
    std::variant<Milestone, ResponseHead, MessageArrived, TokenDelta, ToolCallOpened, UsageReport, ServerTimings,
                 ServerIdentity, EngineIntroduced, EnginePrompt, EngineStep, FinishReported, Keepalive, WarningRaised,
                 Hiccup, StampReport, StreamEnd>
        what;
    std::uint64_t streamEnd = 0; ///< bytes of the stream up to the end of that read; 0 where it is no read's
};

} // namespace decodescope
