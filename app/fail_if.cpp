#include "app/fail_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

namespace decodescope {

namespace {

struct Unit {
    std::string_view name;
    MetricUnit unit;
    double factor; ///< to seconds, to per second
};

constexpr Unit kUnits[] = {
    {"s", MetricUnit::seconds, 1},     {"ms", MetricUnit::seconds, 1e-3},   {"us", MetricUnit::seconds, 1e-6},
    {"tps", MetricUnit::perSecond, 1}, {"tok/s", MetricUnit::perSecond, 1}, {"/s", MetricUnit::perSecond, 1},
};

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpace = " \t";
    const std::size_t first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

/// Reads a number at the start of `text` and leaves what follows it.
std::optional<double> takeNumber(std::string_view& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    if (error != std::errc() || !std::isfinite(value))
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

std::string knownNames() {
    std::set<std::string_view> names{"itl"};
    for (const RunMetric& metric : runMetrics())
        names.insert(metric.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string shown(double value, MetricUnit unit) {
    switch (unit) {
    case MetricUnit::seconds:
        return value < 1 ? fmt::format("{:.1f} ms", value * 1e3) : fmt::format("{:.3f} s", value);
    case MetricUnit::perSecond:
        return fmt::format("{:.2f}/s", value);
    case MetricUnit::count:
        break;
    }
    return fmt::format("{:g}", value);
}

} // namespace

Result<Threshold> Threshold::parse(std::string_view expression) {
    const auto refuse = [&](std::string_view why) {
        return fail(ErrorCode::usage,
                    fmt::format("--fail-if \"{}\": {}. It is written METRIC_pNN OP NUMBER[unit], as in ttft_p95>800ms.",
                                expression, why));
    };
    const std::size_t at = expression.find_first_of("<>");
    if (at == std::string_view::npos)
        return refuse("there is no comparison (<, <=, > or >=) in it");
    Threshold threshold;
    threshold.m_text = trimmed(expression);
    const bool orEqual = at + 1 < expression.size() && expression[at + 1] == '=';
    if (expression[at] == '<')
        threshold.m_comparison = orEqual ? Comparison::lessOrEqual : Comparison::less;
    else
        threshold.m_comparison = orEqual ? Comparison::greaterOrEqual : Comparison::greater;

    std::string_view left = trimmed(expression.substr(0, at));
    const std::size_t mark = left.rfind("_p");
    if (mark == std::string_view::npos || mark == 0)
        return refuse("the percentile is missing (_p50, _p95)");
    const std::string_view name = left.substr(0, mark);
    std::string_view percentText = left.substr(mark + 2);
    const std::optional<double> percent = takeNumber(percentText);
    if (!percent || !percentText.empty() || *percent < 0 || *percent > 100)
        return refuse("the percentile is no number from 0 to 100");
    threshold.m_quantile = *percent / 100;

    std::string_view right = trimmed(expression.substr(at + (orEqual ? 2 : 1)));
    const std::optional<double> limit = takeNumber(right);
    if (!limit)
        return refuse("there is no number after the comparison");
    const std::string_view unitName = trimmed(right);
    const Unit* unit =
        std::find_if(std::begin(kUnits), std::end(kUnits), [&](const Unit& u) { return u.name == unitName; });
    const bool unitGiven = !unitName.empty();
    if (unitGiven && unit == std::end(kUnits))
        return refuse(fmt::format("the unit \"{}\" is not one of s, ms, us, tps", unitName));

    // "decode" and "e2e" name a time and a rate: the unit tells which; without one, decode is the rate.
    std::optional<MetricUnit> wanted;
    if (unitGiven)
        wanted = unit->unit;
    else if (name == "decode")
        wanted = MetricUnit::perSecond;
    bool nameKnown = name == "itl";
    if (nameKnown) {
        threshold.m_unit = MetricUnit::seconds;
    } else {
        for (const RunMetric& metric : runMetrics()) {
            if (metric.name != name)
                continue;
            nameKnown = true;
            if (!threshold.m_metric && (!wanted || metric.unit == *wanted)) {
                threshold.m_metric = &metric;
                threshold.m_unit = metric.unit;
            }
        }
        if (!nameKnown)
            return refuse(fmt::format("\"{}\" is no metric; known are {}", name, knownNames()));
    }
    if ((name != "itl" && !threshold.m_metric) || (unitGiven && unit->unit != threshold.m_unit))
        return refuse(fmt::format("the unit \"{}\" does not fit {}", unitName, name));
    threshold.m_limit = *limit * (unitGiven ? unit->factor : 1.0);
    return threshold;
}

std::vector<double> Threshold::valuesOf(const ReportedLane& lane) const {
    if (!m_metric)
        return lane.pooledGaps();
    std::vector<double> values;
    for (const ReportedRun& run : lane.runs) {
        if (!run.summary.inStats)
            continue;
        if (const std::optional<double> value = m_metric->of(run.summary))
            values.push_back(*value);
    }
    std::sort(values.begin(), values.end());
    return values;
}

Threshold::Verdict Threshold::judge(const ReportedLane& lane) const {
    const std::vector<double> values = valuesOf(lane);
    if (values.empty())
        return {true, std::nullopt};
    const bool lowTail = m_metric && m_metric->lowTail();
    const double value = quantileType7(values, lowTail ? 1 - m_quantile : m_quantile);
    switch (m_comparison) {
    case Comparison::less:
        return {value < m_limit, value};
    case Comparison::lessOrEqual:
        return {value <= m_limit, value};
    case Comparison::greater:
        return {value > m_limit, value};
    case Comparison::greaterOrEqual:
        break;
    }
    return {value >= m_limit, value};
}

std::vector<std::string> missedThresholds(const std::vector<Threshold>& thresholds,
                                          const std::vector<ReportedLane>& lanes) {
    std::vector<std::string> sentences;
    for (const Threshold& threshold : thresholds) {
        for (const ReportedLane& lane : lanes) {
            const Threshold::Verdict verdict = threshold.judge(lane);
            if (!verdict.missed)
                continue;
            if (verdict.value)
                sentences.push_back(fmt::format("Lane {}: {} holds; the value is {}.", lane.name, threshold.text(),
                                                shown(*verdict.value, threshold.unit())));
            else
                sentences.push_back(fmt::format("Lane {}: {} cannot be checked; no run in statistics has the value.",
                                                lane.name, threshold.text()));
        }
    }
    return sentences;
}

} // namespace decodescope
