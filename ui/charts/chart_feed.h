#pragma once

#include "ui/charts/chart_lane.h"

#include <QElapsedTimer>
#include <QObject>

#include <unordered_map>
#include <vector>

namespace decodescope {

/// Turns a Session into the charts' snapshots, once for all charts that look through the same ViewState: curves are
/// kept once a lane, live summaries are computed at most ten times a second. GUI thread.
class ChartFeed : public QObject {
    Q_OBJECT

public:
    /// The feed of a ViewState, made with the first call and owned by it.
    static ChartFeed& of(ViewState& view);

    /// The lanes as they are now, in the session's order. Cheap when nothing is new.
    const std::vector<ChartLane>& lanes(const Session& session);

private:
    explicit ChartFeed(ViewState& view);

    struct Kept {
        ChartLane lane;
        std::shared_ptr<const LaneRun> run;
        QElapsedTimer sinceSummary;
        RateCurve rates; ///< of a run that never was live; else empty
    };
    void refresh(const Lane& lane, Kept& kept);
    /// Finds the stalls that lanes had together, when a lane has a new summary.
    void lookAcross();

    ViewState& m_view;
    std::unordered_map<LaneId, Kept> m_kept;
    std::vector<ChartLane> m_lanes;
    std::vector<std::shared_ptr<const RunSummary>> m_summaries; ///< that m_others was told from
    std::vector<std::shared_ptr<const std::vector<std::optional<StallOthers>>>> m_others;
};

} // namespace decodescope
