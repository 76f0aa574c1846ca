#include "ui/tables/score_data.h"

#include "core/metrics/counted_stalls.h"
#include "ui/theme/format.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("Scoreboard", text);
}

enum class Kind { duration, gap, rate, count };

struct MetricText {
    const char* name;
    const char* unit; ///< empty for durations: the row decides
    const char* formula;
    Kind kind;
    bool ranked;
};

const MetricText& textOf(ScoreMetric metric) {
    static const MetricText kTexts[kScoreMetrics] = {
        {"TTFT", "", "Time to the first token of any channel, from the start of the request: t1 − t0.", Kind::duration,
         true},
        {"Decode rate, TPS", "tok/s", "Tokens after the first arrival over the time they took: (n − k1) / (tn − t1).",
         Kind::rate, true},
        {"Text rate", "chars/s",
         "Characters of the answer after its first arrival over the time they took. Comparable across tokenizers.",
         Kind::rate, true},
        {"End-to-end rate", "tok/s", "All tokens over the whole time: n / (te − t0). It is no decode rate.", Kind::rate,
         true},
        {"Total", "", "From the start of the request to the end of the stream: te − t0.", Kind::duration, true},
        {"Gap p50", "", "Median of the gaps between arrivals.", Kind::gap, true},
        {"Gap p90", "", "90% of the gaps between arrivals are shorter.", Kind::gap, true},
        {"Gap p99", "", "99% of the gaps between arrivals are shorter.", Kind::gap, true},
        {"Jitter, p99 − p50", "", "How far the slowest hundredth of the gaps lies above the median.", Kind::gap, true},
        {"Stalls", "",
         "Gaps longer than 100 ms and than 4 times the median of the gaps before them. Those that our own machine made "
         "are counted apart.",
         Kind::count, false},
        {"Longest gap", "", "The longest gap between two arrivals.", Kind::gap, true},
        {"Output tokens", "", "All generated tokens, as the server tells them.", Kind::count, false},
    };
    return kTexts[static_cast<int>(metric)];
}

std::optional<double> median(std::vector<double> values) {
    if (values.empty())
        return std::nullopt;
    std::sort(values.begin(), values.end());
    return quantileType7(values, 0.5);
}

std::vector<double> valuesOf(const ScoreLane& lane, ScoreMetric metric) {
    std::vector<double> values;
    for (const RunSummary& run : lane.inStats)
        if (const auto v = scoreOf(run, metric))
            values.push_back(*v);
    return values;
}

bool inFlight(const ScoreLane& lane) {
    return lane.state == LaneState::connecting || lane.state == LaneState::waiting || lane.state == LaneState::running;
}

bool hasFlag(const RunSummary& run, const char* name) {
    return std::find(run.flags.begin(), run.flags.end(), name) != run.flags.end();
}

/// Several finished runs: their median; otherwise the run that is shown.
std::optional<double> valueOf(const ScoreLane& lane, ScoreMetric metric) {
    // A refusal took its time too, but it is none of an answer.
    if (metric == ScoreMetric::total && lane.failed() && lane.shown.tokenEvents == 0)
        return std::nullopt;
    if (lane.inStats.size() > 1)
        return median(valuesOf(lane, metric));
    return lane.hasRun ? scoreOf(lane.shown, metric) : std::nullopt;
}

/// Whether a lane's value may be the best of its row.
bool ranks(const ScoreLane& lane, ScoreMetric metric) {
    const bool rate = metric == ScoreMetric::decodeRate || metric == ScoreMetric::textRate;
    return lane.complete() && !(rate && hasFlag(lane.shown, "not_really_streamed"));
}

QString reasonForDash(const ScoreLane& lane, ScoreMetric metric) {
    const RunSummary& run = lane.shown;
    if (!lane.hasRun)
        return tr("This lane has not run yet.");
    if (lane.state == LaneState::notStreamed)
        return tr("The answer came whole: it has a total time and an end-to-end rate only.");
    if (run.outcome == Outcome::running && (metric == ScoreMetric::total || metric == ScoreMetric::endToEndRate))
        return tr("Not known before the run ends.");
    if (run.tokenEvents == 0)
        return tr("No token has come.");
    switch (metric) {
    case ScoreMetric::decodeRate:
    case ScoreMetric::endToEndRate:
    case ScoreMetric::outputTokens:
        if (run.tokens.basis == TokenBasis::none)
            return run.eventsPerS ? tr("The server has not told how many tokens there are: %1 events/s.")
                                        .arg(formatRate(run.eventsPerS))
                                  : tr("The server has not told how many tokens there are.");
        if (run.tokens.hidden && !run.tokens.visible)
            return tr("Tokens were billed that were not streamed, and nobody tells how many.");
        return tr("All tokens came in one arrival: there is no time between them.");
    case ScoreMetric::textRate:
        return tr("The answer came in one arrival: there is no time between its parts.");
    case ScoreMetric::jitter:
        return tr("Fewer than two gaps.");
    default:
        return tr("Fewer than two arrivals: there is no gap.");
    }
}

