#include "app/instrument_json.h"

#include "core/record/instrument.h"

#include <nlohmann/json.hpp>

namespace decodescope {

namespace {

Json secondsJson(const std::optional<Duration>& duration) {
    return duration ? jsonNumber(toSeconds(*duration)) : Json(nullptr);
}

Json hiccupsOf(const std::optional<InstrumentReport>& report) {
    if (!report || !report->hiccupsKnown)
        return nullptr;
    return {{"count", report->hiccups}, {"max_s", secondsJson(report->largestHiccup)}};
}

} // namespace

Json instrumentJson(const SessionReport& report) {
    std::vector<const RunRecord*> runs;
    for (const ReportedLane& lane : report.lanes) {
        for (const ReportedRun& run : lane.runs)
            runs.push_back(run.record.get());
    }
    const std::optional<InstrumentReport> instrument = instrumentReport(runs);
    Json clock = nullptr;
    if (instrument)
        clock = toString(instrument->clock);
    else if (!runs.empty()) // nothing was stamped: what would have been
        clock = toString(runs.front()->clock);
    return {{"clock_source", std::move(clock)},
            {"stamp_error_bound_s", instrument ? secondsJson(instrument->errorBound) : Json(nullptr)},
            {"network_lag_s", instrument ? secondsJson(instrument->networkLag) : Json(nullptr)},
            {"hiccups", hiccupsOf(instrument)}};
}

Json stampsJson(const RunRecord& record) {
    if (!record.stamps)
        return nullptr;
    const StampReport& stamps = *record.stamps;
    return {{"error_bound_s", secondsJson(stamps.errorBound)},
            {"kernel_stamps", stamps.kernelStamps},
            {"rejected", stamps.rejected},
            {"largest_lag_s", secondsJson(stamps.largestLag)}};
}

Json hiccupsJson(const RunRecord& record) {
    return hiccupsOf(instrumentReport({&record}));
}

} // namespace decodescope
