#include "engine/sampling/sampler.h"

#include <QtTest>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

using namespace decodescope::engine;

namespace {

/// Draws `draws` tokens from one row without taking them into the penalties' sight: a new seed for each.
std::vector<int> histogram(SamplingSpec spec, const std::vector<float>& row, int draws) {
    std::vector<int> counts(row.size());
    for (int i = 0; i < draws; ++i) {
        spec.seed = static_cast<std::uint64_t>(i) + 1000;
        Sampler sampler(spec, {});
        ++counts[static_cast<std::size_t>(sampler.sample(row)->id)];
    }
    return counts;
}

/// What the wishes mean, by sorting: the probability of every token.
std::vector<double> probabilities(const SamplingSpec& spec, const std::vector<float>& row) {
    std::vector<std::size_t> order(row.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return row[a] > row[b]; });
    if (spec.topK > 0 && static_cast<std::size_t>(spec.topK) < order.size())
        order.resize(static_cast<std::size_t>(spec.topK));
    std::vector<double> weights;
    for (const std::size_t id : order)
        weights.push_back(std::exp(static_cast<double>((row[id] - row[order[0]]) / spec.temperature)));
    const double whole = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::size_t kept = 0;
    for (double sum = 0; kept < order.size(); ++kept) {
        if (kept > 0 && sum >= static_cast<double>(spec.topP) * whole)
            break;
        if (weights[kept] < static_cast<double>(spec.minP))
            break;
        sum += weights[kept];
    }
    const double mass = std::accumulate(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(kept), 0.0);
    std::vector<double> result(row.size());
    for (std::size_t i = 0; i < kept; ++i)
        result[order[i]] = weights[i] / mass;
    return result;
}

std::vector<float> slope(std::size_t size) {
    std::vector<float> row(size);
    for (std::size_t i = 0; i < size; ++i)
        row[i] = -0.25F * static_cast<float>((i * 7) % size); // all different when 7 does not divide the size
    return row;
}

TokenId greedyOf(const SamplingSpec& spec, const std::vector<float>& row, std::vector<TokenId> prompt = {},
                 const std::vector<TokenId>& accepted = {}) {
    SamplingSpec greedy = spec;
    greedy.temperature = 0;
    Sampler sampler(greedy, prompt);
    for (const TokenId id : accepted)
        sampler.accept(id);
    return sampler.sample(row)->id;
}

} // namespace

class SamplerTest : public QObject {
    Q_OBJECT
private slots:
    void greedyTakesTheBestAndOfEqualsTheFirst();
    void distributionsAreWhatTheWishesSay_data();
    void distributionsAreWhatTheWishesSay();
    void largeVocabularyKeepsTheNucleus();
    void sameSeedSameTokens();
    void randomNumbersDependOnThePositionAlone();
    void repetitionPenaltyLooksBackItsWindow();
    void countedPenaltiesSeeGeneratedTokensOnly();
    void biasForbidsAndForces();
    void logprobsAreOfTheRawRow();
    void rowsThatAreNotFiniteEnd();
    void absurdWishesAreBorne();
};

void SamplerTest::greedyTakesTheBestAndOfEqualsTheFirst() {
    QCOMPARE(greedyOf({}, {1, 3, 3, 2}), 1);
    QCOMPARE(greedyOf({}, {-5, -7, -5}), 0);
    QCOMPARE(greedyOf({}, {4}), 0);
}

void SamplerTest::distributionsAreWhatTheWishesSay_data() {
    QTest::addColumn<float>("temperature");
    QTest::addColumn<int>("topK");
    QTest::addColumn<float>("topP");
    QTest::addColumn<float>("minP");
    QTest::newRow("plain") << 1.0F << 0 << 1.0F << 0.0F;
    QTest::newRow("cold") << 0.5F << 0 << 1.0F << 0.0F;
    QTest::newRow("hot") << 3.0F << 0 << 1.0F << 0.0F;
    QTest::newRow("top-k") << 1.5F << 5 << 1.0F << 0.0F;
    QTest::newRow("top-p") << 1.5F << 0 << 0.8F << 0.0F;
    QTest::newRow("min-p") << 1.5F << 0 << 1.0F << 0.2F;
    QTest::newRow("top-k, top-p, min-p") << 2.0F << 12 << 0.9F << 0.15F;
    QTest::newRow("top-p of nothing: the best") << 1.0F << 0 << 0.0F << 0.0F;
    QTest::newRow("top-k of one") << 1.0F << 1 << 1.0F << 0.0F;
    QTest::newRow("min-p of one") << 1.0F << 0 << 1.0F << 1.0F;
}

