#pragma once

#include "core/base/clock.h"
#include "core/record/run_record.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What metrics.md makes of a RunRecord. Every member has the meaning of the like-named field in cli.md; undefined
/// is nullopt. Seconds unless the name says otherwise.
namespace decodescope {

/// Which part of the wire gave the token count (cli.md `token_source`).
enum class TokenSourceKind : std::uint8_t { none, usage, tokenIds, logprobs, timings, evalCount, engine, tokenizer };
/// metrics.md section 2 (cli.md `token_basis`): "per-event", "total", "tokenizer", "none".
enum class TokenBasis : std::uint8_t { none, perEvent, total, tokenizer };
[[nodiscard]] std::string_view toString(TokenSourceKind kind) noexcept;
[[nodiscard]] std::string_view toString(TokenBasis basis) noexcept;

/// The token arithmetic of a run (metrics.md section 2).
struct TokenCount {
    TokenSourceKind source = TokenSourceKind::none;
    TokenBasis basis = TokenBasis::none;
    std::optional<std::uint64_t> output;    ///< n
    std::optional<double> visible;          ///< n_w
    std::optional<std::uint64_t> reasoning; ///< as told
    std::optional<std::uint64_t> prompt;
    std::optional<std::uint64_t> cached;
    bool kUnknown = false; ///< tokens of an event are only known on average
    bool hidden = false;   ///< tokens were billed that were not streamed
    bool usageMismatch = false;
    /// Tokens of event i: told, 1, or n_w / E under kUnknown; empty with basis none.
    std::vector<double> perEvent;
    /// For explain's tokens_per_event: only when the wire tells each; else empty.
    std::vector<std::uint32_t> told;
};

struct Distribution {
    std::uint64_t n = 0;
    double mean = 0, p50 = 0, p90 = 0, p95 = 0, p99 = 0, max = 0;
    double min = 0;
    friend bool operator==(const Distribution&, const Distribution&) = default;
};

enum class StallKind : std::uint8_t { delivery, generation, phase, client, open, unknown };
[[nodiscard]] std::string_view toString(StallKind kind) noexcept;

/// The numbers by which a stall was found and its kind was told. What played no part is absent.
struct StallEvidence {
    double thresholdS = 0;
    std::optional<double> medianS; ///< M; absent while fewer than three other gaps were known
    /// Tokens a second before the stall, or after it where it came too early; events where tokens are not told.
    std::optional<double> trendPerS;
    bool trendFromAfter = false;
    bool countsTokens = false;       ///< `trendPerS`, `owed` and `caughtUp` are of tokens; otherwise of events
    std::optional<double> owed;      ///< what the trend would have brought during the stall
    std::optional<double> caughtUp;  ///< the most that came above the trend afterwards
    std::optional<double> withinS;   ///< how long after the stall that was: the time looked at, where it was not enough
    std::optional<Channel> from, to; ///< of a change of channel
    /// How long a hiccup of ours fell into the gap: it made a client stall; any other one is only marked with it.
    std::optional<double> hiccupS;
    friend bool operator==(const StallEvidence&, const StallEvidence&) = default;
};

/// "reasoning", "answer", "refusal", "tool": in everything that programs read.
[[nodiscard]] std::string_view toString(Channel channel) noexcept;
/// The same in a sentence: "tool call".
[[nodiscard]] std::string_view channelName(Channel channel) noexcept;

/// Where several lanes that stall at one instant point.
enum class StallSide : std::uint8_t {
    none,   ///< too few of the lanes that were streaming stalled
    client, ///< lanes of several servers stalled: the network or the machine on this side
    server, ///< only lanes of one server stalled, and lanes of others went on
    either  ///< only lanes of one server were streaming
};
[[nodiscard]] std::string_view toString(StallSide side) noexcept;

/// What the lanes did at the instant of a stall (stalls_together.h).
struct StallOthers {
    std::uint32_t stalled = 1;   ///< lanes, this one included
    std::uint32_t streaming = 1; ///< lanes that had begun and not ended, this one included
    StallSide side = StallSide::none;
    std::string evidence;
    friend bool operator==(const StallOthers&, const StallOthers&) = default;
};

/// metrics.md section 4.
struct Stall {
    double startS = 0; ///< from t0 to the arrival before the gap
    double lengthS = 0;
    StallKind kind = StallKind::unknown;
    bool periodic = false;
    std::uint32_t eventIndex = 0; ///< first token event of the arrival that ended it (events.size() while open)
    double tokenIndex = 0;        ///< tokens that had arrived before it
    std::uint32_t readBefore = 0; ///< number of the read after which nothing came
    std::optional<std::uint32_t> readAfter; ///< of the one that ended it; absent while open
    std::uint32_t textOffset = 0;           ///< byte of the transcript at which the late text begins
    std::string evidence;                   ///< a sentence with the numbers that decided
    StallEvidence data;                     ///< those numbers
    std::optional<StallOthers> others;      ///< set by whoever knows them (markTogether); absent: no lane streamed then

