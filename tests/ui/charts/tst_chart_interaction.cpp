// Mouse and keys on charts, and what they leave in the ViewState.
#include "tests/ui/charts/chart_runs.h"
#include "ui/charts/arrived_chart.h"
#include "ui/charts/distribution_chart.h"
#include "ui/charts/first_token_chart.h"
#include "ui/charts/gap_chart.h"
#include "ui/charts/rate_chart.h"
#include "ui/theme/look.h"

#include <QHelpEvent>
#include <QSignalSpy>
#include <QToolTip>
#include <QWheelEvent>
#include <QtTest>

using namespace decodescope;

namespace {

/// A point of a chart's plot by its axis coordinates, in the plot widget.
QPoint pointAt(const ChartPanel& chart, double x, double share) {
    const QRectF plot = chart.plotRectInPanel().translated(-chart.plotWidget()->mapTo(&chart, QPoint(0, 0)));
    const AxisMap map{chart.xAxis().min, chart.xAxis().max, plot.left(), plot.right()};
    return {static_cast<int>(std::lround(map(x))), static_cast<int>(plot.bottom() - share * plot.height())};
}

void wheel(QWidget* widget, QPoint at, int notches, Qt::KeyboardModifiers modifiers = {}) {
    QWheelEvent event(at, widget->mapToGlobal(QPointF(at)), {}, QPoint(0, 120 * notches), Qt::NoButton, modifiers,
                      Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(widget, &event);
}

void settle(ChartPanel& chart) {
    chart.resize(900, 270);
    chart.show();
    QVERIFY(QTest::qWaitForWindowExposed(&chart));
    QCoreApplication::processEvents();
}

} // namespace

class ChartInteraction : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { Look::instance().apply(ThemeChoice::dark); }

    void hoveringSetsCursorAndToken() {
        ViewState view;
        GapChart chart(view);
        chart.showLanes(test::race());
        settle(chart);
        QTest::mouseMove(chart.plotWidget(), pointAt(chart, 3.0, 0.45));
        QVERIFY(view.cursorS().has_value());
        QVERIFY(std::abs(*view.cursorS() - 3.0) < 0.02);
        QVERIFY(view.hovered().has_value());
        QCOMPARE(chart.shownValues().size(), std::size_t(3));
        QVERIFY(chart.shownValues()[1].text.contains(QStringLiteral("ms")));
        QCoreApplication::sendEvent(chart.plotWidget(), std::make_unique<QEvent>(QEvent::Leave).get());
        QVERIFY(!view.cursorS());
    }

    void aClickIntoAStallSelectsItAndTheLateToken() {
        ViewState view;
        GapChart chart(view);
        chart.showLanes(test::race());
        settle(chart);
        const Stall& stall = chart.lanes()[2].summary->stalls.at(0);
        QVERIFY(stall.kind == StallKind::delivery);
        QTest::mouseClick(chart.plotWidget(), Qt::LeftButton, {},
                          pointAt(chart, stall.startS + stall.lengthS * 0.9, 0.9));
        QVERIFY(view.stall() == StallRef({2, 0}));
        QVERIFY(view.selected() == TokenRef({2, stall.eventIndex}));
    }

    void stallsOfOneInstantAreNamedExplainedAndReached() {
        ViewState view;
        GapChart chart(view);
        test::RunShape shape;
        shape.gapsS = test::noisyGaps(160, 0.02, 0.1, 9);
        shape.gapsS[80] = 0.6;
        test::RunShape held = shape;
        held.tokensOfRead.assign(shape.gapsS.size() + 1, 1);
        held.tokensOfRead[81] = 30;
        const std::vector<ChartLane> lanes{test::lane(0, held, LaneState::done), test::lane(1, shape, LaneState::done)};
        chart.showLanes(lanes);
        settle(chart);

        std::vector<SeenStall> seen(2);
        seen[0] = {0, 0, {100, 180, StallKind::delivery}};
        seen[1] = {1, 0, {101, 181, StallKind::generation}};
        levelStalls(seen);
        QCOMPARE(seen[0].box.level, 0);
        QCOMPARE(seen[1].box.level, 1);
        const std::vector<TopWord> words = stallWords(seen, lanes, view);
        QCOMPARE(words.size(), std::size_t(1));
        QCOMPARE(words[0].text, QString::fromUtf8("A delivery · B generation 600\u2009ms"));
        seen[1].box.x0 = 200; // after it, and another lane's: both on the lowest level
        seen[1].box.x1 = 280;
        levelStalls(seen);
        QCOMPARE(seen[1].box.level, 0);
        QCOMPARE(stallWords(seen, lanes, view).size(), std::size_t(2));
        seen[1] = {0, 1, {180 - 1e-9, 220, StallKind::delivery}}; // the same lane's next one, right after it
        levelStalls(seen);
        QCOMPARE(seen[1].box.level, 0);

        const Stall& stall = lanes[0].summary->stalls.at(0);
        const QPoint inside = pointAt(chart, stall.startS + stall.lengthS / 2, 0.2);
        QHelpEvent help(QEvent::ToolTip, inside, chart.plotWidget()->mapToGlobal(inside));
        QCoreApplication::sendEvent(chart.plotWidget(), &help);
        const QString tip = QToolTip::text();
        QVERIFY2(tip.contains(QStringLiteral("A: Delivery stall")) && tip.contains(QStringLiteral("above the trend")),
                 qPrintable(tip));
        QVERIFY(tip.contains(QStringLiteral("B: Generation stall")) && tip.contains(QStringLiteral("No catch-up")));
        QToolTip::hideText();

        QTest::mouseClick(chart.plotWidget(), Qt::LeftButton, {}, inside);
        const auto first = view.stall();
        QVERIFY(first.has_value());
        QTest::mouseClick(chart.plotWidget(), Qt::LeftButton, {}, inside);
        QVERIFY(view.stall().has_value() && view.stall()->lane != first->lane);
        QTest::mouseClick(chart.plotWidget(), Qt::LeftButton, {}, inside);
        QVERIFY(view.stall() == first);
    }

