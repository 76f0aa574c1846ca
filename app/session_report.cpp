#include "app/session_report.h"

#include "core/metrics/stalls_together.h"

#include <algorithm>
#include <map>

namespace decodescope {

std::vector<double> ReportedLane::pooledGaps() const {
    std::vector<double> gaps;
    for (const ReportedRun& run : runs) {
        if (!run.summary.inStats)
            continue;
        const std::vector<Arrival> all = arrivals(*run.record, run.summary.tokens);
        auto stall = run.summary.stalls.begin(); // in the order of their arrivals
        for (std::size_t i = 1; i < all.size(); ++i) {
            while (stall != run.summary.stalls.end() && stall->eventIndex < all[i].firstEvent)
                ++stall;
            const bool ours = stall != run.summary.stalls.end() && stall->eventIndex == all[i].firstEvent &&
                              stall->kind == StallKind::client;
            if (!ours)
                gaps.push_back(toSeconds(all[i].at - all[i - 1].at));
        }
    }
    std::sort(gaps.begin(), gaps.end());
    return gaps;
}

bool ReportedLane::slowTail() const {
    std::vector<double> rates;
    for (const ReportedRun& run : runs)
        if (run.summary.inStats && run.summary.decodeTps)
            rates.push_back(*run.summary.decodeTps);
    const auto all = aggregate(std::move(rates), true);
    return all && tailCollapses(*all);
}

namespace {

/// What only all lanes together tell.
void lookAcross(std::vector<ReportedLane>& lanes) {
    std::vector<RunWithStalls> runs;
    for (const ReportedLane& lane : lanes)
        for (const ReportedRun& run : lane.runs)
            runs.push_back({run.record.get(), &run.summary.stalls});
    const auto together = stallsTogether(runs);
    auto next = together.begin();
    for (ReportedLane& lane : lanes)
        for (ReportedRun& run : lane.runs)
            markTogether(run.summary.stalls, *next++);
}

} // namespace

std::vector<ReportedLane> reportLanes(const Session& session) {
    std::vector<ReportedLane> lanes;
    for (const auto& lane : session.lanes()) {
        ReportedLane reported;
        reported.spec = lane->config().spec;
        reported.spec.key.reset();
        reported.name = reported.spec.laneName;
        for (const auto& run : lane->runs())
            reported.runs.push_back({run->record, run->summary ? *run->summary : summarize(*run->record)});
        lanes.push_back(std::move(reported));
    }
    lookAcross(lanes);
    return lanes;
}

std::optional<double> releaseSpreadS(const SessionReport& report) {
    struct Release {
        Instant first{}, last{};
        int runs = 0;
    };
    std::map<Instant, Release> releases;
    for (const ReportedLane& lane : report.lanes) {
        for (const ReportedRun& run : lane.runs) {
            const RunRecord& record = *run.record;
            if (!record.started || !record.sent || record.spec.recorded)
                continue;
            Release& release = releases[*record.started];
            release.first = release.runs == 0 ? *record.sent : std::min(release.first, *record.sent);
            release.last = release.runs == 0 ? *record.sent : std::max(release.last, *record.sent);
            ++release.runs;
        }
    }
    for (auto at = releases.rbegin(); at != releases.rend(); ++at) {
        if (at->second.runs > 1)
            return toSeconds(at->second.last - at->second.first);
    }
    return std::nullopt;
}

SessionReport reportRecording(const Recording& recording) {
    SessionReport report;
    report.startedUtc = recording.header.startedUtc;
    report.machineJson = recording.header.machineJson;
    report.recording = recording.path;
    std::vector<int> indices; // of the lanes in `report`, as the recording numbers them
    const auto laneOf = [&](int index) -> ReportedLane& {
        const auto known = std::find(indices.begin(), indices.end(), index);
        if (known != indices.end())
            return report.lanes[static_cast<std::size_t>(known - indices.begin())];
        indices.push_back(index);
        return report.lanes.emplace_back();
    };
    for (const RecordedLane& lane : recording.lanes) {
        ReportedLane& reported = laneOf(lane.lane);
        reported.name = lane.name;
        reported.spec = lane.spec;
    }
    for (const std::shared_ptr<RunRecord>& record : rebuildAll(recording)) {
        ReportedLane& reported = laneOf(record->lane);
        if (reported.name.empty()) { // its line of the recording was lost
            reported.name = record->spec.laneName;
            reported.spec = record->spec;
        }
        reported.runs.push_back({record, summarize(*record)});
    }
    lookAcross(report.lanes);
    return report;
}

} // namespace decodescope
