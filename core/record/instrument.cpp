#include "core/record/instrument.h"

#include <algorithm>

namespace decodescope {

namespace {

/// How little a stamp of this clock is worth: the higher, the less.
int coarseness(ClockSource clock) {
    switch (clock) {
    case ClockSource::synthetic:
        return 0;
    case ClockSource::engine:
        return 1;
    case ClockSource::kernel:
        return 2;
    case ClockSource::user:
        return 3;
    case ClockSource::replay:
        break;
    }
    return 4;
}

bool stampedAnything(const RunRecord& run) {
    return run.firstByte.has_value() || !run.events.empty();
}

/// Of each hiccup one entry, the longest: a run that ended within one knows only its beginning.
std::vector<Hiccup> distinct(std::vector<Hiccup> hiccups) {
    std::sort(hiccups.begin(), hiccups.end(),
              [](const Hiccup& a, const Hiccup& b) { return a.due != b.due ? a.due < b.due : a.woke > b.woke; });
    hiccups.erase(
        std::unique(hiccups.begin(), hiccups.end(), [](const Hiccup& a, const Hiccup& b) { return a.due == b.due; }),
        hiccups.end());
    return hiccups;
}

} // namespace

std::optional<InstrumentReport> instrumentReport(const std::vector<const RunRecord*>& runs) {
    std::vector<const RunRecord*> stamped;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(stamped),
                 [](const RunRecord* run) { return stampedAnything(*run); });
    const auto own = [](const RunRecord* run) { return !run->spec.recorded; };
    if (std::any_of(stamped.begin(), stamped.end(), own))
        std::erase_if(stamped, [&](const RunRecord* run) { return !own(run); });
    if (stamped.empty())
        return std::nullopt;

    InstrumentReport report;
    report.clock = stamped.front()->clock;
    bool boundKnown = true;
    std::vector<Hiccup> hiccups;
    for (const RunRecord* run : stamped) {
        if (coarseness(run->clock) > coarseness(report.clock))
            report.clock = run->clock;
        hiccups.insert(hiccups.end(), run->hiccups.begin(), run->hiccups.end());
        boundKnown = boundKnown && run->stamps && run->stamps->errorBound;
        if (!run->stamps)
            continue;
        report.hiccupsKnown = true;
        report.errorBound = std::max(report.errorBound, run->stamps->errorBound);
        report.networkLag = std::max(report.networkLag, std::optional(run->stamps->largestLag));
    }
    if (!boundKnown)
        report.errorBound.reset();
    hiccups = distinct(std::move(hiccups));
    report.hiccupsKnown = report.hiccupsKnown || !hiccups.empty();
    report.hiccups = hiccups.size();
    for (const Hiccup& hiccup : hiccups)
        report.largestHiccup = std::max(report.largestHiccup, std::optional(hiccup.late()));
    return report;
}

} // namespace decodescope