    void aClickOnAGapSelectsItsToken() {
        ViewState view;
        GapChart chart(view);
        const std::vector<ChartLane> lanes = test::race();
        chart.showLanes({lanes[1]});
        settle(chart);
        const std::size_t gap = *lanes[1].curves->gapAt(2.0);
        QTest::mouseClick(chart.plotWidget(), Qt::LeftButton, {}, pointAt(chart, 2.0, 0.45));
        QVERIFY(view.selected().has_value());
        const double selectedS = *lanes[1].sinceStart(lanes[1].record->events.at(view.selected()->event).at);
        QVERIFY(std::abs(selectedS - static_cast<double>(lanes[1].curves->times()[gap + 1])) < 0.06);
        QVERIFY(!view.stall());
    }

    void theWheelZoomsAtTheCursorForAllTimeCharts() {
        ViewState view;
        GapChart gaps(view);
        ArrivedChart arrived(view);
        gaps.showLanes(test::race());
        arrived.showLanes(test::race());
        settle(gaps);
        settle(arrived);
        wheel(gaps.plotWidget(), pointAt(gaps, 6.0, 0.5), 3);
        QVERIFY(view.timeRange().has_value());
        const auto [from, to] = *view.timeRange();
        QVERIFY(from > 0 && to < 9 && from < 6 && to > 6);
        QCOMPARE(arrived.xAxis().min, from);
        const double before = to - from;
        wheel(gaps.plotWidget(), pointAt(gaps, 6.0, 0.5), 1, Qt::ControlModifier);
        const double fine = view.timeRange()->second - view.timeRange()->first;
        QVERIFY(fine < before && fine > before * 0.9);
        QTest::keyClick(gaps.plotWidget()->parentWidget(), Qt::Key_D);
        QVERIFY(view.timeRange()->first > from);
        QTest::keyClick(gaps.plotWidget()->parentWidget(), Qt::Key_F);
        QVERIFY(!view.timeRange());
    }

    void aControlDragSelectsARangeAndADragMeasuresOnly() {
        ViewState view;
        GapChart chart(view);
        chart.showLanes(test::race());
        settle(chart);
        QWidget* plot = chart.plotWidget();
        const auto dragOver = [&](Qt::KeyboardModifiers modifiers) {
            QTest::mousePress(plot, Qt::LeftButton, modifiers, pointAt(chart, 2, 0.5));
            for (const double at : {2.5, 3.0, 4.0}) {
                QMouseEvent move(QEvent::MouseMove, pointAt(chart, at, 0.5), plot->mapToGlobal(pointAt(chart, at, 0.5)),
                                 Qt::NoButton, Qt::LeftButton, modifiers);
                QCoreApplication::sendEvent(plot, &move);
            }
            QTest::mouseRelease(plot, Qt::LeftButton, modifiers, pointAt(chart, 4, 0.5));
        };
        dragOver({});
        QVERIFY(!view.timeRange());
        QVERIFY(!view.selected());
        dragOver(Qt::ControlModifier);
        QVERIFY(view.timeRange().has_value());
        QVERIFY(std::abs(view.timeRange()->first - 2) < 0.03);
        QVERIFY(std::abs(view.timeRange()->second - 4) < 0.03);
    }

    void spaceFreezesTheCursor() {
        ViewState view;
        GapChart chart(view);
        chart.showLanes(test::race());
        settle(chart);
        QTest::mouseMove(chart.plotWidget(), pointAt(chart, 3.0, 0.5));
        QTest::keyClick(chart.plotWidget()->parentWidget(), Qt::Key_Space);
        QTest::mouseMove(chart.plotWidget(), pointAt(chart, 5.0, 0.5));
        QVERIFY(std::abs(view.cursorS().value_or(0) - 3.0) < 0.02);
    }

