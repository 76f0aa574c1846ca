#include "ui/charts/chart_feed.h"

#include "core/metrics/stalls_together.h"

namespace decodescope {
namespace {

// Percentiles need not be newer than a reader can read them (look.md 55).
constexpr qint64 kSummaryEveryMs = 100;

} // namespace

ChartLane chartLane(LaneId id, int look, LaneState state, std::shared_ptr<const RunRecord> record,
                    std::shared_ptr<const RunSummary> summary, RateUnit unit) {
    ChartLane lane;
    lane.id = id;
    lane.look = look;
    lane.state = state;
    lane.unit = unit;
    lane.curves = std::make_shared<LaneCurves>();
    if (record) {
        const TokenCount counted = summary ? summary->tokens : countTokens(*record);
        lane.curves->update(*record, &counted, rateCurve(*record, counted), unit);
        lane.revision = record->events.size() + 1;
    }
    lane.record = std::move(record);
    lane.summary = std::move(summary);
    return lane;
}

ChartFeed::ChartFeed(ViewState& view)
    : QObject(&view)
    , m_view(view) {}

ChartFeed& ChartFeed::of(ViewState& view) {
    if (auto* feed = view.findChild<ChartFeed*>({}, Qt::FindDirectChildrenOnly))
        return *feed;
    return *new ChartFeed(view); // owned by the ViewState, its QObject parent
}

const std::vector<ChartLane>& ChartFeed::lanes(const Session& session) {
    std::unordered_map<LaneId, Kept> kept;
    m_lanes.clear();
    for (const std::unique_ptr<Lane>& lane : session.lanes()) {
        const LaneId id = lane->config().id;
        auto node = m_kept.extract(id);
        Kept& mine = node.empty() ? kept[id] : kept.insert(std::move(node)).position->second;
        refresh(*lane, mine);
        m_lanes.push_back(mine.lane);
    }
    m_kept = std::move(kept);
    lookAcross();
    return m_lanes;
}

void ChartFeed::lookAcross() {
    bool same = m_summaries.size() == m_lanes.size();
    for (std::size_t i = 0; same && i < m_lanes.size(); ++i)
        same = m_summaries[i] == m_lanes[i].summary;
    if (!same) {
        m_summaries.clear();
        std::vector<RunWithStalls> runs;
        for (const ChartLane& lane : m_lanes) {
            m_summaries.push_back(lane.summary);
            if (lane.record && lane.summary)
                runs.push_back({lane.record.get(), &lane.summary->stalls});
        }
        m_others.assign(m_lanes.size(), nullptr);
        auto all = stallsTogether(runs);
        auto next = all.begin();
        for (std::size_t i = 0; i < m_lanes.size(); ++i)
            if (m_lanes[i].record && m_lanes[i].summary)
                m_others[i] = std::make_shared<const std::vector<std::optional<StallOthers>>>(std::move(*next++));
    }
    for (std::size_t i = 0; i < m_lanes.size(); ++i)
        m_lanes[i].others = m_others[i];
}

void ChartFeed::refresh(const Lane& lane, Kept& kept) {
    ChartLane& shown = kept.lane;
    const std::shared_ptr<LaneRun> run = lane.runs().empty() ? nullptr : lane.runs().back();
    if (!shown.curves || kept.run != run) {
        kept.run = run;
        kept.sinceSummary.invalidate();
        kept.rates = {};
        shown.curves = std::make_shared<LaneCurves>();
        shown.record = run ? run->record : nullptr;
        shown.summary = nullptr;
    }
    shown.id = lane.config().id;
    shown.look = lane.config().look;
    shown.state = lane.state();
    shown.now = lane.now();
    shown.unit = m_view.unit();
    shown.revision = lane.revision();
    if (!run || !run->record)
        return;
    if (run->summary) {
        // The batch result lives as long as its run.
        shown.summary = std::shared_ptr<const RunSummary>(run, &*run->summary);
    } else if (!kept.sinceSummary.isValid() || kept.sinceSummary.elapsed() >= kSummaryEveryMs) {
        shown.summary = std::make_shared<const RunSummary>(run->live.summary(*run->record, lane.now()));
        kept.sinceSummary.start();
    }
    const RateCurve* rates = &run->live.rateCurve();
    if (rates->tps.empty() && run->summary) {
        // A finished run that never was live: its curve is computed once.
        if (kept.rates.tps.empty())
            kept.rates = rateCurve(*run->record, run->summary->tokens);
        rates = &kept.rates;
    }
    shown.curves->update(*run->record, shown.summary ? &shown.summary->tokens : nullptr, *rates, m_view.unit());
}

} // namespace decodescope
