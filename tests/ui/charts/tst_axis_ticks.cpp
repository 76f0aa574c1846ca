#include "ui/charts/axis_ticks.h"

#include <QtTest>

#include <cmath>
#include <random>

using namespace decodescope;

namespace {

QStringList labels(const PlotAxis& axis) {
    QStringList result;
    for (const Tick& tick : axis.ticks)
        result << QString(tick.label).replace(QChar(0x2009), u' ');
    return result;
}

} // namespace

class AxisTicksTest : public QObject {
    Q_OBJECT

private slots:
    void theUnitStandsOnceAtTheEnd() {
        QCOMPARE(labels(linearAxis(0, 9, 10, QStringLiteral("s"))).join(u' '), QStringLiteral("0 1 2 3 4 5 6 7 8 9 s"));
        QCOMPARE(labels(linearAxis(0, 0.4, 5, QStringLiteral("s"))).join(u' '),
                 QStringLiteral("0.0 0.1 0.2 0.3 0.4 s"));
        QCOMPARE(labels(linearAxis(5.6, 7.15, 4, {})).join(u' '), QStringLiteral("6.0 6.5 7.0"));
    }

    void decadesOfDurations() {
        QCOMPARE(labels(logDurationAxis(1, 2000)).join(u'|'), QStringLiteral("1|10|100 ms|1 s"));
        QCOMPARE(labels(logDurationAxis(0.1, 50)).join(u'|'), QStringLiteral("0.1|1|10 ms"));
        QCOMPARE(labels(logDurationAxis(1, 100000)).join(u'|'), QStringLiteral("1|10|100 ms|1 s|10 s|100 s"));
        const PlotAxis axis = logDurationAxis(1, 1000);
        QCOMPARE(axis.minor.size(), std::size_t(6)); // 2 and 5 in three decades
    }

    void percent() {
        QCOMPARE(labels(percentAxis(0.6, 4)).join(u' '), QStringLiteral("0% 20% 40% 60%"));
        QCOMPARE(percentAxis(0.6, 4).max, 0.6);
    }

    void thousandsAreSetApartFromTenThousandOn() {
        QCOMPARE(tickNumber(9000, 0), QStringLiteral("9000"));
        QCOMPARE(tickNumber(100000, 0), QStringLiteral("100\u2009000"));
        QCOMPARE(tickNumber(-12345.5, 1), QStringLiteral("-12\u2009345.5"));
    }

    void stepsAreNiceAndFewForAnySpan() {
        std::mt19937 random(3);
        std::uniform_real_distribution<double> exponent(-9, 9);
        for (int i = 0; i < 5000; ++i) {
            const double span = std::pow(10.0, exponent(random));
            const int most = 2 + static_cast<int>(random() % 10);
            const double step = niceStep(span, most);
            QVERIFY2(span / step <= most * (1 + 1e-6), qPrintable(QString::number(span)));
            const double mantissa = step / std::pow(10.0, std::floor(std::log10(step) + 1e-9));
            QVERIFY(std::abs(mantissa - 1) < 1e-6 || std::abs(mantissa - 2) < 1e-6 || std::abs(mantissa - 5) < 1e-6);
            QVERIFY(niceCeiling(span, most) >= span * (1 - 1e-6));
            QVERIFY(linearAxis(0, span, most, {}).ticks.size() <= static_cast<std::size_t>(most) + 1);
        }
    }

    void senselessSpansAreHarmless() {
        for (const double span : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
            QVERIFY(niceStep(span, 5) > 0);
            QVERIFY(niceCeiling(span, 5) > 0);
        }
        QVERIFY(!linearAxis(3, 3, 5, {}).ticks.empty());
    }

    void anAxisMovesRarelyAndComesBackForANewRun() {
        SteppedMax end;
        int moves = 0;
        double before = 0;
        for (double needed = 0.01; needed < 60; needed += 0.01) {
            const double now = end.update(needed, 10);
            QVERIFY(now >= needed * (1 - 1e-6));
            moves += now != before;
            before = now;
        }
        QVERIFY2(moves < 60, qPrintable(QString::number(moves)));
        QCOMPARE(end.update(50, 10), before); // a little less data: stays
        QVERIFY(end.update(2, 10) < 3);       // a new run: comes back
    }
};

QTEST_APPLESS_MAIN(AxisTicksTest)
#include "tst_axis_ticks.moc"
