#include "engine/sampling/logit_math.h"

#include <QtTest>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

using namespace decodescope;
using namespace decodescope::engine;

namespace {

std::vector<float> randomRow(std::size_t size, unsigned seed, float spread = 8.0F) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0.0F, spread);
    std::vector<float> row(size);
    for (float& x : row)
        x = normal(random);
    return row;
}

std::vector<TokenLogprob> sorted(const std::vector<float>& row) {
    std::vector<TokenLogprob> all(row.size());
    for (std::size_t i = 0; i < row.size(); ++i)
        all[i] = {static_cast<TokenId>(i), row[i]};
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.logprob > b.logprob; });
    return all;
}

bool same(const std::vector<TokenLogprob>& a, const std::vector<TokenLogprob>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& x, const auto& y) { return x.id == y.id && x.logprob == y.logprob; });
}

RowPeaks measured(const std::vector<float>& row) {
    RowPeaks peaks;
    peaks.measure(row);
    return peaks;
}

LogitPeak peakOf(const std::vector<float>& row) {
    return engine::peakOf(row, measured(row));
}

} // namespace

class LogitMathTest : public QObject {
    Q_OBJECT
private slots:
    void exponentialIsExactEnough();
    void peakIsTheFirstOfTheGreatest();
    void peakOfEqualsAcrossRuns();
    void peakSeesWhatIsNotFinite();
    void logSumExpIsExactEnough();
    void bestAreTheSortedOnes();
    void fewValuesTiesKeepLowIds();
    void runsAddUp();
    void gatheringLeavesNothingOut();
    void everyProcessorSumsAlike();
};

void LogitMathTest::exponentialIsExactEnough() {
    for (float x = 0; x > -87.0F; x -= 0.0137F) {
        const double exact = std::exp(static_cast<double>(x));
        QVERIFY(std::abs(static_cast<double>(expOfNegative(x)) - exact) <= 3e-7 * exact);
    }
    QCOMPARE(expOfNegative(0.0F), 1.0F);
    QCOMPARE(expOfNegative(-88.0F), 0.0F);
    QCOMPARE(expOfNegative(-std::numeric_limits<float>::infinity()), 0.0F);
}

void LogitMathTest::peakIsTheFirstOfTheGreatest() {
    QVERIFY(rc::check("as std::max_element finds it", [] {
        const auto small = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-3, 4)));
        std::vector<float> row(small.begin(), small.end());
        const LogitPeak peak = ::peakOf(row);
        RC_ASSERT(measured(row).finite);
        RC_ASSERT(peak.id == std::max_element(row.begin(), row.end()) - row.begin());
        RC_ASSERT(peak.value == *std::max_element(row.begin(), row.end()));
    }));
}

void LogitMathTest::peakOfEqualsAcrossRuns() {
    std::vector<float> row(5 * kLogitRun, -2.0F);
    row[3 * kLogitRun + 5] = row[2 * kLogitRun + 7] = row[2 * kLogitRun + 8] = 1.5F;
    QCOMPARE(::peakOf(row).id, static_cast<TokenId>(2 * kLogitRun + 7));
    std::vector<float> zeros(3 * kLogitRun, 0.0F);
    zeros[0] = -0.0F; // equal to the others, and first
    QCOMPARE(::peakOf(zeros).id, 0);
    std::fill(row.begin(), row.end(), std::numeric_limits<float>::lowest());
    QCOMPARE(::peakOf(row).id, 0);
    QCOMPARE(::peakOf(row).value, std::numeric_limits<float>::lowest());
}

