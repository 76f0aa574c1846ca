// Draws every chart in the states that matter and looks at what came out. With DECODESCOPE_PICTURES=folder the
// pictures are kept, to be looked at by a person.
#include "tests/ui/charts/chart_runs.h"
#include "ui/charts/arrived_chart.h"
#include "ui/charts/distribution_chart.h"
#include "ui/charts/first_token_chart.h"
#include "ui/charts/gap_chart.h"
#include "ui/charts/rate_chart.h"
#include "ui/theme/look.h"

#include <QDir>
#include <QGridLayout>
#include <QtTest>

using namespace decodescope;

namespace {

/// The five charts in the places they have in the window.
struct Board {
    Board() {
        widget.resize(1600, 540);
        QPalette palette = widget.palette();
        palette.setColor(QPalette::Window, Look::instance().colours().window);
        widget.setPalette(palette);
        auto* grid = new QGridLayout(&widget);
        grid->setContentsMargins(6, 6, 6, 6);
        grid->setSpacing(6);
        auto* top = new QHBoxLayout;
        top->addWidget(gaps, 990);
        top->addWidget(rate, 592);
        auto* bottom = new QHBoxLayout;
        bottom->addWidget(arrived, 1);
        bottom->addWidget(distribution, 1);
        bottom->addWidget(first, 1);
        grid->addLayout(top, 0, 0);
        grid->addLayout(bottom, 1, 0);
        for (ChartPanel* chart : charts())
            chart->setMinimumWidth(100);
        widget.show();
    }
    [[nodiscard]] std::vector<ChartPanel*> charts() const { return {gaps, rate, arrived, distribution, first}; }
    void show(const std::vector<ChartLane>& lanes) {
        for (ChartPanel* chart : charts())
            chart->showLanes(lanes);
    }
    QImage picture(const QString& name) {
        QCoreApplication::processEvents();
        const QImage image = widget.grab().toImage();
        const QString folder = qEnvironmentVariable("DECODESCOPE_PICTURES");
        if (!folder.isEmpty())
            image.save(QDir(folder).filePath(name + QStringLiteral(".png")));
        return image;
    }

    ViewState view;
    QWidget widget;
    GapChart* gaps = new GapChart(view, &widget);
    RateChart* rate = new RateChart(view, &widget);
    ArrivedChart* arrived = new ArrivedChart(view, &widget);
    DistributionChart* distribution = new DistributionChart(view, &widget);
    FirstTokenChart* first = new FirstTokenChart(view, &widget);
};

int countNear(const QImage& image, const QRect& where, const QColor& colour) {
    int count = 0;
    const QRect area = where.intersected(image.rect());
    for (int y = area.top(); y <= area.bottom(); ++y) {
        for (int x = area.left(); x <= area.right(); ++x) {
            const QColor c = image.pixelColor(x, y);
            if (std::abs(c.red() - colour.red()) < 24 && std::abs(c.green() - colour.green()) < 24 &&
                std::abs(c.blue() - colour.blue()) < 24)
                ++count;
        }
    }
    return count;
}

/// A chart's plot in the picture of the board, in device pixels.
QRect inBoard(const ChartPanel& chart) {
    const QRectF plot = QRectF(chart.plotRectInPanel()).translated(chart.pos());
    const double dpr = chart.devicePixelRatioF();
    return QRectF(plot.topLeft() * dpr, plot.size() * dpr).toAlignedRect();
}

} // namespace

class ChartPictures : public QObject {
    Q_OBJECT

private slots:
    void init() { Look::instance().apply(ThemeChoice::dark); }

    void everyLaneOfTheRaceIsDrawnInItsColour_data() {
        QTest::addColumn<bool>("dark");
        QTest::newRow("dark") << true;
        QTest::newRow("light") << false;
    }
    void everyLaneOfTheRaceIsDrawnInItsColour() {
        QFETCH(bool, dark);
        Look::instance().apply(dark ? ThemeChoice::dark : ThemeChoice::light);
        Board board;
        board.show(test::race());
        board.view.setCursorS(6.4);
        const QImage image = board.picture(dark ? QStringLiteral("race-dark") : QStringLiteral("race-light"));
        for (ChartPanel* chart : board.charts()) {
            for (int lane = 0; lane < 3; ++lane)
                QVERIFY2(countNear(image, inBoard(*chart), Look::instance().lane(lane).colour) > 20,
                         qPrintable(QStringLiteral("%1, lane %2").arg(chart->title()).arg(lane)));
        }
        const int stalled = countNear(image, inBoard(*board.gaps), Look::instance().colours().stall);
        QVERIFY2(stalled > 200, "edges and markers of two stalls");
    }