void SamplerTest::distributionsAreWhatTheWishesSay() {
    QFETCH(float, temperature);
    QFETCH(int, topK);
    QFETCH(float, topP);
    QFETCH(float, minP);
    SamplingSpec spec;
    spec.temperature = temperature;
    spec.topK = topK;
    spec.topP = topP;
    spec.minP = minP;
    const std::vector<float> row = slope(30);
    constexpr int kDraws = 20'000;
    const std::vector<int> counts = histogram(spec, row, kDraws);
    const std::vector<double> expected = probabilities(spec, row);
    double chiSquare = 0;
    int freedom = -1;
    double rareExpected = 0;
    int rareSeen = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (expected[i] == 0) {
            QCOMPARE(counts[i], 0); // filtered out
            continue;
        }
        const double wanted = expected[i] * kDraws;
        if (wanted < 10) {
            rareExpected += wanted;
            rareSeen += counts[i];
            continue;
        }
        chiSquare += (counts[i] - wanted) * (counts[i] - wanted) / wanted;
        ++freedom;
    }
    if (rareExpected > 5) {
        chiSquare += (rareSeen - rareExpected) * (rareSeen - rareExpected) / rareExpected;
        ++freedom;
    }
    // The mean of chi-square is its degrees of freedom, its variance twice that: 4 standard deviations.
    QVERIFY2(chiSquare <= freedom + 4 * std::sqrt(2.0 * std::max(freedom, 1)) + 1e-9,
             qPrintable(QString("%1 at %2").arg(chiSquare).arg(freedom)));
}

