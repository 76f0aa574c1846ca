#include "core/metrics/engine_metrics.h"

#include "core/metrics/gaps.h"
#include "core/metrics/order_statistics.h"

#include <algorithm>

namespace decodescope {
namespace {

constexpr double kNsPerS = 1e9;
constexpr double kBytesPerGB = 1e9;

std::optional<std::int64_t> deliveryLagNs(const RunRecord& record, const EngineRow& row) {
    // The bound is the start and not `sent`: a server on this machine may sample before our thread has noted that the
    // request left.
    const std::int64_t sampled = row.step.sampledAtNs;
    if (sampled <= 0 || !record.started || sampled < toNs(*record.started) || sampled > toNs(row.at))
        return std::nullopt;
    return toNs(row.at) - sampled;
}

std::optional<double> seconds(std::int64_t ns) {
    return ns > 0 ? std::optional(static_cast<double>(ns) / kNsPerS) : std::nullopt;
}

/// Times of a step's phases, if they are possible.
struct Phases {
    std::int64_t attention = 0, feedForward = 0, head = 0, sampling = 0, all = 0;
};

std::optional<Phases> phasesOf(const EngineStep& step) {
    const auto all = stepTimeNs(step);
    if (!all)
        return std::nullopt;
    std::int64_t sum = 0;
    for (const std::int64_t part : {step.attentionNs, step.feedForwardNs, step.headNs, step.samplingNs}) {
        if (part < 0 || part > *all - sum)
            return std::nullopt;
        sum += part;
    }
    if (sum == 0)
        return std::nullopt; // this backend does not tell
    return Phases{step.attentionNs, step.feedForwardNs, step.headNs, step.samplingNs, *all};
}

PhaseShares sharesOf(const Phases& p) {
    const auto share = [&](std::int64_t part) { return static_cast<double>(part) / static_cast<double>(p.all); };
    return {share(p.attention), share(p.feedForward), share(p.head), share(p.sampling),
            share(p.all - p.attention - p.feedForward - p.head - p.sampling)};
}

} // namespace

std::optional<double> deliveryLagS(const RunRecord& record, const EngineRow& row) {
    const auto lag = deliveryLagNs(record, row);
    return lag ? std::optional(static_cast<double>(*lag) / kNsPerS) : std::nullopt;
}

std::optional<double> stepTimeS(const EngineStep& step) {
    const auto time = stepTimeNs(step);
    return time ? seconds(*time) : std::nullopt;
}

std::optional<double> bandwidthFraction(const EngineFacts& facts, double gbPerS) {
    return facts.bandwidthGBps ? std::optional(gbPerS / *facts.bandwidthGBps) : std::nullopt;
}

std::optional<std::uint64_t> kvBytesAt(const EngineFacts& facts, std::uint64_t positions) {
    std::uint64_t bytes = 0;
    if (facts.kvBytesPerToken == 0 || __builtin_mul_overflow(facts.kvBytesPerToken, positions, &bytes))
        return std::nullopt;
    return bytes;
}

std::optional<double> predictedTps(const EngineFacts& facts, std::uint64_t position) {
    if (!facts.bandwidthGBps || facts.weightBytes == 0)
        return std::nullopt;
    const double bytes = static_cast<double>(facts.weightBytes) +
                         static_cast<double>(facts.kvBytesPerToken) * static_cast<double>(position);
    return *facts.bandwidthGBps * kBytesPerGB / bytes;
}

std::optional<PhaseShares> phaseShares(const EngineStep& step) {
    const auto phases = phasesOf(step);
    return phases ? std::optional(sharesOf(*phases)) : std::nullopt;
}

struct EngineMetrics::State {
    std::size_t rows = 0;
    GrowingDistribution lags{1e-9};
    bool otherClock = false; ///< a stamp was not of our clock
    std::uint64_t steps = 0;
    GrowingDistribution times{1e-9};
    RunningMedian bytesPerS;
    double lastBytes = 0;
    Phases phases;
    std::uint64_t batches = 0, batchSum = 0;
    std::uint32_t largestBatch = 0;
    std::uint64_t drafted = 0, accepted = 0;

