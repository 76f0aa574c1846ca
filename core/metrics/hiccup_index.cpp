#include "core/metrics/hiccup_index.h"

#include <algorithm>

namespace decodescope {
namespace {

std::vector<HiccupIndex::Span> merged(std::vector<HiccupIndex::Span> spans) {
    std::sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) { return a.due < b.due; });
    std::vector<HiccupIndex::Span> out;
    for (const HiccupIndex::Span& span : spans) {
        if (!out.empty() && span.due <= out.back().woke)
            out.back().woke = std::max(out.back().woke, span.woke);
        else
            out.push_back(span);
    }
    return out;
}

} // namespace

bool stampedByUs(const RunRecord& record) noexcept {
    return (record.stamps ? record.stamps->source : record.clock) == ClockSource::user;
}

void HiccupIndex::update(const RunRecord& record) {
    bool inOrder = true;
    for (; m_taken < record.hiccups.size(); ++m_taken) {
        const Hiccup& hiccup = record.hiccups[m_taken];
        if (hiccup.woke <= hiccup.due)
            continue;
        inOrder = inOrder && (m_spans.empty() || hiccup.due > m_spans.back().woke);
        m_spans.push_back({hiccup.due, hiccup.woke});
    }
    if (!inOrder) // several threads tell theirs, or a file that nobody vouches for
        m_spans = merged(std::move(m_spans));
}

Duration HiccupIndex::within(Instant from, Instant to) const {
    Duration sum{};
    auto span = std::partition_point(m_spans.begin(), m_spans.end(), [&](const Span& s) { return s.woke <= from; });
    for (; span != m_spans.end() && span->due < to; ++span)
        sum += std::min(span->woke, to) - std::max(span->due, from);
    return sum;
}

std::optional<Duration> HiccupIndex::inProgressAt(Instant to, Instant from) const {
    const auto after = std::partition_point(m_spans.begin(), m_spans.end(), [&](const Span& s) { return s.due < to; });
    if (after == m_spans.begin())
        return std::nullopt;
    const Span& span = *std::prev(after);
    if (span.woke + Hiccup::kWorthNoting < to || span.woke <= from)
        return std::nullopt;
    return std::min(span.woke, to) - std::max(span.due, from);
}

} // namespace decodescope
