#include "core/metrics/buffering.h"
#include "core/metrics/decay.h"
#include "core/metrics/engine_metrics.h"
#include "core/metrics/gaps.h"
#include "core/metrics/hiccup_index.h"
#include "core/metrics/metrics.h"
#include "core/metrics/rates.h"
#include "core/metrics/stalls.h"
#include "core/metrics/text_rates.h"
#include "core/metrics/token_model.h"
#include "core/metrics/verdicts.h"

#include <algorithm>
#include <utility>

namespace decodescope {
namespace {

std::optional<double> secondsBetween(std::optional<Instant> from, std::optional<Instant> to) {
    if (!from || !to)
        return std::nullopt;
    return toSeconds(*to - *from);
}

} // namespace

/// Everything that grows with the run. What depends on how tokens are counted is built anew in the rare case that
/// this turns out differently than it looked (a total that contradicts, a scale that is known at the end only).
struct LiveMetrics::State {
    explicit State(const MetricSettings& s)
        : settings(s)
        , stalls(s) {}

    MetricSettings settings;
    TokenTally tally;
    AnswerText text;
    TokenModel model;
    ArrivalLog log;
    GapStatistics gaps;
    GrowingDistribution perToken{1e-12};
    std::uint64_t severalTokens = 0; ///< gaps that brought more than one token
    StallScan stalls;
    HiccupIndex hiccups;
    std::vector<std::size_t> client; ///< arrivals whose gap is laid to a hiccup of ours, ascending: counted nowhere
    DecayBins decay;
    RateCurve curve;
    EngineMetrics engine;

    void restart() {
        log = ArrivalLog(model.scale);
        gaps = GapStatistics();
        perToken = GrowingDistribution(1e-12);
        severalTokens = 0;
        stalls = StallScan(settings);
        client.clear();
        decay = DecayBins();
        curve = RateCurve();
    }

    [[nodiscard]] bool isClient(std::size_t arrival) const {
        return std::binary_search(client.begin(), client.end(), arrival);
    }

    /// Takes the gap per token before an arrival into the statistics, or out of them.
    void countPerToken(std::size_t arrival, bool in) {
        const std::int64_t ps = log.perTokenPs(arrival);
        if (ps <= 0)
            return;
        const bool several = log.tokens(arrival) > 1;
        if (in) {
            perToken.add(ps);
            severalTokens += several;
        } else {
            perToken.remove(ps);
            severalTokens -= several;
        }
    }

    void countLast(bool in) {
        if (!isClient(log.size() - 1))
            countPerToken(log.size() - 1, in);
    }

    /// Which gaps are laid to hiccups of ours may turn out later than the gaps themselves: a hiccup is told after it,
    /// and the first gaps are judged by those that follow.
    void layGaps(const RunRecord& record) {
        hiccups.update(record);
        std::vector<std::size_t> now = stalls.clientArrivals(log, {record, hiccups, model.tokensKnown, {}});
        if (now == client)
            return;
        const std::vector<std::size_t> before = std::exchange(client, std::move(now));
        for (const std::size_t arrival : before) {
            if (isClient(arrival))
                continue;
            gaps.takeBack(log.gapNs(arrival));
            countPerToken(arrival, true);
        }
        for (const std::size_t arrival : client) {
            if (std::binary_search(before.begin(), before.end(), arrival))
                continue;
            gaps.leaveOut(log.gapNs(arrival));
            countPerToken(arrival, false);
        }
        gaps.restartRunning();
        auto next = client.begin();
        for (std::size_t i = 1; i < log.size(); ++i) {
            if (next != client.end() && *next == i)
                ++next;
            else
                gaps.addRunning(log.gapNs(i));
        }
    }

    /// Gaps into which a hiccup fell, those that are laid to one apart.
    [[nodiscard]] std::uint64_t overlapped() const {
        std::uint64_t count = 0;
        std::size_t next = 1; // the first gap that was not counted yet
        for (const HiccupIndex::Span& span : hiccups.spans()) {
            for (next = std::max(next, log.firstAfter(span.due)); next < log.size() && log[next - 1].at < span.woke;
                 ++next)
                count += !isClient(next);
        }
        return count;
    }