    /// Whether it is one of several lanes that stalled at the same instant.
    [[nodiscard]] bool together() const { return others && others->side != StallSide::none; }
    friend bool operator==(const Stall&, const Stall&) = default;
};

/// What stands between the model and us, by what it does to a stream. Also the names of flags.
enum class BufferingKind : std::uint8_t {
    notReallyStreamed, ///< not_really_streamed
    proxyBuffer,       ///< proxy_buffer: bursts as a buffer makes them, by its size or by a clock
    bursts,            ///< bursts: at least half of the output came in them
    nagle,             ///< nagle: silences as long as Linux delays an acknowledgement
    compressed,        ///< compressed: the response had a content coding
    cacheHit,          ///< cache_hit: a header says that a cache answered
    merged             ///< merged: several token events shared a read
};
[[nodiscard]] std::string_view toString(BufferingKind kind) noexcept;

/// One finding of the buffering detector: what was seen, and what to try.
struct BufferingSign {
    BufferingKind kind = BufferingKind::merged;
    std::string evidence;
    std::string advice;
    friend bool operator==(const BufferingSign&, const BufferingSign&) = default;
};

/// When a buffer on the way is emptied.
enum class FlushedBy : std::uint8_t { unknown, size, time };

/// The numbers behind the signs. A burst: three or more token events within 2 ms of one another, after a silence of
/// 10 ms or more that no hiccup of ours made.
struct Buffering {
    std::uint64_t mergedArrivals = 0, mergedEvents = 0; ///< reads with several token events, and those events
    std::uint64_t largestMerge = 0;                     ///< events of the largest of them
    std::uint64_t bursts = 0;
    double burstShare = 0;                    ///< of all tokens
    std::optional<double> burstEvents;        ///< medians; absent with fewer than three bursts
    std::optional<double> burstPeriodS;       ///< from start to start
    std::optional<double> burstBytes;         ///< of the stream as it came over the wire
    FlushedBy flushedBy = FlushedBy::unknown; ///< known only where the bursts are as even as a buffer makes them
    std::optional<std::uint32_t> bufferBytes; ///< 4, 8, 16, 32 or 64 KiB where the bursts are about that large
    std::uint64_t pairs = 0;                  ///< gaps of about 40 ms with several events at their end
    double pairShare = 0;                     ///< of the time from first to last arrival
    std::optional<double> pairGapS;           ///< median
    std::string contentEncoding;              ///< empty: none
    std::vector<std::string> cacheHeaders;    ///< names of those that tell of a cache's answer
    bool nginx = false;                       ///< the response names it as its server
    std::vector<BufferingSign> signs;         ///< the weightiest first
    friend bool operator==(const Buffering&, const Buffering&) = default;
};

struct Jitter {
    double stdev = 0, mad = 0, p99MinusP50 = 0, rfc3550 = 0;
    friend bool operator==(const Jitter&, const Jitter&) = default;
};

struct RateAt {
    std::uint32_t position = 0;
    std::optional<double> tps;
    friend bool operator==(const RateAt&, const RateAt&) = default;
};

struct Decay {
    double percentPer1000 = 0, low = 0, high = 0; ///< value and its 95% interval
    friend bool operator==(const Decay&, const Decay&) = default;
};

/// How a step's time is split over its phases; the parts add up to 1.
struct PhaseShares {
    double attention = 0, feedForward = 0, head = 0, sampling = 0, rest = 0;
    friend bool operator==(const PhaseShares&, const PhaseShares&) = default;
};

/// What our own engine's ground truth adds to a run's figures. A decode step is one after that of the first token,
/// which is the end of the prompt's prefill.
struct EngineSummary {
    /// From sampling to arrival, in seconds, over the messages that brought tokens. Absent when the engine's stamps
    /// cannot be of our clock (it runs on another machine).
    std::optional<Distribution> deliveryLag;
    std::uint64_t steps = 0;                 ///< decode steps
    std::optional<Distribution> stepTime;    ///< of decode steps, in seconds
    std::optional<double> gbPerS;            ///< median over decode steps: (weights + KV read) / step time
    std::optional<double> bandwidthGBps;     ///< the memory's read rate: EngineFacts
    std::optional<double> bandwidthFraction; ///< gbPerS / bandwidthGBps
    std::optional<double> bytesPerStep;      ///< weights + KV that the last decode step read
    std::optional<std::uint64_t> kvBytes;    ///< in the cache at the end
    std::optional<double> predictedTpsFirst, predictedTpsLast; ///< the bandwidth's bound at the first and last position
    std::optional<PhaseShares> phases;                         ///< of all decode steps together
    std::optional<double> meanBatch;                           ///< sequences in a decode step
    std::uint32_t largestBatch = 0;
    std::uint64_t drafted = 0, accepted = 0;
    std::optional<double> acceptance;     ///< accepted / drafted; absent without drafts
    std::optional<double> queue, prefill; ///< seconds
    std::optional<double> prefillTps;     ///< prompt tokens that were computed, by the time that took
    std::uint32_t prefillChunks = 0;
};

/// Tunable, with the defaults of metrics.md.
struct MetricSettings {
    double stallFloorS = 0.1;
    double stallFactor = 4.0;
    double stallUnknownS = 1.0; ///< threshold while fewer than 3 other gaps are known
    int rateWindowTokens = 32;
};

struct RunSummary {
    Outcome outcome = Outcome::running;
    bool inStats = false; ///< complete, streamed, no warm-up

