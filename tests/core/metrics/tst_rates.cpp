#include "core/metrics/decay.h"
#include "core/metrics/metrics.h"
#include "tests/support/run_builder.h"

#include <QtTest>

#include <cmath>

using namespace decodescope;
using test::RunBuilder;

namespace {

/// Rate at a token position, drawn through (1, 150), (500, 140), (2000, 110), (4000, 85).
double plannedRate(double position) {
    const double x[] = {1, 500, 2000, 4000};
    const double y[] = {150, 140, 110, 85};
    for (int i = 0; i < 3; ++i)
        if (position <= x[i + 1])
            return y[i] + (y[i + 1] - y[i]) * (position - x[i]) / (x[i + 1] - x[i]);
    return y[3];
}

bool within(std::optional<double> value, double expected, double share) {
    return value && std::abs(*value - expected) <= share * std::abs(expected);
}

} // namespace

class TestRates : public QObject {
    Q_OBJECT

private slots:
    void plannedRatesComeBack() {
        RunBuilder run;
        double at = 0.2;
        for (int i = 1; i <= 4200; ++i) {
            run.event(at, 1);
            at += 1 / plannedRate(i + 0.5);
        }
        const RunRecord record = run.build();
        const RunSummary s = summarize(record);
        const auto rate = [&](std::uint32_t p) -> std::optional<double> {
            for (const RateAt& r : s.rateAt)
                if (r.position == p)
                    return r.tps;
            return std::nullopt;
        };
        QVERIFY(within(rate(1), 150, 0.01));
        QVERIFY(within(rate(500), 140, 0.01));
        QVERIFY(within(rate(2000), 110, 0.01));
        QVERIFY(within(rate(4000), 85, 0.01));
        std::vector<std::uint32_t> positions;
        for (const RateAt& r : s.rateAt)
            positions.push_back(r.position);
        QCOMPARE(positions, (std::vector<std::uint32_t>{1, 100, 500, 1000, 2000, 4000}));
        const RateCurve curve = rateCurve(record, s.tokens);
        QCOMPARE(curve.tps.size(), std::size_t{4200});
        QCOMPARE(curve.provisionalFrom, 4200U);
        for (const auto& [p, y] : {std::pair{1U, 150.0}, {500U, 140.0}, {2000U, 110.0}, {4000U, 85.0}})
            QVERIFY(within(curve.tps[p - curve.first], y, 0.01));
    }

    void windowByHand() {
        // 40 tokens, one every 10 ms; token 30 comes 1 s late.
        RunBuilder run;
        for (int i = 1; i <= 40; ++i)
            run.event(0.01 * i + (i >= 30 ? 1.0 : 0.0), 1);
        const RunRecord record = run.build();
        const RateCurve curve = rateCurve(record, countTokens(record));
        QVERIFY(within(curve.tps[0], 15 / 0.15, 1e-6));                   // tokens 2 to 16
        QVERIFY(within(curve.tps[13], 28 / 0.28, 1e-6));                  // position 14: 2 to 29
        QVERIFY(within(curve.tps[14], 29 / 1.29, 1e-6));                  // position 15: 2 to 30
        QVERIFY(within(curve.tps[39], 17.0 / (0.40 + 1.0 - 0.23), 1e-6)); // position 40: 24 to 40
    }

    void wholeArrivalsOnly() {
        RunBuilder run;
        run.event(0.1, 4).event(0.2, 30).event(0.4, 10).event(0.5, 10);
        const RunRecord record = run.build();
        const RateCurve curve = rateCurve(record, countTokens(record));
        QVERIFY(within(curve.tps[0], 30 / 0.1, 1e-6));  // tokens 2 to 16 end in the second arrival
        QVERIFY(within(curve.tps[39], 50 / 0.4, 1e-6)); // tokens 24 to 55: second to fourth arrival
        QVERIFY(within(curve.tps[53], 20 / 0.3, 1e-6)); // tokens 38 to 54: third and fourth
        RunBuilder one;
        one.event(0.1, 40);
        const RunRecord alone = one.build();
        QVERIFY(std::isnan(rateCurve(alone, countTokens(alone)).tps[0]));
    }