    void whatDidNotChangeIsNotDrawnAgain() {
        ViewState view;
        GapChart gaps(view);
        RateChart rate(view);
        ArrivedChart arrived(view);
        DistributionChart distribution(view);
        FirstTokenChart first(view);
        const std::vector<ChartLane> lanes = test::race();
        for (ChartPanel* chart : std::initializer_list<ChartPanel*>{&gaps, &rate, &arrived, &distribution, &first}) {
            chart->showLanes(lanes);
            settle(*chart);
            const std::size_t before = chart->paintings();
            QVERIFY(before > 0);
            chart->showLanes(lanes);
            view.setCursorS(2.0); // moves the overlay alone
            QCoreApplication::processEvents();
            view.setCursorS(std::nullopt);
            QCoreApplication::processEvents();
            QCOMPARE(chart->paintings(), before);
            std::vector<ChartLane> changed = lanes;
            ++changed[1].revision;
            chart->showLanes(changed);
            QCoreApplication::processEvents();
            QCOMPARE(chart->paintings(), before + 1);
            chart->hide();
        }
    }

    void everyChartSaysInOneSentenceWhatItShows() {
        ViewState view;
        GapChart gaps(view);
        RateChart rate(view);
        ArrivedChart arrived(view);
        DistributionChart distribution(view);
        FirstTokenChart first(view);
        std::vector<ChartLane> lanes = test::race();
        lanes.erase(lanes.begin() + 1); // the one still running
        for (ChartPanel* chart : std::initializer_list<ChartPanel*>{&gaps, &rate, &arrived, &distribution, &first}) {
            QVERIFY(!chart->accessibleName().isEmpty());
            const QString before = chart->sentence();
            chart->showLanes(lanes);
            QVERIFY(chart->sentence() != before);
            QCOMPARE(chart->accessibleDescription(), chart->sentence());
            QVERIFY(chart->sentence().contains(u'A') && chart->sentence().contains(u'C'));
        }
    }

    void aSessionsRunsAreShownInTheUnitThatIsSet() {
        const FakeClock clock;
        Session session([](const RunSpec&, SourceOutput) { return std::unique_ptr<TokenSource>(); }, clock);
        LaneConfig config;
        config.id = 7;
        config.look = 2;
        session.setLanes({config});
        ViewState view;
        ArrivedChart arrived(view);
        GapChart gaps(view);
        settle(arrived);
        settle(gaps);
        arrived.advance(session);
        QCOMPARE(arrived.lanes().size(), std::size_t(1));
        QCOMPARE(arrived.lanes()[0].curves->arrivals(), std::size_t(0));

        test::RunShape shape;
        shape.gapsS = test::noisyGaps(99, 0.02, 0.1, 8);
        auto run = std::make_shared<LaneRun>();
        run->record = test::record(shape);
        run->summary = summarize(*run->record);
        session.showRuns(7, {run});
        arrived.advance(session);
        gaps.advance(session);
        QCOMPARE(arrived.lanes()[0].look, 2);
        QCOMPARE(arrived.lanes()[0].curves->tokens().back(), 100.F);
        QCOMPARE(arrived.lanes()[0].curves->rates().size(), std::size_t(100));
        QCOMPARE(arrived.lanes()[0].curves, gaps.lanes()[0].curves); // kept once for all charts

        view.setUnit(RateUnit::characters);
        QCoreApplication::processEvents();
        const std::size_t before = arrived.paintings();
        arrived.advance(session);
        QCoreApplication::processEvents();
        QCOMPARE(arrived.paintings(), before + 1);
        QCOMPARE(arrived.lanes()[0].curves->amounts().back(), static_cast<float>(run->record->transcript.size()));
        QVERIFY(arrived.yAxis().max >= static_cast<double>(run->record->transcript.size()));
    }

    void endLabelsNeverCoverOneAnother() {
        std::vector<EndLabel> labels;
        for (int i = 0; i < 8; ++i)
            labels.push_back({i, i, QPointF(200, 100 + i), QStringLiteral("99.5"), false, {}, {}});
        const QRectF bounds(0, 0, 300, 200);
        placeEndLabels(labels, bounds);
        for (std::size_t i = 0; i < labels.size(); ++i) {
            QVERIFY(bounds.contains(labels[i].patch));
            for (std::size_t j = i + 1; j < labels.size(); ++j)
                QVERIFY(!labels[i].patch.intersects(labels[j].patch));
        }
    }
};

QTEST_MAIN(ChartInteraction)
#include "tst_chart_interaction.moc"