    void linearAndCumulative() {
        Board board;
        board.show(test::race());
        board.gaps->setLogarithmic(false);
        board.distribution->setCumulative(true);
        board.view.setOrigin(TimeOrigin::firstToken);
        board.view.setFront(LaneId(1));
        board.picture(QStringLiteral("linear-cdf-front"));
        QCOMPARE(board.gaps->yAxis().min, 0.0);
        QCOMPARE(board.distribution->yAxis().max, 1.0);
    }

    void emptyChartsSayWhatWillAppear() {
        Board board;
        const QImage image = board.picture(QStringLiteral("empty"));
        for (ChartPanel* chart : board.charts())
            QVERIFY2(countNear(image, inBoard(*chart), Look::instance().colours().ink3) > 40,
                     qPrintable(chart->title()));
    }

    void failedAndCutLanes() {
        std::vector<ChartLane> lanes = test::race();
        test::RunShape refused;
        refused.httpStatus = 401;
        refused.outcome = Outcome::error;
        lanes[1] = test::lane(1, refused, LaneState::failed);
        test::RunShape cut;
        cut.gapsS = test::noisyGaps(209, 0.023, 0.15, 7);
        cut.ttftS = 0.436;
        cut.firstByteS = 0.404;
        cut.outcome = Outcome::truncated;
        lanes[2] = test::lane(2, cut, LaneState::cut);
        Board board;
        board.show(lanes);
        board.view.setCursorS(3.4);
        const QImage image = board.picture(QStringLiteral("errors"));
        QVERIFY(countNear(image, inBoard(*board.gaps), Look::instance().colours().fail) > 60);
        QVERIFY(countNear(image, inBoard(*board.arrived), Look::instance().colours().fail) > 5);
        QVERIFY(board.first->sentence().contains(QStringLiteral("401")));
    }

    void oneLaneAndEight() {
        std::vector<ChartLane> lanes;
        for (LaneId i = 0; i < 8; ++i) {
            test::RunShape shape;
            shape.gapsS = test::noisyGaps(300 + 40 * i, 0.008 + 0.003 * i, 0.3, 20 + i);
            shape.ttftS = 0.15 + 0.08 * i;
            shape.firstByteS = 0.1 + 0.07 * i;
            shape.outcome = i % 3 == 1 ? Outcome::running : Outcome::complete;
            lanes.push_back(test::lane(i, shape, i % 3 == 1 ? LaneState::running : LaneState::done));
        }
        Board board;
        board.show({lanes[0]});
        board.picture(QStringLiteral("one"));
        board.show(lanes);
        const QImage image = board.picture(QStringLiteral("eight"));
        for (int lane = 0; lane < 8; ++lane)
            QVERIFY(countNear(image, inBoard(*board.first), Look::instance().lane(lane).colour) > 20);
    }

