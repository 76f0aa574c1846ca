#include "tests/ui/charts/chart_runs.h"
#include "ui/charts/curve_points.h"

#include <QtTest>

#include <cmath>

using namespace decodescope;

namespace {

bool same(float a, float b) {
    return (std::isnan(a) && std::isnan(b)) || a == b;
}

test::RunShape bumpy() {
    test::RunShape shape;
    shape.gapsS = test::noisyGaps(700, 0.012, 0.4, 9);
    shape.tokensOfRead.assign(701, 1);
    for (std::size_t i = 5; i < 700; i += 9)
        shape.tokensOfRead[i] = 1 + static_cast<int>(i % 5);
    shape.gapsS[333] = 0.9;
    return shape;
}

} // namespace

class LaneCurvesTest : public QObject {
    Q_OBJECT

private slots:
    void growingIsTheSameAsAllAtOnce_data() {
        QTest::addColumn<int>("unit");
        QTest::newRow("tokens") << static_cast<int>(RateUnit::tokens);
        QTest::newRow("characters") << static_cast<int>(RateUnit::characters);
        QTest::newRow("words") << static_cast<int>(RateUnit::words);
    }
    void growingIsTheSameAsAllAtOnce() {
        QFETCH(int, unit);
        const auto shown = static_cast<RateUnit>(unit);
        const auto whole = test::record(bumpy());
        const TokenCount counted = countTokens(*whole);
        LaneCurves batch;
        batch.update(*whole, &counted, rateCurve(*whole, counted), shown);

        LaneCurves grown;
        LiveMetrics live;
        RunRecord part = *whole;
        part.outcome = Outcome::running;
        part.finished.reset();
        part.events.clear();
        std::size_t step = 1;
        while (part.events.size() < whole->events.size()) {
            for (std::size_t i = 0; i < step && part.events.size() < whole->events.size(); ++i)
                part.events.push_back(whole->events[part.events.size()]);
            step = step % 7 + 1;
            live.update(part);
            const RunSummary summary = live.summary(part);
            grown.update(part, &summary.tokens, live.rateCurve(), shown);
        }
        live.update(*whole);
        const RunSummary summary = live.summary(*whole);
        grown.update(*whole, &summary.tokens, live.rateCurve(), shown);

        QCOMPARE(grown.arrivals(), batch.arrivals());
        QCOMPARE(grown.gaps().size(), batch.gaps().size());
        QCOMPARE(grown.rates().size(), batch.rates().size());
        QVERIFY(batch.rates().size() > 700);
        for (std::size_t i = 0; i < batch.arrivals(); ++i) {
            QCOMPARE(grown.times()[i], batch.times()[i]);
            QCOMPARE(grown.tokens()[i], batch.tokens()[i]);
            QCOMPARE(grown.amounts()[i], batch.amounts()[i]);
        }
        for (std::size_t i = 0; i < batch.rates().size(); ++i)
            QVERIFY2(same(grown.rates().at(i), batch.rates().at(i)), qPrintable(QString::number(i)));
        QCOMPARE(grown.histogram().total, std::uint64_t(batch.gaps().size()));
    }

    void eventsOfOneReadAreOneArrival() {
        test::RunShape shape;
        shape.gapsS = {0.02, 0.03};
        shape.tokensOfRead = {1, 4, 1};
        const ChartLane lane = test::lane(0, shape, LaneState::done);
        QCOMPARE(lane.curves->arrivals(), std::size_t(3));
        QCOMPARE(lane.curves->tokens()[1], 5.F);
        QCOMPARE(lane.curves->gaps().size(), std::size_t(2));
        QVERIFY(std::abs(lane.curves->gaps().at(1) - 0.03F) < 1e-6F);
        // Its first event stands for the arrival.
        QCOMPARE(LaneCurves::eventOf(*lane.record, static_cast<double>(lane.curves->times()[1])), 1U);
        QCOMPARE(LaneCurves::eventOf(*lane.record, static_cast<double>(lane.curves->times()[2])), 5U);
    }

    void theGapUnderAnInstant() {
        test::RunShape shape;
        shape.ttftS = 0.5;
        shape.gapsS = {0.1, 0.8, 0.1};
        const ChartLane lane = test::lane(0, shape, LaneState::done);
        QVERIFY(!lane.curves->gapAt(0.4));
        QCOMPARE(lane.curves->gapAt(0.55), std::optional<std::size_t>(0));
        QCOMPARE(lane.curves->gapAt(1.0), std::optional<std::size_t>(1));
        QVERIFY(!lane.curves->gapAt(1.6));
    }

