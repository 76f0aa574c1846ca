// Draws what only the engine can tell. With DECODESCOPE_PICTURES=folder the pictures are kept.
#include "tests/ui/charts/chart_runs.h"
#include "ui/charts/engine_chart.h"
#include "ui/charts/rate_chart.h"
#include "ui/theme/look.h"

#include <QDir>
#include <QtTest>

using namespace decodescope;

namespace {

constexpr std::uint64_t kWeights = 96'000'000;

/// A lane of our own engine: a step of 5 ms a token, arriving 60 to 120 us after it was sampled.
ChartLane engineLane(LaneId id, std::size_t tokens, double stepS = 0.005) {
    test::RunShape shape;
    shape.gapsS = test::noisyGaps(tokens - 1, stepS, 0.05, 7 + id);
    const std::shared_ptr<RunRecord> run = test::record(shape);
    EngineFacts facts;
    facts.weightBytes = kWeights;
    facts.kvBytesPerToken = 23040;
    facts.bandwidthGBps = 24.0;
    run->engine = facts;
    run->enginePrompt = EnginePrompt{.tokens = 40};
    for (std::size_t i = 0; i < run->events.size(); ++i) {
        EngineRow row;
        row.at = run->events[i].at;
        row.event = static_cast<std::uint32_t>(i);
        const std::int64_t arrivalNs = toNs(row.at);
        row.step.tokens = 1;
        row.step.stepId = i + 1;
        row.step.sampledAtNs = arrivalNs - 60'000 - static_cast<std::int64_t>(i % 7) * 10'000;
        row.step.endNs = row.step.sampledAtNs - 1000;
        row.step.beginNs = row.step.endNs - static_cast<std::int64_t>(stepS * 0.96e9);
        row.step.position = static_cast<std::uint32_t>(40 + i);
        row.step.kvLength = row.step.position;
        row.step.batch = 1;
        row.step.weightBytes = kWeights;
        row.step.kvBytes = 23040ULL * row.step.kvLength;
        run->engineSteps.push_back(row);
        run->events[i].tokens = {};
        run->events[i].tokens.engine = 1;
    }
    const auto summary = std::make_shared<const RunSummary>(summarize(*run));
    ChartLane lane = chartLane(id, static_cast<int>(id), LaneState::done, run, summary);
    lane.now = run->finished;
    return lane;
}

void keep(QWidget& widget, const QString& name) {
    const QString folder = qEnvironmentVariable("DECODESCOPE_PICTURES");
    if (!folder.isEmpty())
        widget.grab().save(QDir(folder).filePath(name + QStringLiteral(".png")));
}

} // namespace

class EngineChartTest : public QObject {
    Q_OBJECT

private slots:
    void init() { Look::instance().apply(ThemeChoice::dark); }

    void lagAndBandwidthAreTheRunsOwn() {
        ViewState view;
        EngineChart chart(view);
        chart.resize(700, 280);
        chart.show();
        const std::vector<ChartLane> lanes{engineLane(0, 300), engineLane(1, 300, 0.008)};
        chart.showLanes(lanes);
        keep(chart, QStringLiteral("engine-lag"));
        QVERIFY(chart.sentence().contains(QStringLiteral("lane A: median 90")));
        chart.setShows(EngineChart::Shows::bandwidth);
        keep(chart, QStringLiteral("engine-bandwidth"));
        // 96 MB and a growing cache in 4.8 ms: about 20.9 GB/s, within the ceiling of 24 that the axis must hold.
        QVERIFY2(chart.sentence().contains(QStringLiteral("lane A: 20.")) ||
                     chart.sentence().contains(QStringLiteral("lane A: 21.")),
                 qPrintable(chart.sentence()));
        QVERIFY(chart.yAxis().max > 24.0);
    }

    void otherServersHaveNoEngine() {
        ViewState view;
        EngineChart chart(view);
        chart.resize(700, 280);
        chart.show();
        chart.showLanes(test::race());
        QCOMPARE(chart.drawnPoints(), std::size_t(0));
        QVERIFY(chart.sentence().contains(QStringLiteral("nothing to show")));
    }

    void theRateIsSeenAgainstWhatTheMemoryAllows() {
        ViewState view;
        RateChart chart(view);
        chart.resize(700, 280);
        chart.show();
        chart.showLanes({engineLane(0, 400)});
        keep(chart, QStringLiteral("rate-bound"));
        // 24 GB/s over 96 MB and 41 positions: 247.6 tok/s, which must be in view.
        QVERIFY(chart.yAxis().max > 247);
        RateChart slow(view); // half as fast as the memory allows: the bound is far above the curve
        slow.resize(700, 280);
        slow.show();
        slow.showLanes({engineLane(0, 400, 0.008)});
        QVERIFY2(slow.yAxis().max > 247, qPrintable(QString::number(slow.yAxis().max)));
        view.setUnit(RateUnit::words);
        chart.showLanes({engineLane(0, 400)});
        keep(chart, QStringLiteral("rate-words"));
    }
};

QTEST_MAIN(EngineChartTest)
#include "tst_engine_chart.moc"