void LogitMathTest::peakSeesWhatIsNotFinite() {
    const float bad[] = {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN(),
                         std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
    for (const std::size_t size : {std::size_t{1}, std::size_t{17}, 2 * kLogitRun + 3}) {
        for (std::size_t at = 0; at < size; at += 1 + size / 13) {
            for (const float x : bad) {
                std::vector<float> row = randomRow(size, 3);
                QVERIFY(measured(row).finite);
                row[at] = x;
                QVERIFY(!measured(row).finite);
            }
        }
    }
    QVERIFY(!measured({}).finite);
}

void LogitMathTest::logSumExpIsExactEnough() {
    for (const std::size_t size : {1U, 15U, 16U, 1024U, 5000U, 50000U}) {
        for (const float spread : {0.01F, 1.0F, 10.0F}) {
            std::vector<float> row = randomRow(size, 11, spread);
            for (const bool rising : {false, true}) {
                if (rising)
                    std::sort(row.begin(), row.end()); // each run brings a new greatest value
                const double peak = static_cast<double>(*std::max_element(row.begin(), row.end()));
                double sum = 0;
                for (const float x : row)
                    sum += std::exp(static_cast<double>(x) - peak);
                QVERIFY(std::abs(logSumExp(row, measured(row)) - (peak + std::log(sum))) < 1e-5);
            }
        }
    }
    QVERIFY(std::abs(logSumExp(std::vector<float>{-3e38F, 3e38F}, measured({-3e38F, 3e38F})) - 3e38) < 1e32);
}

void LogitMathTest::bestAreTheSortedOnes() {
    for (const std::size_t size : {1U, 40U, 1500U, 9000U}) {
        const std::vector<float> row = randomRow(size, 5);
        const std::vector<TokenLogprob> all = sorted(row);
        for (const std::size_t wanted : {0U, 1U, 5U, 64U, 512U, 513U, 4000U, 100000U}) {
            std::vector<TokenLogprob> best;
            const auto kept = static_cast<std::ptrdiff_t>(std::min(wanted, size));
            keepBest(row, measured(row), wanted, best);
            QVERIFY(same(best, {all.begin(), all.begin() + kept}));
        }
    }
}

void LogitMathTest::fewValuesTiesKeepLowIds() {
    QVERIFY(rc::check("as a stable sort has them", [] {
        const auto small = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-2, 3));
        const std::vector<float> row(small.begin(), small.end());
        const auto wanted = *rc::gen::inRange<std::size_t>(0, row.size() + 2);
        std::vector<TokenLogprob> best;
        keepBest(row, measured(row), wanted, best);
        std::vector<TokenLogprob> expected = sorted(row);
        expected.resize(std::min(wanted, row.size()));
        RC_ASSERT(same(best, expected));
    }));
}

void LogitMathTest::runsAddUp() {
    const std::vector<float> row = randomRow(3 * kLogitRun + 11, 9);
    const float peak = ::peakOf(row).value;
    std::vector<double> sums;
    sumExpByRuns(row, measured(row), peak, 0.5F, sums);
    QCOMPARE(sums.size(), std::size_t{4});
    double expected = 0;
    for (std::size_t i = 3 * kLogitRun; i < row.size(); ++i)
        expected += std::exp(0.5 * (static_cast<double>(row[i]) - static_cast<double>(peak)));
    QVERIFY(std::abs(sums[3] - expected) < 1e-6 * expected);
}

void LogitMathTest::gatheringLeavesNothingOut() {
    std::vector<float> row = randomRow(5 * kLogitRun + 7, 21);
    std::fill(row.begin() + kLogitRun, row.begin() + 2 * kLogitRun, -50.0F);
    for (const float least : {-100.0F, -50.0F, 0.0F, 9.0F, 1000.0F}) {
        std::vector<TokenLogprob> gathered;
        gatherFrom(row, measured(row), least, gathered);
        std::vector<TokenLogprob> expected;
        for (std::size_t i = 0; i < row.size(); ++i)
            if (row[i] >= least)
                expected.push_back({static_cast<TokenId>(i), row[i]});
        QVERIFY(same(gathered, expected));
    }
}

void LogitMathTest::everyProcessorSumsAlike() {
    for (const std::size_t size : {1U, 15U, 16U, 33U, 1000U, 1024U}) {
        for (unsigned seed = 0; seed < 20; ++seed) {
            std::vector<float> row = randomRow(size, seed, 20.0F);
            const RunPeak peak = plainLogitLoops().peak(row);
            QCOMPARE(logitLoops().peak(row).value, peak.value);
            for (const float scale : {0.3F, 1.0F, 7.0F}) {
                const double plain = plainLogitLoops().sumExp(row, peak.value, scale);
                QVERIFY(logitLoops().sumExp(row, peak.value, scale) == plain); // to the last bit
            }
            row[size / 2] = std::numeric_limits<float>::quiet_NaN();
            QVERIFY(!plainLogitLoops().peak(row).finite && !logitLoops().peak(row).finite);
        }
    }
}

QTEST_APPLESS_MAIN(LogitMathTest)
#include "tst_logit_math.moc"