    void picturesOf100000TokensAreBoundedAndKeepTheStall() {
        test::RunShape shape;
        shape.gapsS = test::noisyGaps(100000, 0.01, 0.3, 4);
        shape.gapsS[51234] = 0.777;
        const auto record = test::record(shape);
        const TokenCount counted = countTokens(*record);
        LaneCurves curves;
        curves.update(*record, &counted, rateCurve(*record, counted), RateUnit::tokens);
        constexpr double kWidth = 900;
        const AxisMap x{0, static_cast<double>(curves.times().back()), 50, 50 + kWidth};
        const AxisMap y{0, 1, 200, 0};
        const auto height = [&](float gapS) { return y(static_cast<double>(gapS)); };
        const auto vertices = gapVertices(curves, 0, x, height, 1);
        QVERIFY2(vertices.size() <= 4 * kWidth, qPrintable(QString::number(vertices.size())));
        const auto top = std::min_element(vertices.begin(), vertices.end(),
                                          [](const QPointF& a, const QPointF& b) { return a.y() < b.y(); });
        QVERIFY(std::abs(top->y() - y(0.777)) < 0.01);

        const AxisMap counts{0, 100001, 200, 0};
        QVERIFY(arrivedVertices(curves, 0, x, counts, 1).size() <= 4 * kWidth);
        const AxisMap positions{1, 100001, 50, 50 + kWidth};
        std::size_t points = 0;
        for (const auto& piece : rateVertices(curves.rates(), 0, curves.rates().size(), positions, y, 1))
            points += piece.size();
        QVERIFY(points > kWidth && points <= 4 * kWidth);
    }

    void aFewGapsAreDrawnAsTheyAre() {
        test::RunShape shape;
        shape.ttftS = 1;
        shape.gapsS = {0.5, 1.5};
        const ChartLane lane = test::lane(0, shape, LaneState::done);
        const AxisMap x{0, 4, 0, 400};
        const auto vertices = gapVertices(
            *lane.curves, 0, x, [](float gapS) { return 100 - 10 * double(gapS); }, 1);
        QCOMPARE(vertices.size(), std::size_t(4));
        QCOMPARE(vertices[0], QPointF(100, 95));
        QCOMPARE(vertices[1], QPointF(150, 95));
        QCOMPARE(vertices[2], QPointF(150, 85));
        QCOMPARE(vertices[3], QPointF(300, 85));
        // From the first token on, the same picture stands a second further left.
        const auto shifted = gapVertices(
            *lane.curves, 1, x, [](float) { return 0.0; }, 1);
        QCOMPARE(shifted[0].x(), 0.0);
    }

    void aLongWaitIsAPlateauAlsoWhenABurstEndsIt() {
        test::RunShape shape;
        shape.ttftS = 1;
        shape.gapsS = {0.02, 0.9, 0.001, 0.001, 0.001, 0.001};
        const ChartLane lane = test::lane(0, shape, LaneState::done);
        const AxisMap x{0, 4, 0, 400};
        const auto vertices = gapVertices(
            *lane.curves, 0, x, [](float gapS) { return 100 - 10 * double(gapS); }, 1);
        // All of the burst ends in the column of the long gap: its line is level, and steep only where it begins.
        const auto first = std::find_if(vertices.begin(), vertices.end(),
                                        [](const QPointF& p) { return std::abs(p.y() - 91) < 0.01; });
        QVERIFY(first != vertices.end() && first + 1 != vertices.end());
        QVERIFY2(std::abs(first->x() - 102) < 0.1, qPrintable(QString::number(first->x())));
        QVERIFY(std::abs((first + 1)->y() - 91) < 0.01);
        QVERIFY(std::abs((first + 1)->x() - 192) < 0.1);
    }

    void dashesKeepTheirRhythmAcrossVertices() {
        QList<QLineF> bent;
        QList<QLineF> straight;
        appendDashes({{0, 0}, {5, 0}, {5, 7}, {30, 7}}, {6, 3}, bent);
        appendDashes({{0, 0}, {37, 0}}, {6, 3}, straight);
        const auto inked = [](const QList<QLineF>& lines) {
            double sum = 0;
            for (const QLineF& line : lines)
                sum += line.length();
            return sum;
        };
        QVERIFY(std::abs(inked(bent) - inked(straight)) < 1e-6);
        QCOMPARE(straight.size(), qsizetype(5)); // 0, 9, 18, 27, 36
        QList<QLineF> solid;
        appendDashes({{0, 0}, {5, 0}, {5, 0}, {9, 0}}, {}, solid);
        QCOMPARE(solid.size(), qsizetype(2));
    }
};

QTEST_APPLESS_MAIN(LaneCurvesTest)
#include "tst_lane_curves.moc"
