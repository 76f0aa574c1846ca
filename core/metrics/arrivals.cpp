#include "core/metrics/arrival_log.h"
#include "core/metrics/token_model.h"

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

/// Scaled positions are sums of fractions: a token counts as arrived when all but this much of it has.
constexpr double kTokenSlack = 1e-6;

} // namespace

bool ArrivalLog::add(const TokenEvent& event, std::uint32_t index, std::uint32_t units) {
    const bool opens = m_rows.empty() || m_rows.back().read != event.read;
    if (opens) {
        ArrivalRow row;
        row.at = event.at;
        row.read = event.read;
        row.firstEvent = index;
        row.total = m_rows.empty() ? 0 : m_rows.back().total;
        m_rows.push_back(row);
    }
    ArrivalRow& last = m_rows.back();
    ++last.eventCount;
    last.units += units;
    last.total += units;
    if (last.total == 0)
        m_base = m_rows.size();
    else if (last.total == last.units)
        m_base = m_rows.size() - 1;
    return opens;
}

std::int64_t ArrivalLog::perTokenPs(std::size_t i) const {
    if (i == 0 || i <= m_base || m_rows[i].units == 0)
        return 0;
    return std::llround(static_cast<double>(gapNs(i)) * 1000.0 / tokens(i));
}

std::size_t ArrivalLog::covering(double token) const {
    const auto row =
        std::lower_bound(m_rows.begin(), m_rows.end(), token - kTokenSlack,
                         [this](const ArrivalRow& r, double t) { return m_scale * static_cast<double>(r.total) < t; });
    return static_cast<std::size_t>(row - m_rows.begin());
}

std::size_t ArrivalLog::firstAfter(Instant instant) const {
    const auto row =
        std::partition_point(m_rows.begin(), m_rows.end(), [&](const ArrivalRow& r) { return r.at <= instant; });
    return static_cast<std::size_t>(row - m_rows.begin());
}

std::vector<Arrival> arrivals(const RunRecord& record, const TokenCount& tokens) {
    std::vector<Arrival> out;
    for (std::size_t i = 0; i < record.events.size(); ++i) {
        const TokenEvent& event = record.events[i];
        if (out.empty() || out.back().read != event.read)
            out.push_back({event.at, event.read, static_cast<std::uint32_t>(i), 0, 0});
        ++out.back().eventCount;
        out.back().tokens += i < tokens.perEvent.size() ? tokens.perEvent[i] : 0.0;
    }
    return out;
}

} // namespace decodescope
