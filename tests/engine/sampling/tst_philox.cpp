#include "engine/sampling/philox.h"

#include <QtTest>

using namespace decodescope::engine;

class PhiloxTest : public QObject {
    Q_OBJECT
private slots:
    void matchesThePublishedVectors();
    void numbersAreUniform();
    void neighbouringSeedsShareNothing();
};

void PhiloxTest::matchesThePublishedVectors() {
    using Words = std::array<std::uint32_t, 4>;
    QVERIFY((philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    QVERIFY((philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
             Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    QVERIFY((philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
             Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

void PhiloxTest::numbersAreUniform() {
    constexpr int kBins = 100;
    constexpr int kDraws = 100'000;
    int counts[kBins] = {};
    for (std::uint64_t i = 0; i < kDraws; ++i) {
        const double u = uniformOf(7, i);
        QVERIFY(u >= 0 && u < 1);
        ++counts[static_cast<int>(u * kBins)];
    }
    double chiSquare = 0;
    for (const int count : counts)
        chiSquare += (count - kDraws / kBins) * (count - kDraws / kBins) / double(kDraws / kBins);
    QVERIFY2(chiSquare < 150, qPrintable(QString::number(chiSquare))); // 99 degrees of freedom: p below 0.001
}

void PhiloxTest::neighbouringSeedsShareNothing() {
    for (std::uint64_t i = 0; i < 1000; ++i)
        for (std::uint64_t j = 0; j < 5; ++j)
            QVERIFY(uniformOf(1, i) != uniformOf(2, i + j));
}

QTEST_APPLESS_MAIN(PhiloxTest)
#include "tst_philox.moc"