    void addLag(const RunRecord& record, const EngineRow& row) {
        if (const auto lag = deliveryLagNs(record, row))
            lags.add(*lag);
        else
            otherClock = true;
    }

    void addStep(const EngineStep& step) {
        ++steps;
        drafted += step.drafted;
        accepted += std::min(step.accepted, step.drafted);
        if (step.batch > 0) {
            ++batches;
            batchSum += step.batch;
            largestBatch = std::max(largestBatch, step.batch);
        }
        if (const auto time = stepTimeNs(step)) {
            times.add(*time);
            const double bytes = stepBytesRead(step);
            constexpr double kMost = 1e18; // fits 64 bits; far beyond any memory
            const double perS = std::min(bytes / static_cast<double>(*time) * kNsPerS, kMost);
            if (bytes > 0) {
                bytesPerS.add(static_cast<std::int64_t>(perS));
                lastBytes = bytes;
            }
        }
        if (const auto p = phasesOf(step)) {
            phases.attention += p->attention;
            phases.feedForward += p->feedForward;
            phases.head += p->head;
            phases.sampling += p->sampling;
            phases.all += p->all;
        }
    }
};

EngineMetrics::EngineMetrics()
    : m_state(std::make_unique<State>()) {}
EngineMetrics::~EngineMetrics() = default;
EngineMetrics::EngineMetrics(EngineMetrics&&) noexcept = default;
EngineMetrics& EngineMetrics::operator=(EngineMetrics&&) noexcept = default;

void EngineMetrics::update(const RunRecord& record) {
    State& s = *m_state;
    for (; s.rows < record.engineSteps.size(); ++s.rows) {
        s.addLag(record, record.engineSteps[s.rows]);
        if (beginsDecodeStep(record, s.rows))
            s.addStep(record.engineSteps[s.rows].step);
    }
}

std::optional<EngineSummary> EngineMetrics::summary(const RunRecord& record) const {
    const State& s = *m_state;
    if (!record.engine && !record.enginePrompt && record.engineSteps.empty())
        return std::nullopt;
    EngineSummary out;
    if (!s.otherClock)
        out.deliveryLag = s.lags.distribution();
    out.steps = s.steps;
    out.stepTime = s.times.distribution();
    if (s.bytesPerS.count() > 0)
        out.gbPerS = s.bytesPerS.value() / kBytesPerGB;
    if (s.lastBytes > 0)
        out.bytesPerStep = s.lastBytes;
    if (s.phases.all > 0)
        out.phases = sharesOf(s.phases);
    if (s.batches > 0)
        out.meanBatch = static_cast<double>(s.batchSum) / static_cast<double>(s.batches);
    out.largestBatch = s.largestBatch;
    out.drafted = s.drafted;
    out.accepted = s.accepted;
    if (s.drafted > 0)
        out.acceptance = static_cast<double>(s.accepted) / static_cast<double>(s.drafted);
    if (record.engine) {
        out.bandwidthGBps = record.engine->bandwidthGBps;
        if (out.gbPerS)
            out.bandwidthFraction = bandwidthFraction(*record.engine, *out.gbPerS);
        if (!record.engineSteps.empty()) {
            out.kvBytes = kvBytesAt(*record.engine, record.engineSteps.back().step.kvLength);
            out.predictedTpsFirst = predictedTps(*record.engine, record.engineSteps.front().step.position);
            out.predictedTpsLast = predictedTps(*record.engine, record.engineSteps.back().step.position);
        }
    }
    if (const auto& prompt = record.enginePrompt) {
        out.queue = prompt->queueNs >= 0 ? std::optional(static_cast<double>(prompt->queueNs) / kNsPerS) : std::nullopt;
        out.prefill = seconds(prompt->prefillNs);
        if (out.prefill && prompt->tokens > prompt->cached)
            out.prefillTps = static_cast<double>(prompt->tokens - prompt->cached) / *out.prefill;
        out.prefillChunks = prompt->chunks;
    }
    return out;
}

} // namespace decodescope