/// The unit of a whole row of durations, so that its numbers can be compared at a glance.
bool rowInSeconds(ScoreMetric metric, const std::vector<std::optional<double>>& values) {
    if (metric == ScoreMetric::total)
        return true;
    double least = HUGE_VAL;
    double most = 0;
    for (const auto& v : values) {
        if (!v)
            continue;
        least = std::min(least, *v);
        most = std::max(most, *v);
    }
    return most >= 9.9995 || (most > 0 && least >= 0.9995);
}

QString cellText(double value, Kind kind, bool seconds, bool precise) {
    switch (kind) {
    case Kind::rate:
        return formatRate(value);
    case Kind::count:
        return formatCount(value);
    case Kind::duration:
    case Kind::gap:
        break;
    }
    if (seconds)
        return QString::number(value, 'f', value < 99.95 ? 2 : 1);
    return kind == Kind::gap && precise && value < 0.09995 ? QString::number(value * 1e3, 'f', 1)
                                                           : formatCount(value * 1e3);
}

/// "3.2 times the best (95% of resamples: 2.9 to 3.4), n = 5 and 5."
QString comparison(const ScoreLane& best, const ScoreLane& lane, ScoreMetric metric) {
    const std::vector<double> a = valuesOf(best, metric);
    const std::vector<double> b = valuesOf(lane, metric);
    const auto ratio = higherIsBetter(metric) ? medianRatio(b, a) : medianRatio(a, b);
    if (!ratio)
        return {};
    const QString range = tr("95% interval of the ratio: %1 to %2, n = %3 and %4.")
                              .arg(formatRatio(ratio->low), formatRatio(ratio->high))
                              .arg(a.size())
                              .arg(b.size());
    return ratio->differs() ? range : range + QLatin1Char(' ') + tr("No difference shown.");
}

QString cellToolTip(const ScoreLane& lane, const ScoreRow& row, const ScoreCell& cell, const ScoreLane* best) {
    QStringList lines{tr(textOf(row.metric).formula)};
    if (!cell.value)
        lines << reasonForDash(lane, row.metric);
    else if (lane.inStats.size() > 1)
        lines << tr("Median of %1 runs.").arg(valuesOf(lane, row.metric).size());
    if (cell.value && row.metric == ScoreMetric::decodeRate) {
        lines << tr("Tokens: %1, %2.")
                     .arg(QString::fromUtf8(toString(lane.shown.tokens.basis).data()),
                          QString::fromUtf8(toString(lane.shown.tokens.source).data()));
        if (lane.shown.tokens.kUnknown)
            lines << tr("Tokens of an event are known on average only.");
        if (hasFlag(lane.shown, "short_run"))
            lines << tr("Short run: fewer than 50 tokens.");
        if (hasFlag(lane.shown, "not_really_streamed"))
            lines << tr("Not really streamed: nearly all came at once. It is not ranked.");
    }
    if (row.metric == ScoreMetric::stalls || row.metric == ScoreMetric::longestGap)
        if (const auto own = lane.shown.clientGaps; own > 0)
            lines
                << (own == 1
                        ? tr("1 more gap was of our own machine: it is hatched, and in no percentile.")
                        : tr("%1 more gaps were of our own machine: they are hatched, and in no percentile.").arg(own));
    if (lane.failed())
        lines << tr("This run is not complete: it is shown, and has no rank.");
    if (best != nullptr && best != &lane && cell.value) {
        const QString compared = comparison(*best, lane, row.metric);
        if (!compared.isEmpty())
            lines << compared;
    }
    return lines.join(QLatin1Char('\n'));
}

ScoreRow makeRow(const std::vector<ScoreLane>& lanes, ScoreMetric metric) {
    const MetricText& text = textOf(metric);
    std::vector<std::optional<double>> values;
    for (const ScoreLane& lane : lanes)
        values.push_back(valueOf(lane, metric));
    ScoreRow row;
    row.metric = metric;
    row.name = tr(text.name);
    const bool timed = text.kind == Kind::duration || text.kind == Kind::gap;
    const bool seconds = timed && rowInSeconds(metric, values);
    row.unit = timed ? (seconds ? QStringLiteral("s") : QStringLiteral("ms")) : QString::fromLatin1(text.unit);

    // The best of the complete lanes; with a single one nothing is ranked.
    const ScoreLane* best = nullptr;
    std::size_t bestIndex = 0;
    std::size_t ranked = 0;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        if (!text.ranked || !values[i] || !ranks(lanes[i], metric))
            continue;
        ++ranked;
        const bool better = best == nullptr || (higherIsBetter(metric) ? *values[i] > *values[bestIndex]
                                                                       : *values[i] < *values[bestIndex]);
        if (better) {
            best = &lanes[i];
            bestIndex = i;
        }
    }
    const bool others = std::any_of(lanes.begin(), lanes.end(), [](const ScoreLane& l) { return inFlight(l); });
    if (ranked < 2 && !others)
        best = nullptr;

    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const ScoreLane& lane = lanes[i];
        ScoreCell cell;
        cell.value = values[i];
        cell.dim = lane.failed();
        cell.best = best == &lane;
        cell.text = values[i] ? cellText(*values[i], text.kind, seconds, lane.preciseClock) : enDash();
        if (values[i] && metric == ScoreMetric::outputTokens && inFlight(lane) && lane.inStats.size() <= 1)
            cell.text += QChar(0x2026);
        const bool compared = best != nullptr && best != &lane && values[i] && !cell.dim && *values[i] > 0 &&
                              *values[bestIndex] > 0 && (inFlight(lane) || ranks(lane, metric));
        if (compared)
            cell.ratio =
                formatRatio(higherIsBetter(metric) ? *values[bestIndex] / *values[i] : *values[i] / *values[bestIndex]);
        row.cells.push_back(std::move(cell));
        row.cells.back().toolTip = cellToolTip(lane, row, row.cells.back(), best);
    }
    return row;
}