    void absurdCountsAreBounded() {
        RunBuilder run;
        run.event(0.1, 4'000'000'000U).event(0.2, 4'000'000'000U).event(0.3, 4'000'000'000U);
        const RunRecord record = run.build();
        QVERIFY(rateCurve(record, countTokens(record)).tps.size() <= 2'000'000);
        QVERIFY(summarize(record).decodeTps.has_value());
    }

    void lastSixteenAreProvisionalWhileItRuns() {
        const RunRecord run = RunBuilder().tokens(100).until(2).outcome(Outcome::running).noUsage().build();
        const RateCurve curve = rateCurve(run, countTokens(run)); // no tokens known yet: events
        QCOMPARE(curve.tps.size(), std::size_t{100});
        QCOMPARE(curve.provisionalFrom, 84U);
    }

    void decayOfAKnownSlope() {
        // Each token takes 0.02% longer than the one before: 1 - exp(-0.2) of the rate is lost in 1,000.
        RunBuilder run;
        double at = 0.2;
        for (int i = 0; i < 1024; ++i) {
            run.event(at, 1);
            at += 0.01 * std::exp(0.0002 * i);
        }
        const auto decay = summarize(run.build()).decay;
        QVERIFY(decay && within(decay->percentPer1000, 100 * (1 - std::exp(-0.2)), 0.01));
        QVERIFY(decay->low <= decay->percentPer1000 && decay->percentPer1000 <= decay->high);
    }

    void steadyRunDoesNotDecay() {
        const auto decay = summarize(RunBuilder().tokens(2000).until(20.19).build()).decay;
        QVERIFY(decay && std::abs(decay->percentPer1000) < 0.01);
    }

    void decayFromSixteenBinsOn() {
        QVERIFY(!summarize(RunBuilder().tokens(511).until(6).build()).decay);
        QVERIFY(summarize(RunBuilder().tokens(512).until(6).build()).decay);
    }

    void theilSenAsPublished() {
        // By hand: slopes of (1,1) (2,3) (3,2) (4,6) are 2, .5, 5/3, -1, 1.5, 4, sorted -1 .5 1.5 5/3 2 4.
        const TheilSen line = theilSen({1, 2, 3, 4}, {1, 3, 2, 6});
        QVERIFY(within(line.slope, (1.5 + 5.0 / 3) / 2, 1e-12));
        QVERIFY(within(line.low, -1, 1e-12) && within(line.high, 4, 1e-12));
    }

    void breakEvenByHand() {
        QVERIFY(within(breakEven(4, 200, 0.15, 50), 257.6666667, 1e-6));
        QVERIFY(!breakEven(0.1, 100, 0.2, 50));  // leads from the first token on
        QVERIFY(!breakEven(0.1, 100, 0.2, 100)); // never crosses
        QVERIFY(!breakEven(0.1, 0, 0.2, 100));
    }

    void workerIsHeldForTheWholeRun_data() {
        QTest::addColumn<int>("tokens");
        QTest::addColumn<double>("tps");
        QTest::addColumn<double>("heldS");
        QTest::newRow("600 at 20") << 600 << 20.0 << 30.0;
        QTest::newRow("600 at 100") << 600 << 100.0 << 6.0;
        QTest::newRow("400 at 25") << 400 << 25.0 << 16.0;
        QTest::newRow("400 at 80") << 400 << 80.0 << 5.0;
        QTest::newRow("400 at 10, past a 30 s time-out") << 400 << 10.0 << 40.0;
    }
    void workerIsHeldForTheWholeRun() {
        QFETCH(int, tokens);
        QFETCH(double, tps);
        QFETCH(double, heldS);
        const RunSummary s = summarize(RunBuilder().ttft(1 / tps).tokens(tokens).until(tokens / tps).build());
        QVERIFY(within(s.e2e, heldS, 1e-9));
        QVERIFY(within(s.decodeTps, tps, 1e-9));
        QCOMPARE(*s.e2e > 30.5, tps == 10.0);
    }
};

QTEST_APPLESS_MAIN(TestRates)
#include "tst_rates.moc"
