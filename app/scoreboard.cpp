#include "app/scoreboard.h"

#include "app/engine_json.h"
#include "app/failure_line.h"
#include "app/terminal.h"
#include "core/base/utf8.h"
#include "core/metrics/counted_stalls.h"
#include "core/metrics/no_tokens.h"
#include "core/source/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

namespace decodescope {

namespace {

constexpr std::string_view kUndefined = "–";
constexpr std::size_t kNameColumns = 18;
constexpr std::size_t kModelColumns = 24;
constexpr std::size_t kMessageColumns = 700;

using Row = std::vector<std::string>;

std::string seconds(const std::optional<double>& value) {
    if (!value)
        return std::string(kUndefined);
    if (*value < 1)
        return fmt::format("{:.1f} ms", *value * 1e3);
    return fmt::format("{:.3f} s", *value);
}

std::string rate(const std::optional<double>& value, std::string_view unit) {
    return value ? fmt::format("{:.2f} {}", *value, unit) : std::string(kUndefined);
}

/// The runs that speak for a lane: those in statistics, else the last one.
std::vector<const ReportedRun*> speakers(const ReportedLane& lane) {
    std::vector<const ReportedRun*> runs;
    for (const ReportedRun& run : lane.runs) {
        if (run.summary.inStats)
            runs.push_back(&run);
    }
    if (runs.empty() && !lane.runs.empty())
        runs.push_back(&lane.runs.back());
    return runs;
}

std::optional<double> median(const std::vector<const ReportedRun*>& runs,
                             const std::function<std::optional<double>(const RunSummary&)>& of) {
    std::vector<double> values;
    for (const ReportedRun* run : runs) {
        if (const std::optional<double> value = of(run->summary))
            values.push_back(*value);
    }
    if (values.empty())
        return std::nullopt;
    std::sort(values.begin(), values.end());
    return quantileType7(values, 0.5);
}

std::string decodeCell(const std::vector<const ReportedRun*>& runs) {
    const std::optional<double> tps = median(runs, [](const RunSummary& s) { return s.decodeTps; });
    if (tps)
        return rate(tps, "tok/s");
    return rate(median(runs, [](const RunSummary& s) { return s.eventsPerS; }), "events/s");
}

std::string tokensCell(const std::vector<const ReportedRun*>& runs) {
    const std::optional<double> n = median(runs, [](const RunSummary& s) {
        return s.tokens.output ? std::optional<double>(static_cast<double>(*s.tokens.output)) : std::nullopt;
    });
    if (!n)
        return std::string(kUndefined);
    return fmt::format("{:g} ({})", *n, toString(runs.front()->summary.tokens.source));
}

std::string stallsCell(const std::vector<const ReportedRun*>& runs) {
    std::size_t count = 0;
    double longestS = 0;
    for (const ReportedRun* run : runs) {
        count += countedStalls(run->summary);
        if (const Stall* longest = longestCountedStall(run->summary))
            longestS = std::max(longestS, longest->lengthS);
    }
    return count == 0 ? "0" : fmt::format("{} (max {})", count, seconds(longestS));
}

/// The model that was asked for, else the one that answered.
std::string modelOf(const ReportedLane& lane) {
    if (!lane.spec.endpoint.model.empty())
        return lane.spec.endpoint.model;
    const std::vector<const ReportedRun*> runs = speakers(lane);
    return runs.empty() ? std::string(kUndefined) : runs.front()->record->card.model.value_or(std::string(kUndefined));
}

std::string outcomeCell(const ReportedLane& lane) {
    if (lane.runs.empty())
        return std::string(kUndefined);
    const ReportedRun& last = lane.runs.back();
    if (broughtNothing(*last.record, last.summary.tokens))
        return "no tokens";
    return std::string(toString(last.record->outcome));
}

Row laneRow(const ReportedLane& lane) {
    const std::vector<const ReportedRun*> runs = speakers(lane);
    const auto counted =
        std::count_if(lane.runs.begin(), lane.runs.end(), [](const auto& r) { return r.summary.inStats; });
    const auto asked =
        std::count_if(lane.runs.begin(), lane.runs.end(), [](const auto& r) { return !r.record->warmup; });
    const auto itl = [](double Distribution::*part) {
        return [part](const RunSummary& s) { return s.itl ? std::optional<double>((*s.itl).*part) : std::nullopt; };
    };
    return {oneLine(lane.name, kNameColumns),
            oneLine(modelOf(lane), kModelColumns),
            outcomeCell(lane),
            fmt::format("{} of {}", counted, asked),
            seconds(median(runs, [](const RunSummary& s) { return s.ttft; })),
            decodeCell(runs),
            seconds(median(runs, itl(&Distribution::p50))),
            seconds(median(runs, itl(&Distribution::p99))),
            seconds(median(runs, [](const RunSummary& s) { return s.e2e; })),
            tokensCell(runs),
            stallsCell(runs)};
}

std::string table(const std::vector<Row>& rows) {
    constexpr std::size_t kLeftAligned = 3;
    std::vector<std::size_t> widths(rows.front().size(), 0);
    for (const Row& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], countCodePoints(row[i]));
    }
    std::string text;
    for (const Row& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string pad(widths[i] - countCodePoints(row[i]), ' ');
            line += i == 0 ? "" : "  ";
            line += i < kLeftAligned ? row[i] + pad : pad + row[i];
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

std::string flagWords(std::string flag) {
    std::replace(flag.begin(), flag.end(), '_', ' ');
    return flag;
}

/// What a reader must know of a lane beside its row.
std::string remarks(const ReportedLane& lane) {
    std::string text;
    const std::string name = oneLine(lane.name, kNameColumns);
    std::set<std::string> flags;
    for (const ReportedRun* run : speakers(lane))
        flags.insert(run->summary.flags.begin(), run->summary.flags.end());
    flags.erase("no_tokens"); // has a line of its own
    if (!flags.empty()) {
        Row words;
        std::transform(flags.begin(), flags.end(), std::back_inserter(words), flagWords);
        text += fmt::format("{}: {}.\n", name, fmt::join(words, ", "));
    }
    if (const auto runs = speakers(lane); !runs.empty()) {
        if (const std::string engine = engineLine(*runs.front()); !engine.empty())
            text += fmt::format("{}: {}.\n", name, oneLine(engine, kMessageColumns));
    }
    for (const ReportedRun& run : lane.runs) {
        const RunRecord& record = *run.record;
        const std::string failure = failureLine(record);
        if (failure.empty())
            continue;
        const std::string which =
            record.warmup ? fmt::format("warm-up {}", record.repeat) : fmt::format("run {}", record.repeat);
        text += fmt::format("{}, {}: {}\n", name, which, oneLine(failure, kMessageColumns));
        const auto status = record.end ? record.end->httpStatus : std::nullopt;
        if ((status == 400 || status == 422) && !record.spec.local) {
            const std::string& body = record.end->body;
            if (const std::string hint = refusalHint(record.spec, body.empty() ? record.end->message : body);
                !hint.empty())
                text += hint + '\n';
        }
    }
    return text;
}

constexpr std::size_t kRunsToCompare = 3; ///< fewer tell nothing of the spread between runs

std::vector<double> inStatistics(const ReportedLane& lane, std::optional<double> RunSummary::*metric) {
    std::vector<double> values;
    for (const ReportedRun& run : lane.runs) {
        if (run.summary.inStats && run.summary.*metric)
            values.push_back(*(run.summary.*metric));
    }
    return values;
}

/// "decode rate x1.53 (1.40 to 1.66)"; empty when the runs are too few.
std::string ratio(std::string_view what, const ReportedLane& a, const ReportedLane& b,
                  std::optional<double> RunSummary::*metric) {
    const std::vector<double> valuesA = inStatistics(a, metric);
    const std::vector<double> valuesB = inStatistics(b, metric);
    if (std::min(valuesA.size(), valuesB.size()) < kRunsToCompare)
        return {};
    const std::optional<MedianRatio> r = medianRatio(valuesA, valuesB);
    if (!r)
        return {};
    if (!r->differs())
        return fmt::format("{}: no difference shown", what);
    return fmt::format("{} x{:.3f} ({:.3f} to {:.3f})", what, r->ratio, r->low, r->high);
}

/// Every further lane against the first: ratios of medians with their 95% intervals.
std::string comparisons(const std::vector<ReportedLane>& lanes) {
    std::string text;
    for (std::size_t i = 1; i < lanes.size(); ++i) {
        Row parts;
        for (std::string part : {ratio("TTFT", lanes[0], lanes[i], &RunSummary::ttft),
                                 ratio("decode rate", lanes[0], lanes[i], &RunSummary::decodeTps),
                                 ratio("total", lanes[0], lanes[i], &RunSummary::e2e)}) {
            if (!part.empty())
                parts.push_back(std::move(part));
        }
        if (!parts.empty())
            text += fmt::format("{} against {}: {}.\n", oneLine(lanes[i].name, kNameColumns),
                                oneLine(lanes[0].name, kNameColumns), fmt::join(parts, "; "));
    }
    return text;
}

} // namespace

std::string scoreboard(const SessionReport& report) {
    std::vector<Row> rows = {
        {"Lane", "Model", "Outcome", "Runs", "TTFT", "Decode rate", "ITL p50", "ITL p99", "Total", "Tokens", "Stalls"}};
    for (const ReportedLane& lane : report.lanes)
        rows.push_back(laneRow(lane));
    std::string text = table(rows);
    std::string notes = comparisons(report.lanes);
    for (const ReportedLane& lane : report.lanes)
        notes += remarks(lane);
    if (const std::optional<double> spread = releaseSpreadS(report))
        notes += fmt::format("Released together; requests were sent within {}.\n", seconds(spread));
    if (!notes.empty())
        text += '\n' + notes;
    return text;
}

} // namespace decodescope