    void addEvent(const RunRecord& record, std::size_t index) {
        const TokenEvent& event = record.events[index];
        const bool joins = !log.empty() && log.back().read == event.read;
        if (joins)
            countLast(false);
        else if (!log.empty())
            decay.add(log, log.size() - 1);
        log.add(event, static_cast<std::uint32_t>(index), model.units(event));
        if (!joins && log.size() > 1) {
            gaps.add(log.gapNs(log.size() - 1));
            stalls.addGap(log);
        }
        countLast(true);
    }
};

LiveMetrics::LiveMetrics(MetricSettings settings)
    : m_state(std::make_unique<State>(settings)) {}
LiveMetrics::~LiveMetrics() = default;
LiveMetrics::LiveMetrics(LiveMetrics&&) noexcept = default;
LiveMetrics& LiveMetrics::operator=(LiveMetrics&&) noexcept = default;

void LiveMetrics::update(const RunRecord& record) {
    State& s = *m_state;
    s.engine.update(record);
    std::size_t from = s.tally.events;
    for (std::size_t i = from; i < record.events.size(); ++i) {
        s.tally.add(record, record.events[i]);
        s.text.add(record, record.events[i]);
    }
    TokenModel model = decideTokens(s.tally, record);
    const bool rebuild = !model.sameUnits(s.model);
    if (model.tokensKnown != s.model.tokensKnown)
        s.stalls.forgetKinds();
    // Tokens of the events are kept from one update to the next: only new ones are appended.
    if (!rebuild && model.tokensKnown && s.model.tokensKnown && model.count.basis == s.model.count.basis) {
        model.count.perEvent = std::move(s.model.count.perEvent);
        model.count.told = std::move(s.model.count.told);
    }
    appendPerEvent(model.count, model, record, model.count.perEvent.size());
    s.model = std::move(model);
    if (rebuild) {
        s.restart();
        from = 0;
    }
    for (std::size_t i = from; i < record.events.size(); ++i)
        s.addEvent(record, i);
    s.layGaps(record);
    extendRateCurve(s.curve, s.log, s.settings.rateWindowTokens, record.outcome != Outcome::running);
}

const RateCurve& LiveMetrics::rateCurve() const {
    return m_state->curve;
}

RunSummary LiveMetrics::summary(const RunRecord& record, std::optional<Instant> now) const {
    const State& s = *m_state;
    RunSummary out;
    out.outcome = record.outcome;
    // A 200 without a single token is no success, however orderly it ended.
    out.inStats = record.outcome == Outcome::complete && !record.warmup && !record.events.empty();
    out.tokens = s.model.count;
    out.tokenEvents = s.tally.events;
    out.arrivals = s.log.size();

    out.ttfb = secondsBetween(record.started, record.firstByte);
    out.connect = secondsBetween(record.started, record.connected);
    out.e2e = secondsBetween(record.started, record.finished);
    out.engine = s.engine.summary(record);
    if (out.e2e && *out.e2e > 0 && out.tokens.output && *out.tokens.output > 0)
        out.e2eTps = static_cast<double>(*out.tokens.output) / *out.e2e;
    if (record.outcome == Outcome::notStreamed) { // its one message says nothing of when tokens were generated
        out.tokenEvents = 0;
        out.arrivals = 0;
        out.flags = verdicts(record, out);
        return out;
    }
    if (!s.log.empty()) {
        const std::optional<Instant> t1 = s.log[0].at;
        out.ttft = secondsBetween(record.started, t1);
        out.ttftWithoutConnect = secondsBetween(record.connected, t1);
        out.ttftFromSent = secondsBetween(record.sent, t1);
        out.ttfa = secondsBetween(record.started, s.text.first());
        out.lastAnswer = secondsBetween(record.started, s.text.last());
        out.decode = toSeconds(s.log.back().at - s.log[0].at);
    }
    if (out.tokens.prompt && out.ttftFromSent && *out.ttftFromSent > 0 &&
        *out.tokens.prompt > out.tokens.cached.value_or(0))
        out.promptTps = static_cast<double>(*out.tokens.prompt - out.tokens.cached.value_or(0)) / *out.ttftFromSent;

    if (s.model.tokensKnown && out.tokens.visible)
        out.decodeTps = decodeRate(s.log, *out.tokens.visible);
    if (out.decodeTps)
        out.tpot = 1 / *out.decodeTps;
    out.eventsPerS = eventRate(s.log, s.tally.events);

    out.itl = s.gaps.itl();
    out.jitter = s.gaps.jitter();
    out.charsPerS = s.text.charsPerS();
    out.wordsPerS = s.text.wordsPerS();
    if (s.model.tokensKnown) {
        if (s.severalTokens > 0)
            out.itlPerToken = s.perToken.distribution();
        out.rateAt = ratesAtMilestones(s.log, s.settings.rateWindowTokens);
        out.decay = s.decay.decay(s.log);
    }
    out.stalls = s.stalls.stalls(s.log, {record, s.hiccups, s.model.tokensKnown, now});
    out.clientGaps = s.client.size();
    out.hiccupGaps = s.overlapped();
    if (record.outcome != Outcome::running)
        out.buffering = bufferingOf(record, s.log, s.hiccups, out);
    out.flags = verdicts(record, out);
    return out;
}

RunSummary summarize(const RunRecord& record, const MetricSettings& settings) {
    LiveMetrics metrics(settings);
    metrics.update(record);
    return metrics.summary(record);
}

} // namespace decodescope
