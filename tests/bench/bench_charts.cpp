// What a refresh of the charts costs however long the run is (F4), and what their curves hold of a token (M2).
#include "tests/bench/bench_report.h"
#include "tests/ui/charts/chart_runs.h"
#include "ui/charts/arrived_chart.h"
#include "ui/charts/distribution_chart.h"
#include "ui/charts/first_token_chart.h"
#include "ui/charts/gap_chart.h"
#include "ui/charts/rate_chart.h"
#include "ui/theme/look.h"

#include <QApplication>

#include <memory>

using namespace decodescope;

namespace {

constexpr int kLanes = 4;
constexpr int kFrames = 40;
constexpr int kNewTokensAFrame = 4;

/// Four lanes that keep on running: every frame brings each some tokens.
class Feed {
public:
    explicit Feed(std::size_t tokens) {
        for (int i = 0; i < kLanes; ++i) {
            test::RunShape shape;
            shape.gapsS = test::noisyGaps(tokens, 0.01, 0.3, 30 + static_cast<unsigned>(i));
            shape.outcome = Outcome::running;
            m_records.push_back(test::record(shape));
            ChartLane lane;
            lane.id = static_cast<LaneId>(i);
            lane.look = i;
            lane.state = LaneState::running;
            lane.record = m_records.back();
            lane.curves = std::make_shared<LaneCurves>();
            m_live.emplace_back();
            m_live.back().update(*m_records.back());
            lane.summary = std::make_shared<RunSummary>(m_live.back().summary(*m_records.back()));
            m_lanes.push_back(std::move(lane));
            take(static_cast<std::size_t>(i));
        }
    }

    const std::vector<ChartLane>& next() {
        for (std::size_t i = 0; i < m_lanes.size(); ++i) {
            RunRecord& record = *m_records[i];
            for (int k = 0; k < kNewTokensAFrame; ++k) {
                TokenEvent event = record.events.back();
                event.at += std::chrono::microseconds(9000 + 500 * (k % 4));
                ++event.read;
                record.events.push_back(event);
            }
            m_live[i].update(record);
            take(i);
        }
        return m_lanes;
    }

    [[nodiscard]] double bytesAToken() const {
        double bytes = 0;
        double tokens = 0;
        for (const ChartLane& lane : m_lanes) {
            bytes += static_cast<double>(lane.curves->bytes());
            tokens += static_cast<double>(lane.record->events.size());
        }
        return bytes / tokens;
    }

private:
    void take(std::size_t i) {
        ChartLane& lane = m_lanes[i];
        lane.curves->update(*m_records[i], &lane.summary->tokens, m_live[i].rateCurve(), RateUnit::tokens);
        lane.now = m_records[i]->events.back().at;
        ++lane.revision;
    }

    std::vector<std::shared_ptr<RunRecord>> m_records;
    std::vector<LiveMetrics> m_live;
    std::vector<ChartLane> m_lanes;
};

/// Processor time from new data to painted pixels of all five charts together; the record's growth is not counted.
double refreshSeconds(Feed& feed) {
    ViewState view;
    std::vector<std::unique_ptr<ChartPanel>> charts;
    charts.push_back(std::make_unique<GapChart>(view));
    charts.push_back(std::make_unique<RateChart>(view));
    charts.push_back(std::make_unique<ArrivedChart>(view));
    charts.push_back(std::make_unique<DistributionChart>(view));
    charts.push_back(std::make_unique<FirstTokenChart>(view));
    for (const auto& chart : charts) {
        chart->resize(640, 270);
        chart->show();
    }
    for (const auto& chart : charts)
        chart->showLanes(feed.next());
    QCoreApplication::processEvents();
    std::vector<double> seconds;
    for (int frame = 0; frame < kFrames; ++frame) {
        const std::vector<ChartLane>& lanes = feed.next();
        const double begin = bench::threadSeconds();
        for (const auto& chart : charts)
            chart->showLanes(lanes);
        QCoreApplication::processEvents();
        seconds.push_back(bench::threadSeconds() - begin);
    }
    std::nth_element(seconds.begin(), seconds.begin() + kFrames / 2, seconds.end());
    return seconds[kFrames / 2];
}

} // namespace

int main(int argc, char** argv) {
    const QApplication application(argc, argv);
    Look::instance().apply(ThemeChoice::dark);
    const bool quick = argc > 1 && std::string_view(argv[1]) == "--quick";
    constexpr std::string_view kConditions =
        "4 lanes, 5 charts of 640 x 270, 4 new tokens a lane and frame, processor time, median of 40";
    Feed small(1000);
    Feed large(quick ? 4000 : 100000);
    const double shortRun = refreshSeconds(small);
    const double longRun = refreshSeconds(large);
    bench::report("charts_refresh_1k", shortRun * 1e3, "ms", kConditions);
    bench::report(quick ? "charts_refresh_4k" : "charts_refresh_100k", longRun * 1e3, "ms", kConditions);
    bench::report("F4", longRun / shortRun, "ratio", kConditions, "charts_refresh_1k");
    bench::report("M2", large.bytesAToken(), "bytes/token",
                  quick ? "gaps, rate and arrival with pyramids, 4,000 tokens a lane"
                        : "gaps, rate and arrival with pyramids, 100,000 tokens a lane");
    return 0;
}