    void deliveryGenerationAndOurOwnLookDifferent_data() {
        QTest::addColumn<bool>("dark");
        QTest::newRow("dark") << true;
        QTest::newRow("light") << false;
    }
    void deliveryGenerationAndOurOwnLookDifferent() {
        QFETCH(bool, dark);
        Look::instance().apply(dark ? ThemeChoice::dark : ThemeChoice::light);
        const auto shapeOf = [](bool catchesUp) {
            test::RunShape shape;
            shape.gapsS = test::noisyGaps(160, 0.02, 0.1, 9);
            shape.gapsS[80] = 0.6;
            if (catchesUp) {
                shape.tokensOfRead.assign(shape.gapsS.size() + 1, 1);
                shape.tokensOfRead[81] = 30;
            }
            return shape;
        };
        const std::vector<ChartLane> pair{test::lane(0, shapeOf(true), LaneState::done),
                                          test::lane(1, shapeOf(false), LaneState::done)};
        QVERIFY(pair[0].summary->stalls.at(0).kind == StallKind::delivery);
        QVERIFY(pair[1].summary->stalls.at(0).kind == StallKind::generation);
        Board board;
        const QString theme = dark ? QStringLiteral("dark") : QStringLiteral("light");
        // How much of a stall's lid is there: it is broken for a delivery and whole for a generation.
        const auto lidOf = [&](const ChartLane& lane, const QString& name) {
            board.show({lane});
            const QImage image = board.picture(QStringLiteral("stall-%1-%2").arg(name, theme));
            const QRect plot = inBoard(*board.gaps);
            const double span = board.gaps->xAxis().max - board.gaps->xAxis().min;
            const Stall& stall = lane.summary->stalls[0];
            const auto x = [&](double seconds) {
                return plot.left() + static_cast<int>(seconds / span * plot.width());
            };
            int painted = 0;
            const int left = x(stall.startS) + 14; // after the lane's own colour
            const int right = x(stall.startS + stall.lengthS) - 4;
            for (int px = left; px < right; ++px)
                painted += countNear(image, QRect(px, plot.top() + 1, 1, 1), Look::instance().colours().stall);
            return painted / static_cast<double>(right - left);
        };
        QVERIFY(std::abs(lidOf(pair[0], QStringLiteral("delivery")) - 0.5) < 0.2);
        QVERIFY(lidOf(pair[1], QStringLiteral("generation")) > 0.95);

        // The same stall, made by our own machine: hatched in grey, and of no kind of theirs.
        auto record = std::make_shared<RunRecord>(*pair[1].record);
        record->clock = ClockSource::user;
        const Instant late = record->events[pair[1].summary->stalls[0].eventIndex].at;
        record->hiccups.push_back({late - std::chrono::milliseconds(500), late});
        const auto summary = std::make_shared<const RunSummary>(summarize(*record));
        QCOMPARE(summary->clientGaps, std::uint64_t{1});
        const ChartLane ours = chartLane(1, 1, LaneState::done, record, summary);
        QVERIFY(lidOf(ours, QStringLiteral("client")) < 0.05);
        QCOMPARE(ours.gapsThatCount().total, ours.curves->histogram().total - 1);
        const QImage image = board.picture(QStringLiteral("stall-client-hatch-") + theme);
        QVERIFY(countNear(image, inBoard(*board.gaps), Look::instance().colours().hatch) > 200);
        // Both at one instant: each has a lid of its own that begins in its lane's colour, delivery broken above,
        // generation whole below.
        board.show(pair);
        const QImage both = board.picture(QStringLiteral("stall-pair-") + theme);
        const QRect plot = inBoard(*board.gaps);
        const double span = board.gaps->xAxis().max - board.gaps->xAxis().min;
        const Stall& stall = pair[0].summary->stalls[0];
        const int left = plot.left() + static_cast<int>(stall.startS / span * plot.width());
        const int right = plot.left() + static_cast<int>((stall.startS + stall.lengthS) / span * plot.width());
        std::array<double, 2> painted{};
        for (int lane = 0; lane < 2; ++lane) {
            const int top = plot.top() + 1 + lane * 5;
            QVERIFY(countNear(both, QRect(left, top, 12, 1), Look::instance().lane(lane).colour) > 4);
            const int from = left + 16;
            const int inked = countNear(both, QRect(from, top, right - 8 - from, 1), Look::instance().colours().stall);
            painted[static_cast<std::size_t>(lane)] = inked / static_cast<double>(right - 8 - from);
        }
        QVERIFY2(std::abs(painted[0] - 0.5) < 0.2, qPrintable(QString::number(painted[0])));
        QVERIFY2(painted[1] > 0.95, qPrintable(QString::number(painted[1])));
    }

    void manyStallsAndAnOpenOne() {
        test::RunShape periodic;
        periodic.gapsS = test::noisyGaps(400, 0.02, 0.1, 5);
        for (std::size_t i = 15; i < periodic.gapsS.size(); i += 16)
            periodic.gapsS[i] = 0.5;
        test::RunShape open;
        open.gapsS = test::noisyGaps(200, 0.02, 0.1, 6);
        open.outcome = Outcome::running;
        open.openForS = 1.7;
        Board board;
        board.show({test::lane(0, periodic, LaneState::done), test::lane(1, open, LaneState::running)});
        board.picture(QStringLiteral("stalls"));
        QVERIFY(board.gaps->lanes()[0].summary->stalls.size() >= 20);
        QVERIFY(!board.gaps->lanes()[1].summary->stalls.empty());
    }
};

QTEST_MAIN(ChartPictures)
#include "tst_chart_pictures.moc"
