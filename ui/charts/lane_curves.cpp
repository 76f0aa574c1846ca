#include "ui/charts/lane_curves.h"

#include "core/base/utf8.h"
#include "core/metrics/run_summary.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace decodescope {
namespace {

double told(const EventTokens& tokens, TokenSourceKind source) {
    switch (source) {
    case TokenSourceKind::usage:
        return tokens.usage;
    case TokenSourceKind::tokenIds:
        return tokens.ids;
    case TokenSourceKind::logprobs:
        return tokens.logprobs;
    case TokenSourceKind::timings:
        return tokens.timings;
    case TokenSourceKind::engine:
        return tokens.engine;
    case TokenSourceKind::none:
    case TokenSourceKind::evalCount:
    case TokenSourceKind::tokenizer:
        break;
    }
    return 1;
}

bool isSpace(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

} // namespace

std::size_t GapHistogram::binOf(double gapS) {
    const double log = std::log10(std::max(gapS * 1000, 1e-9));
    const int bin = static_cast<int>(std::floor((log - kFirstDecade) * kPerDecade));
    return static_cast<std::size_t>(std::clamp(bin, 0, kPerDecade * kDecades - 1));
}

void GapHistogram::add(double gapS) {
    ++bins[binOf(gapS)];
    ++total;
}

void GapHistogram::remove(double gapS) {
    std::uint32_t& bin = bins[binOf(gapS)];
    if (bin == 0)
        return;
    --bin;
    --total;
}

void LaneCurves::clear() {
    *this = LaneCurves();
}

void LaneCurves::update(const RunRecord& record, const TokenCount* tokens, const RateCurve& rates, RateUnit unit) {
    const TokenBasis basis = tokens ? tokens->basis : TokenBasis::none;
    const TokenSourceKind source = tokens ? tokens->source : TokenSourceKind::none;
    double perEvent = 1;
    if (tokens && tokens->kUnknown && tokens->visible && !record.events.empty())
        perEvent = *tokens->visible / static_cast<double>(record.events.size());
    // Another way of counting makes other curves: begin anew. Happens once or twice a run.
    if (record.events.size() < m_events || basis != m_basis || source != m_source || perEvent != m_perEvent ||
        unit != m_unit)
        clear();
    m_basis = basis;
    m_source = source;
    m_perEvent = perEvent;
    m_unit = unit;
    if (!record.started)
        return;
    const bool grown = record.events.size() > m_events;
    addEvents(record, tokens);
    m_engine.update(record);
    if (unit == RateUnit::tokens)
        takeRates(rates);
    else if (grown)
        addRates();
}

void LaneCurves::takeRates(const RateCurve& rates) {
    // A curve that begins anew has fewer settled points than were settled before.
    const std::size_t settled = std::min<std::size_t>(rates.provisionalFrom, rates.tps.size());
    if (settled < m_stableRates || rates.tps.size() < m_rates.size())
        m_stableRates = 0;
    if (rates.tps.size() == m_rates.size() && settled == m_stableRates)
        return;
    m_rates.truncate(m_stableRates);
    for (std::size_t i = m_rates.size(); i < rates.tps.size(); ++i)
        m_rates.append(rates.tps[i]);
    m_stableRates = settled;
}

double LaneCurves::amountOf(const RunRecord& record, std::size_t event) {
    const std::string_view text = record.textOf(record.events[event]);
    if (m_unit == RateUnit::characters)
        return static_cast<double>(countCodePoints(text));
    // A word counts with the event that begins it.
    double words = 0;
    for (const char c : text) {
        if (!isSpace(c) && !m_inWord)
            words += 1;
        m_inWord = !isSpace(c);
    }
    return words;
}

void LaneCurves::addEvents(const RunRecord& record, const TokenCount* tokens) {
    const Instant start = *record.started;
    for (; m_events < record.events.size(); ++m_events) {
        const TokenEvent& event = record.events[m_events];
        double count = m_perEvent;
        if (tokens && m_events < tokens->perEvent.size())
            count = tokens->perEvent[m_events];
        else if (m_basis == TokenBasis::perEvent)
            count = told(event.tokens, m_source);
        const double amount = m_unit == RateUnit::tokens ? 0 : amountOf(record, m_events);
        // Events of one read are one arrival: no gap of zero is invented between them.
        if (!m_times.empty() && event.read == m_lastRead) {
            m_tokens.back() += static_cast<float>(count);
            if (m_unit != RateUnit::tokens)
                m_amounts.back() += static_cast<float>(amount);
            continue;
        }
        if (!m_times.empty()) {
            const double gapS = toSeconds(event.at - m_lastAt);
            m_gaps.append(static_cast<float>(gapS));
            m_histogram.add(gapS);
        }
        const bool first = m_times.empty();
        m_times.append(static_cast<float>(toSeconds(event.at - start)));
        m_tokens.append(static_cast<float>(count) + (first ? 0.F : m_tokens.back()));
        if (m_unit != RateUnit::tokens)
            m_amounts.append(static_cast<float>(amount) + (first ? 0.F : m_amounts.back()));
        m_lastRead = event.read;
        m_lastAt = event.at;
    }
}

float LaneCurves::rateAt(double position, std::size_t& low, std::size_t& high) const {
    const int half = MetricSettings{}.rateWindowTokens / 2;
    const double from = std::max(2.0, position - half);
    const double to = position + half - 1;
    const std::size_t last = m_times.size() - 1;
    // The arrival before the window must have brought tokens of the answer: where all of an arrival's tokens are
    // hidden, the measured stretch has not begun.
    while (low < last && (m_tokens[low] < from || m_tokens[low - 1] <= 0))
        ++low;
    high = std::max(high, low);
    while (high < last && m_tokens[high] < to)
        ++high;
    if (m_tokens[low] < from || m_tokens[low - 1] <= 0)
        return std::numeric_limits<float>::quiet_NaN();
    const ChunkedArray<float>& amount = amountsOf(m_unit);
    const double seconds = static_cast<double>(m_times[high]) - static_cast<double>(m_times[low - 1]);
    if (!(seconds > 0))
        return std::numeric_limits<float>::quiet_NaN();
    return static_cast<float>((static_cast<double>(amount[high]) - static_cast<double>(amount[low - 1])) / seconds);
}

void LaneCurves::addRates() {
    m_rates.truncate(m_stableRates);
    if (m_times.size() < 2)
        return;
    const int half = MetricSettings{}.rateWindowTokens / 2;
    const double total = static_cast<double>(m_tokens.back());
    std::size_t low = m_low;
    std::size_t high = m_high;
    for (std::size_t index = m_stableRates; static_cast<double>(index) + 1 <= total + 1e-3; ++index) {
        const double position = static_cast<double>(index) + 1;
        // A window that ends before the last arrival will not see another token: it stays as it is. (The last
        // arrival itself may still gain tokens of the same read.)
        const bool stable =
            m_times.size() >= 2 && static_cast<double>(m_tokens[m_times.size() - 2]) >= position + half - 1;
        m_rates.append(rateAt(position, low, high));
        if (stable) {
            m_stableRates = index + 1;
            m_low = low;
            m_high = high;
        }
    }
}

std::optional<std::size_t> LaneCurves::gapAt(double seconds) const {
    if (m_gaps.size() == 0 || seconds < static_cast<double>(m_times[0]))
        return std::nullopt;
    const std::size_t after = m_times.lowerBound(seconds);
    if (after >= m_times.size())
        return std::nullopt;
    return after == 0 ? 0 : after - 1;
}

std::uint32_t LaneCurves::eventOf(const RunRecord& record, double arrivalS) {
    if (!record.started || record.events.empty())
        return 0;
    const Instant at = *record.started + fromSeconds(arrivalS);
    const auto begin = record.events.begin();
    auto found = std::lower_bound(begin, record.events.end(), at,
                                  [](const TokenEvent& event, Instant t) { return event.at < t; });
    // Arrival times were rounded to float32: the nearer neighbour is meant.
    if (found == record.events.end() || (found != begin && at - std::prev(found)->at < found->at - at))
        --found;
    while (found != begin && std::prev(found)->read == found->read)
        --found;
    return static_cast<std::uint32_t>(found - begin);
}

std::size_t LaneCurves::bytes() const {
    return sizeof(*this) + m_times.bytes() + m_gaps.bytes() + m_tokens.bytes() + m_amounts.bytes() + m_rates.bytes();
}

} // namespace decodescope