void SamplerTest::largeVocabularyKeepsTheNucleus() {
    const std::vector<float> row = slope(50'003);
    for (const float topP : {0.3F, 0.9F, 0.999F}) {
        for (const float temperature : {0.5F, 20.0F}) {
            SamplingSpec spec;
            spec.topP = topP;
            spec.temperature = temperature;
            const std::vector<double> expected = probabilities(spec, row);
            for (std::uint64_t seed = 0; seed < 50; ++seed) {
                spec.seed = seed;
                Sampler sampler(spec, {});
                QVERIFY(expected[static_cast<std::size_t>(sampler.sample(row)->id)] > 0);
            }
        }
    }
}

void SamplerTest::sameSeedSameTokens() {
    const std::vector<float> row = slope(200);
    SamplingSpec spec;
    spec.temperature = 4;
    spec.topP = 0.95F;
    const auto run = [&](std::uint64_t seed) {
        spec.seed = seed;
        Sampler sampler(spec, {});
        std::vector<TokenId> ids;
        for (int i = 0; i < 50; ++i) {
            ids.push_back(sampler.sample(row)->id);
            sampler.accept(ids.back());
        }
        return ids;
    };
    QVERIFY(run(5) == run(5));
    QVERIFY(run(5) != run(6));
}

void SamplerTest::randomNumbersDependOnThePositionAlone() {
    const std::vector<float> row = slope(200);
    SamplingSpec spec;
    spec.temperature = 5;
    Sampler often(spec, {});
    Sampler once(spec, {});
    for (int i = 0; i < 20; ++i) {
        const TokenId id = often.sample(row)->id;
        QCOMPARE(often.sample(row)->id, id); // asking again without accepting draws the same
        QCOMPARE(once.sample(row)->id, id);
        often.accept(id);
        once.accept(id);
    }
}

void SamplerTest::repetitionPenaltyLooksBackItsWindow() {
    SamplingSpec spec;
    spec.repetitionPenalty = 2;
    spec.penaltyWindow = 3;
    const std::vector<float> row{4, 3, 2.5F, -1};
    QCOMPARE(greedyOf(spec, row), 0);
    QCOMPARE(greedyOf(spec, row, {0, 0}), 1);       // 4 / 2, once however often it came
    QCOMPARE(greedyOf(spec, row, {0, 1}), 2);       // 2, 1.5, 2.5
    QCOMPARE(greedyOf(spec, row, {0, 3, 3, 3}), 0); // out of sight
    QCOMPARE(greedyOf(spec, row, {3, 3}, {0}), 1);
    QCOMPARE(greedyOf(spec, row, {}, {0, 1, 2, 3, 3, 3}), 0);
    QCOMPARE(greedyOf(spec, {-1, -1.5F}, {0}), 1); // a negative logit is multiplied
    spec.penaltyWindow = 0;
    QCOMPARE(greedyOf(spec, row, {0, 0}, {0}), 0);
}

void SamplerTest::countedPenaltiesSeeGeneratedTokensOnly() {
    SamplingSpec spec;
    spec.frequencyPenalty = 0.4F;
    const std::vector<float> row{4, 3};
    QCOMPARE(greedyOf(spec, row, {0, 0, 0, 0}), 0);
    QCOMPARE(greedyOf(spec, row, {}, {0, 0}), 0);
    QCOMPARE(greedyOf(spec, row, {}, {0, 0, 0}), 1); // 4 - 1.2
    spec.frequencyPenalty = 0;
    spec.presencePenalty = 1.1F;
    QCOMPARE(greedyOf(spec, row, {}, {0}), 1);
    spec.presencePenalty = 0.9F;
    QCOMPARE(greedyOf(spec, row, {}, {0, 0, 0}), 0); // once, however often
}

void SamplerTest::biasForbidsAndForces() {
    const std::vector<float> row{4, 3, 2};
    SamplingSpec spec;
    spec.bias = {{0, -std::numeric_limits<float>::infinity()}};
    QCOMPARE(greedyOf(spec, row), 1);
    spec.bias = {{2, 100.0F}, {77, 5.0F}, {-3, 5.0F}};
    QCOMPARE(greedyOf(spec, row), 2);
    spec.bias = {{0, -std::numeric_limits<float>::infinity()}, {1, -std::numeric_limits<float>::infinity()}};
    QCOMPARE(histogram(spec, row, 50)[2], 50);
    spec.topP = 0.9F;
    QCOMPARE(histogram(spec, row, 50)[2], 50);
    spec.bias.emplace_back(2, -std::numeric_limits<float>::infinity());
    Sampler nothingLeft(spec, {});
    QVERIFY(!nothingLeft.sample(row));
}

void SamplerTest::logprobsAreOfTheRawRow() {
    const std::vector<float> row{1, 2, 0.5F, 2};
    SamplingSpec spec;
    spec.temperature = 0;
    spec.logprobs = 2;
    spec.bias = {{0, 50.0F}};
    spec.repetitionPenalty = 1.5F;
    const std::vector<TokenId> prompt{1};
    Sampler sampler(spec, prompt);
    const SampledToken token = *sampler.sample(row);
    const double whole = std::log(std::exp(1.0) + 2 * std::exp(2.0) + std::exp(0.5));
    QCOMPARE(token.id, 0);
    QVERIFY(std::abs(static_cast<double>(token.chosen->logprob) - (1 - whole)) < 1e-6);
    QCOMPARE(token.chosen->id, 0);
    QCOMPARE(token.candidates.size(), std::size_t{2});
    QCOMPARE(token.candidates[0].id, 1);
    QCOMPARE(token.candidates[1].id, 3);
    QVERIFY(std::abs(static_cast<double>(token.candidates[0].logprob) - (2 - whole)) < 1e-6);

    spec.logprobs = 0;
    QVERIFY(Sampler(spec, {}).sample(row)->chosen);
    QVERIFY(Sampler(spec, {}).sample(row)->candidates.empty());
    spec.logprobs = 1000;
    QCOMPARE(Sampler(spec, {}).sample(row)->candidates.size(), row.size());
    spec.logprobs.reset();
    QVERIFY(!Sampler(spec, {}).sample(row)->chosen);
}

void SamplerTest::rowsThatAreNotFiniteEnd() {
    for (const float temperature : {0.0F, 1.0F}) {
        SamplingSpec spec;
        spec.temperature = temperature;
        Sampler sampler(spec, {});
        QVERIFY(!sampler.sample(std::vector<float>{1, std::numeric_limits<float>::quiet_NaN(), 2}));
        QVERIFY(!sampler.sample(std::vector<float>{1, std::numeric_limits<float>::infinity()}));
        QVERIFY(!sampler.sample({}));
        QVERIFY(sampler.sample(std::vector<float>{1, 2}));
    }
}

void SamplerTest::absurdWishesAreBorne() {
    const std::vector<float> numbers{0,
                                     -1,
                                     1,
                                     1e-38F,
                                     1e38F,
                                     -1e38F,
                                     std::numeric_limits<float>::quiet_NaN(),
                                     0.5F,
                                     1e9F,
                                     std::numeric_limits<float>::infinity(),
                                     -std::numeric_limits<float>::infinity()};
    QVERIFY(rc::check("a token of the row or none", [&] {
        const auto number = rc::gen::elementOf(numbers);
        SamplingSpec spec;
        spec.temperature = *number;
        spec.topK = *rc::gen::elementOf(std::vector<std::int32_t>{0, 1, 3, -5, INT32_MAX, INT32_MIN});
        spec.topP = *number;
        spec.minP = *number;
        spec.repetitionPenalty = *number;
        spec.presencePenalty = *number;
        spec.frequencyPenalty = *number;
        spec.penaltyWindow = *rc::gen::elementOf(std::vector<std::uint32_t>{0, 1, 64, UINT32_MAX});
        spec.bias = {{2, *number}, {INT32_MAX, *number}, {INT32_MIN, *number}};
        const std::vector<TokenId> prompt{0, 1, -7, INT32_MAX};
        Sampler sampler(spec, prompt);
        const std::vector<float> row{3e38F, -3e38F, 0, 1, -1};
        for (int i = 0; i < 4; ++i) {
            const std::optional<SampledToken> token = sampler.sample(row);
            RC_ASSERT((!token || (token->id >= 0 && token->id < 5)));
            sampler.accept(token ? token->id : 0);
        }
    }));
}

QTEST_APPLESS_MAIN(SamplerTest)
#include "tst_sampler.moc"
