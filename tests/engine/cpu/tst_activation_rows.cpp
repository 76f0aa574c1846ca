// Quantising inputs: how near the numbers stay, that every instruction set finds the same, and what becomes of
// numbers that are none.
#include "engine/cpu/activation_rows.h"
#include "tests/engine/cpu/isas_here.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace decodescope::engine;
using decodescope::engine::test::isasHere;

namespace {

const ActivationBlock& blockOf(const ActivationRows& x, std::uint32_t row, std::uint32_t block) {
    const std::uint32_t first = row - row % kTileRows;
    return x.tile(first)[block * x.tileHeight(first) + (row - first)];
}

ActivationRows drawn(std::uint32_t rows, std::uint32_t cols) {
    std::mt19937 draw(cols);
    std::normal_distribution<float> normal;
    ActivationRows x;
    x.shape(rows, cols);
    for (std::uint32_t row = 0; row < rows; ++row)
        for (float& value : x.row(row))
            value = normal(draw) * std::ldexp(1.0F, static_cast<int>(draw() % 20) - 10);
    return x;
}

bool same(const ActivationBlock& a, const ActivationBlock& b) {
    return std::ranges::equal(a.quants, b.quants) && a.scale == b.scale && a.scaledSum == b.scaledSum &&
           a.minusSum == b.minusSum && std::ranges::equal(a.minusHalf, b.minusHalf);
}

} // namespace

class TestActivationRows : public QObject {
    Q_OBJECT
private slots:
    void quantsAreNearest();
    void allInstructionSetsAgree();
    void tailsAreZero();
    void rangesFillWhatTheWholeFills();
    void numbersThatAreNoneShowInTheScale();
    void tinyNumbersAreZero();
    void stridesAvoidTheSameCacheLines();
};

void TestActivationRows::quantsAreNearest() {
    for (const Isa isa : isasHere()) {
        ActivationRows x = drawn(11, 320);
        quantizeRows(isa, x, 0, x.rows);
        for (std::uint32_t row = 0; row < x.rows; ++row) {
            for (std::uint32_t block = 0; block < x.blocksPerRow(); ++block) {
                const ActivationBlock& made = blockOf(x, row, block);
                int sums[2] = {};
                for (std::uint32_t i = 0; i < 32; ++i) {
                    const double value = x.row(row)[32 * block + i];
                    QVERIFY(std::abs(value - double{made.scale} * made.quants[i]) <= 0.50001 * double{made.scale});
                    sums[i / 16] += made.quants[i];
                }
                QCOMPARE(made.minusHalf[0], -sums[0]);
                QCOMPARE(made.minusHalf[1], -sums[1]);
                QCOMPARE(made.minusSum, -(sums[0] + sums[1]));
                QCOMPARE(made.scaledSum, made.scale * static_cast<float>(sums[0] + sums[1]));
                QCOMPARE(std::abs(int{*std::ranges::max_element(
                             made.quants, {}, [](std::int8_t quant) { return std::abs(int{quant}); })}),
                         127);
            }
        }
    }
}

void TestActivationRows::allInstructionSetsAgree() {
    ActivationRows first = drawn(9, 256);
    quantizeRows(Isa::scalar, first, 0, first.rows);
    for (const Isa isa : isasHere()) {
        ActivationRows x = drawn(9, 256);
        quantizeRows(isa, x, 0, x.rows);
        QVERIFY2(std::ranges::equal(x.blocks, first.blocks, same), toString(isa).data());
    }
}

void TestActivationRows::tailsAreZero() {
    for (const Isa isa : isasHere()) {
        for (const std::uint32_t cols : {1U, 15U, 31U, 33U, 49U}) {
            ActivationRows x = drawn(2, cols);
            std::ranges::fill(x.values, 1e6F); // what lies behind a row must not count
            for (std::uint32_t row = 0; row < 2; ++row)
                std::ranges::fill(x.row(row), 2.0F);
            quantizeRows(isa, x, 0, 2);
            const ActivationBlock& last = blockOf(x, 1, x.blocksPerRow() - 1);
            const std::uint32_t used = cols - (x.blocksPerRow() - 1) * 32;
            for (std::uint32_t i = 0; i < 32; ++i)
                QCOMPARE(int{last.quants[i]}, i < used ? 127 : 0);
            QCOMPARE(last.minusSum, -127 * static_cast<int>(used));
        }
    }
}

void TestActivationRows::rangesFillWhatTheWholeFills() {
    for (const Isa isa : isasHere()) {
        ActivationRows whole = drawn(21, 96);
        ActivationRows parts = drawn(21, 96);
        quantizeRows(isa, whole, 0, 21);
        const std::uint32_t cuts[] = {0, 3, 3, 8, 17, 21};
        for (std::size_t i = 0; i + 1 < std::size(cuts); ++i)
            quantizeRows(isa, parts, cuts[i], cuts[i + 1]);
        QVERIFY(std::ranges::equal(whole.blocks, parts.blocks, same));
    }
}

void TestActivationRows::numbersThatAreNoneShowInTheScale() {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    for (const Isa isa : isasHere()) {
        for (const float strange : {std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity}) {
            ActivationRows x = drawn(1, 96);
            x.row(0)[40] = strange;
            quantizeRows(isa, x, 0, 1);
            QVERIFY(std::isfinite(blockOf(x, 0, 0).scale));
            QVERIFY(std::isnan(blockOf(x, 0, 1).scale));
            QVERIFY(std::ranges::all_of(blockOf(x, 0, 1).quants, [](std::int8_t quant) { return quant == 0; }));
            QVERIFY(std::isfinite(blockOf(x, 0, 2).scale));
        }
    }
}

void TestActivationRows::tinyNumbersAreZero() {
    for (const Isa isa : isasHere()) {
        for (const float tiny : {0.0F, std::numeric_limits<float>::denorm_min(), 1e-37F}) {
            ActivationRows x;
            x.shape(1, 32);
            std::ranges::fill(x.row(0), tiny);
            quantizeRows(isa, x, 0, 1);
            const ActivationBlock& made = blockOf(x, 0, 0);
            QVERIFY(std::ranges::all_of(made.quants, [](std::int8_t quant) { return quant == 0; }));
            QVERIFY(made.scale >= 0 && made.scale < 1e-36F);
            QCOMPARE(made.minusSum, 0);
        }
    }
}

void TestActivationRows::stridesAvoidTheSameCacheLines() {
    for (std::uint32_t cols = 1; cols < 5000; cols += 7) {
        ActivationRows x;
        x.shape(1, cols);
        QVERIFY(x.stride >= cols && x.stride < cols + 48);
        QVERIFY(x.stride % 16 == 0 && x.stride % 256 != 0);
    }
}

QTEST_APPLESS_MAIN(TestActivationRows)
#include "tst_activation_rows.moc"
