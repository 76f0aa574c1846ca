#include "engine/scheduler/trace_ring.h"

#include <algorithm>
#include <utility>

namespace decodescope::engine {
namespace {

SpanKind kindOf(PhaseSpan::Phase phase) noexcept {
    switch (phase) {
    case PhaseSpan::Phase::embed:
        return SpanKind::embed;
    case PhaseSpan::Phase::attention:
        return SpanKind::attention;
    case PhaseSpan::Phase::feedForward:
        return SpanKind::feedForward;
    case PhaseSpan::Phase::head:
        break;
    }
    return SpanKind::head;
}

const char* nameOf(SpanKind kind) noexcept {
    switch (kind) {
    case SpanKind::queue:
        return "queue";
    case SpanKind::prefillChunk:
        return "prefill chunk";
    case SpanKind::decodeStep:
        return "decode step";
    case SpanKind::embed:
        return "embed";
    case SpanKind::attention:
        return "attention";
    case SpanKind::feedForward:
        return "feed forward";
    case SpanKind::head:
        return "head";
    case SpanKind::sampling:
        return "sampling";
    case SpanKind::detokenise:
        break;
    }
    return "detokenise";
}

} // namespace

TraceRing::TraceRing(std::uint32_t steps)
    : m_capacity(std::max(steps, 1U)) {}

void TraceRing::addStep(std::uint64_t step, std::span<const CompactSpan> own, std::span<const PhaseSpan> phases) {
    const std::lock_guard lock(m_mutex);
    if (m_steps.size() < m_capacity)
        m_steps.emplace_back();
    Step& place = m_steps[m_next];
    m_next = (m_next + 1) % m_capacity;
    place.id = step;
    place.spans.assign(own.begin(), own.end());
    for (const PhaseSpan& phase : phases) {
        const bool ofLayer = phase.phase == PhaseSpan::Phase::attention || phase.phase == PhaseSpan::Phase::feedForward;
        place.spans.push_back(
            {kindOf(phase.phase), ofLayer ? std::int32_t{phase.layer} : -1, 0, 0, phase.beginNs, phase.endNs});
    }
}

void TraceRing::add(TraceSpan span) {
    const std::lock_guard lock(m_mutex);
    m_outside.push_back(std::move(span));
    if (m_outside.size() > std::size_t{m_capacity} * kMostSequences)
        m_outside.pop_front();
}

std::vector<TraceSpan> TraceRing::spans() const {
    std::vector<TraceSpan> all;
    {
        const std::lock_guard lock(m_mutex);
        std::uint64_t oldest = UINT64_MAX;
        for (const Step& step : m_steps) {
            oldest = std::min(oldest, step.id);
            for (const CompactSpan& span : step.spans)
                all.push_back(
                    {nameOf(span.kind), step.id, span.request, span.layer, span.beginNs, span.endNs, span.tokens});
        }
        for (const TraceSpan& span : m_outside)
            if (span.step >= oldest)
                all.push_back(span);
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const TraceSpan& a, const TraceSpan& b) { return a.beginNs < b.beginNs; });
    return all;
}

} // namespace decodescope::engine
