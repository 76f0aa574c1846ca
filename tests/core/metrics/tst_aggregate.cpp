#include "core/metrics/metrics.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace decodescope;

namespace {

std::vector<double> upTo(int n) {
    std::vector<double> values;
    for (int i = n; i >= 1; --i)
        values.push_back(i);
    return values;
}

bool near(double a, double b) {
    return std::abs(a - b) < 1e-9;
}

} // namespace

class TestAggregate : public QObject {
    Q_OBJECT

private slots:
    void aSlowTailIsFlagged() {
        // The rate that 99% of runs reach: of 101 runs the second slowest.
        std::vector<double> rates(101, 50.0);
        QVERIFY(!tailCollapses(*aggregate(rates, true)));
        rates[0] = 24;
        QVERIFY2(!tailCollapses(*aggregate(rates, true)), "one run of 101 lies beyond p99");
        rates[1] = 24;
        QVERIFY(tailCollapses(*aggregate(rates, true)));
        rates[1] = 25;
        QVERIFY2(!tailCollapses(*aggregate(rates, true)), "half is not less than half");
        QVERIFY(!tailCollapses(*aggregate({50}, true)));
        QVERIFY(tailCollapses(*aggregate({10, 50, 50, 50}, true)));
    }

    void typeSeven() {
        QVERIFY(near(quantileType7({1, 2, 3, 4}, 0.5), 2.5));
        QVERIFY(near(quantileType7({1, 2, 3, 4}, 0.9), 3.7));
        QVERIFY(near(quantileType7({7}, 0.99), 7));
        QVERIFY(near(quantileType7({1, 2}, 1.0), 2));
    }

    void latencyLooksUpRatesLookDown() {
        const Aggregate high = *aggregate(upTo(101), false);
        QVERIFY(near(high.p50, 51) && near(high.p90, 91) && near(high.p99, 100) && near(high.max, 101));
        const Aggregate low = *aggregate(upTo(101), true);
        QVERIFY(near(low.p50, 51) && near(low.p90, 11) && near(low.p95, 6) && near(low.p99, 2));
        QVERIFY(near(low.min, 1) && near(low.max, 101) && near(low.mean, 51));
    }

    void supportNeedsEnoughValues() {
        QVERIFY(!aggregate(upTo(9), false)->supports(0.90) && aggregate(upTo(10), false)->supports(0.90));
        QVERIFY(!aggregate(upTo(19), false)->supports(0.95) && aggregate(upTo(20), false)->supports(95));
        QVERIFY(!aggregate(upTo(99), false)->supports(0.99) && aggregate(upTo(100), false)->supports(0.99));
        QVERIFY(aggregate({1.0}, false)->supports(0.5));
    }

    void nothingToAggregate() {
        QVERIFY(!aggregate({}, false));
        QVERIFY(!aggregate({std::numeric_limits<double>::quiet_NaN()}, false));
    }

    void ratioOfMedians() {
        const std::vector<double> a{100, 101, 99, 100, 102, 98, 100};
        std::vector<double> b;
        for (const double v : a)
            b.push_back(2 * v);
        const MedianRatio twice = *medianRatio(a, b);
        QVERIFY(near(twice.ratio, 2) && twice.differs() && twice.low > 1.9 && twice.high < 2.1);
        const MedianRatio same = *medianRatio(a, {99, 103, 97, 101, 100});
        QVERIFY(!same.differs() && same.low <= 1 && same.high >= 1);
        const MedianRatio again = *medianRatio(a, b);
        QVERIFY(again.low == twice.low && again.high == twice.high);
    }

    void noRatioWithoutSpread() {
        QVERIFY(!medianRatio({}, {1, 2}) && !medianRatio({1}, {1, 2}) && !medianRatio({0, 0}, {1, 2}));
    }
};

QTEST_APPLESS_MAIN(TestAggregate)
#include "tst_aggregate.moc"
