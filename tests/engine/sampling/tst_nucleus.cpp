#include "engine/sampling/nucleus.h"

#include <QtTest>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace decodescope::engine;

namespace {

std::vector<WeighedToken> weighed(const std::vector<float>& logits) {
    std::vector<WeighedToken> items;
    for (std::size_t i = 0; i < logits.size(); ++i)
        items.push_back({{static_cast<TokenId>(i), logits[i]}, std::exp2(static_cast<double>(logits[i]))});
    return items;
}

/// By a full sort.
TokenId edgeBySorting(std::vector<WeighedToken> items, double mass) {
    std::stable_sort(items.begin(), items.end(),
                     [](const auto& a, const auto& b) { return a.token.logprob > b.token.logprob; });
    double sum = 0;
    for (const WeighedToken& item : items)
        if ((sum += item.weight) >= mass)
            return item.token.id;
    return items.back().token.id;
}

} // namespace

class NucleusTest : public QObject {
    Q_OBJECT
private slots:
    void agreesWithSorting();
    void endsOfTheMass();
};

void NucleusTest::agreesWithSorting() {
    // Powers of two add up without rounding, in any order.
    for (const std::size_t size : {1U, 2U, 64U, 65U, 300U, 20000U}) {
        for (unsigned seed = 0; seed < 40; ++seed) {
            std::mt19937 random(seed);
            std::vector<float> logits(size);
            for (float& x : logits)
                x = static_cast<float>(static_cast<int>(random() % (2 + seed))) - 10.0F;
            if (seed % 4 == 1)
                std::sort(logits.begin(), logits.end());
            if (seed % 4 == 2)
                std::sort(logits.rbegin(), logits.rend());
            std::vector<WeighedToken> items = weighed(logits);
            double whole = 0;
            for (const WeighedToken& item : items)
                whole += item.weight;
            const double mass = whole * (static_cast<double>(random() % 1000) + 0.5) / 1000.0;
            const TokenId expected = edgeBySorting(items, mass);
            QCOMPARE(nucleusEdge(items, mass).id, expected);
        }
    }
}

void NucleusTest::endsOfTheMass() {
    std::vector<float> logits(500);
    for (std::size_t i = 0; i < logits.size(); ++i)
        logits[i] = -static_cast<float>((i * 7919) % 500) / 100.0F;
    auto items = weighed(logits);
    QCOMPARE(nucleusEdge(items, 0).logprob, 0.0F);
    QCOMPARE(nucleusEdge(items, 1e-9).logprob, 0.0F);
    QCOMPARE(nucleusEdge(items, 1e9).logprob, -4.99F);
}

QTEST_APPLESS_MAIN(NucleusTest)
#include "tst_nucleus.moc"