    std::optional<double> ttft, ttfa, ttfb, connect, ttftWithoutConnect, ttftFromSent;
    std::optional<double> decode; ///< tn - t1
    std::optional<double> decodeTps, eventsPerS, tpot;
    std::optional<double> e2e, e2eTps;
    std::optional<double> lastAnswer; ///< t0 to the last answer token
    TokenCount tokens;
    std::uint64_t tokenEvents = 0;
    std::uint64_t arrivals = 0;
    std::optional<double> promptTps;
    std::optional<Distribution> itl, itlPerToken;
    std::optional<Jitter> jitter;
    std::optional<double> charsPerS, wordsPerS;
    std::vector<RateAt> rateAt; ///< positions 1, 100, 500, 1000, 2000, 4000, ... as far as the run goes
    std::optional<Decay> decay;
    std::vector<Stall> stalls;
    std::uint64_t clientGaps =
        0; ///< laid to hiccups of ours (stalls of kind client): out of itl, itlPerToken and jitter
    std::uint64_t hiccupGaps = 0;        ///< gaps into which a hiccup of ours only fell: marked and kept
    Buffering buffering;                 ///< once the run is over
    std::optional<EngineSummary> engine; ///< only of runs that our own engine answered
    std::vector<std::string> flags;      ///< short_run, not_steady_state, steady, not_really_streamed, k_unknown, ...
};

} // namespace decodescope
