#include "ui/tables/score_data.h"
#include "ui/theme/format.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("Scoreboard", text);
}

constexpr std::size_t kMostNotes = 3;

/// What a lane's finishing time is made of, in one unit of length for all lanes compared.
struct Pace {
    const ScoreLane* lane = nullptr;
    double ttft = 0;
    double rate = 0;
};

std::optional<double> medianOf(const ScoreLane& lane, ScoreMetric metric) {
    std::vector<double> values;
    for (const RunSummary& run : lane.inStats)
        if (const auto v = scoreOf(run, metric))
            values.push_back(*v);
    const auto all = aggregate(std::move(values), false);
    return all ? std::optional(all->p50) : std::nullopt;
}

/// Turns "%1 leads from %2 on" into parts: chips and strong numbers in place of the marks.
ScoreNote note(const QString& pattern, const std::vector<ScoreNotePart>& arguments) {
    ScoreNote out;
    QString text;
    for (qsizetype i = 0; i < pattern.size(); ++i) {
        const bool mark = pattern[i] == QLatin1Char('%') && i + 1 < pattern.size() && pattern[i + 1].isDigit();
        if (!mark) {
            text += pattern[i];
            continue;
        }
        const auto index = static_cast<std::size_t>(pattern[++i].digitValue() - 1);
        if (!text.isEmpty())
            out.push_back({text, -1, false});
        text.clear();
        if (index < arguments.size())
            out.push_back(arguments[index]);
    }
    if (!text.isEmpty())
        out.push_back({text, -1, false});
    return out;
}

ScoreNotePart chip(const ScoreLane& lane) {
    return {{}, lane.look, false};
}

/// Who finishes first at a length: T(n) = TTFT + (n - 1) / rate.
bool leadsEverywhere(const Pace& a, const std::vector<Pace>& all) {
    return std::all_of(all.begin(), all.end(), [&](const Pace& b) {
        return b.lane == a.lane || (a.ttft <= b.ttft && a.rate >= b.rate && (a.ttft < b.ttft || a.rate > b.rate));
    });
}

/// What makes a lane's figures say something else than they seem to.
std::vector<ScoreNote> cautions(const std::vector<ScoreLane>& lanes) {
    std::vector<ScoreNote> notes;
    for (const ScoreLane& lane : lanes) {
        const auto& signs = lane.shown.buffering.signs;
        const bool buffered = std::any_of(signs.begin(), signs.end(), [](const BufferingSign& sign) {
            return sign.kind == BufferingKind::proxyBuffer || sign.kind == BufferingKind::nagle;
        });
        if (buffered)
            notes.push_back(note(tr("%1 is held up on the way: its gaps are those of a buffer."), {chip(lane)}));
        std::vector<double> rates;
        for (const RunSummary& run : lane.inStats)
            if (run.decodeTps)
                rates.push_back(*run.decodeTps);
        const auto all = aggregate(std::move(rates), true);
        if (all && tailCollapses(*all))
            notes.push_back(note(tr("%1 drops below half its rate in the slowest runs: look at the server's scheduler "
                                    "and memory."),
                                 {chip(lane)}));
    }
    return notes;
}

} // namespace

std::vector<ScoreNote> scoreNotes(const std::vector<ScoreLane>& lanes) {
    std::vector<ScoreNote> notes = cautions(lanes);
    std::vector<const ScoreLane*> complete;
    bool anyFailed = false;
    bool anyRun = false;
    for (const ScoreLane& lane : lanes) {
        if (lane.complete())
            complete.push_back(&lane);
        anyFailed = anyFailed || lane.failed();
        anyRun = anyRun || lane.hasRun;
    }
    const bool running = std::any_of(lanes.begin(), lanes.end(), [](const ScoreLane& l) {
        return l.state == LaneState::connecting || l.state == LaneState::waiting || l.state == LaneState::running;
    });
    if (!anyRun || (complete.size() < 2 && (running || !anyFailed))) {
        if (lanes.size() > 1 && (!anyRun || complete.empty()))
            notes.push_back(note(tr("Lanes are ranked when they are complete."), {}));
        return notes;
    }
    if (complete.size() < 2) {
        notes.push_back(complete.empty() ? note(tr("No lane is complete: nothing is ranked."), {})
                                         : note(tr("Only %1 is complete: nothing is ranked."), {chip(*complete[0])}));
        notes.push_back(note(tr("Failed and cut runs are kept and shown, and are in no percentile."), {}));
        return notes;
    }

    // Tokens of different models are different lengths of text: then characters are compared.
    bool tokens = std::all_of(complete.begin(), complete.end(), [&](const ScoreLane* lane) {
        return lane->model == complete[0]->model && medianOf(*lane, ScoreMetric::decodeRate).has_value();
    });
    std::vector<Pace> paces;
    for (const ScoreLane* lane : complete) {
        const auto ttft = medianOf(*lane, ScoreMetric::ttft);
        const auto rate = medianOf(*lane, tokens ? ScoreMetric::decodeRate : ScoreMetric::textRate);
        const bool whole = std::find(lane->shown.flags.begin(), lane->shown.flags.end(), "not_really_streamed") !=
                           lane->shown.flags.end();
        if (ttft && rate && !whole)
            paces.push_back({lane, *ttft, *rate});
    }
    const QString unit = tokens ? tr("tokens") : tr("characters");
    for (const Pace& a : paces) {
        for (const Pace& b : paces) {
            if (a.rate <= b.rate || notes.size() >= kMostNotes)
                continue;
            if (const auto n = breakEven(a.ttft, a.rate, b.ttft, b.rate))
                notes.push_back(
                    note(tr("%1 finishes before %2 from %3 %4 on (break-even)."),
                         {chip(*a.lane), chip(*b.lane), {formatCount(std::ceil(*n)), -1, true}, {unit, -1, false}}));
        }
    }
    if (paces.size() > 1)
        for (const Pace& a : paces)
            if (leadsEverywhere(a, paces))
                notes.push_back(note(tr("%1 leads at every length."), {chip(*a.lane)}));
    return notes;
}

} // namespace decodescope