QString scopeOf(const std::vector<ScoreLane>& lanes) {
    std::size_t least = SIZE_MAX;
    std::size_t most = 0;
    std::ptrdiff_t complete = 0;
    bool anyFailed = false;
    for (const ScoreLane& lane : lanes) {
        least = std::min(least, lane.inStats.size());
        most = std::max(most, lane.inStats.size());
        complete += lane.complete();
        anyFailed = anyFailed || lane.failed();
    }
    if (lanes.empty() || std::none_of(lanes.begin(), lanes.end(), [](const ScoreLane& l) { return l.hasRun; }))
        return tr("no run yet");
    if (anyFailed)
        return tr("%1 of %2 lanes complete").arg(complete).arg(lanes.size());
    if (most <= 1)
        return tr("this run, n = 1");
    return least == most ? tr("medians, n = %1").arg(most) : tr("medians, n = %1 to %2").arg(least).arg(most);
}

} // namespace

bool higherIsBetter(ScoreMetric metric) {
    return metric == ScoreMetric::decodeRate || metric == ScoreMetric::textRate || metric == ScoreMetric::endToEndRate;
}

std::optional<double> scoreOf(const RunSummary& s, ScoreMetric metric) {
    switch (metric) {
    case ScoreMetric::ttft:
        return s.ttft;
    case ScoreMetric::decodeRate:
        return s.decodeTps;
    case ScoreMetric::textRate:
        return s.charsPerS;
    case ScoreMetric::endToEndRate:
        return s.e2eTps;
    case ScoreMetric::total:
        return s.e2e;
    case ScoreMetric::gapP50:
        return s.itl ? std::optional(s.itl->p50) : std::nullopt;
    case ScoreMetric::gapP90:
        return s.itl ? std::optional(s.itl->p90) : std::nullopt;
    case ScoreMetric::gapP99:
        return s.itl ? std::optional(s.itl->p99) : std::nullopt;
    case ScoreMetric::jitter:
        return s.jitter ? std::optional(s.jitter->p99MinusP50) : std::nullopt;
    case ScoreMetric::stalls:
        return s.itl ? std::optional(static_cast<double>(countedStalls(s))) : std::nullopt;
    case ScoreMetric::longestGap:
        return s.itl ? std::optional(s.itl->max) : std::nullopt;
    case ScoreMetric::outputTokens:
        return s.tokens.output ? std::optional(static_cast<double>(*s.tokens.output)) : std::nullopt;
    }
    return std::nullopt;
}

ScoreLane scoreLane(const Lane& lane) {
    ScoreLane out;
    out.id = lane.config().id;
    out.look = lane.config().look;
    out.name = QString::fromStdString(lane.config().spec.laneName);
    out.model = QString::fromStdString(lane.config().spec.endpoint.model);
    out.state = lane.state();
    const auto light = [](RunSummary s) {
        s.tokens.perEvent.clear();
        s.tokens.told.clear();
        return s;
    };
    for (const auto& run : lane.runs()) {
        if (!run->summary)
            continue;
        if (run->summary->inStats)
            out.inStats.push_back(light(*run->summary));
        else
            ++out.excluded;
    }
    if (const LaneRun* run = lane.current()) {
        out.hasRun = true;
        out.preciseClock = run->record->clock != ClockSource::user;
        out.shown = light(run->summary ? *run->summary : run->live.summary(*run->record, lane.now()));
    }
    return out;
}

Scores makeScores(std::vector<ScoreLane> lanes) {
    Scores scores;
    scores.lanes = std::move(lanes);
    for (int m = 0; m < kScoreMetrics; ++m)
        scores.rows[static_cast<std::size_t>(m)] = makeRow(scores.lanes, static_cast<ScoreMetric>(m));
    scores.notes = scoreNotes(scores.lanes);
    scores.scope = scopeOf(scores.lanes);
    return scores;
}

} // namespace decodescope
