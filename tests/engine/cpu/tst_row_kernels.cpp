// Norms, rotation, activations and attention of every instruction set here, against the same in double precision.
#include "engine/cpu/row_kernels.h"
#include "engine/gguf/dequantize.h"
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

std::vector<float> draw(std::size_t count, std::mt19937& random, float spread = 1.0F) {
    std::normal_distribution<float> normal(0.0F, spread);
    std::vector<float> out(count);
    for (float& value : out)
        value = normal(random);
    return out;
}

/// The greatest |a - b| / (|b| + floor).
double worst(const std::vector<float>& a, const std::vector<double>& b, double floor) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        most = std::max(most, std::abs(a[i] - b[i]) / (std::abs(b[i]) + floor));
    return most;
}

/// A sequence's keys and values of one kv head, in a cache of blocks that it lists in random order.
struct Cache {
    std::uint32_t headSize, positions;
    bool bytes;
    KvHead head;
    std::vector<std::uint32_t> blocks;
    std::vector<std::byte> memory;
    std::vector<float> keys, values; // (positions, headSize)

    Cache(std::uint32_t size, std::uint32_t count, bool inBytes, const RowKernels& kernels, std::mt19937& random)
        : headSize(size)
        , positions(count)
        , bytes(inBytes)
        , keys(draw(std::size_t{count} * size, random))
        , values(draw(std::size_t{count} * size, random)) {
        head.paddedHead = (size + kTile - 1) / kTile * kTile;
        head.scalesOffset = std::size_t{head.paddedHead} * kTile;
        head.valuesOffset = inBytes ? head.scalesOffset + head.paddedHead * sizeof(float) : 2 * head.scalesOffset;
        head.blockStride = 2 * head.valuesOffset + 64; // something else lies between
        const std::uint32_t needed = (count + kTile - 1) / kTile;
        for (std::uint32_t i = 0; i < needed + 3; ++i)
            blocks.push_back(i);
        std::shuffle(blocks.begin(), blocks.end(), random);
        // Places that nobody wrote hold NaNs: reading one would show.
        memory.assign((needed + 3) * head.blockStride, std::byte{0xFF});
        for (std::uint32_t i = 0; i < needed; ++i) // but for the padding of heads, which is zero in a fresh cache
            std::fill_n(memory.data() + blocks[i] * head.blockStride + (inBytes ? 0 : std::size_t{size} * 2 * kTile),
                        head.valuesOffset - (inBytes ? 0 : std::size_t{size} * 2 * kTile), std::byte{0});
        head.base = memory.data();
        const auto store = inBytes ? kernels.storeBytes : kernels.storeHalf;
        for (std::uint32_t at = 0; at < count; ++at)
            store(keys.data() + std::size_t{at} * size, values.data() + std::size_t{at} * size, size, head,
                  memory.data() + blocks[at / kTile] * head.blockStride, at % kTile);
    }
};

/// Attention of one query in double precision, over keys and values as they are before the cache rounds them.
std::vector<double> attention(const Cache& cache, const float* query, std::uint32_t first, std::uint32_t last) {
    std::vector<double> scores;
    for (std::uint32_t at = first; at <= last; ++at) {
        double score = 0;
        for (std::uint32_t i = 0; i < cache.headSize; ++i)
            score += double{query[i]} * cache.keys[std::size_t{at} * cache.headSize + i];
        scores.push_back(score);
    }
    const double most = *std::max_element(scores.begin(), scores.end());
    double sum = 0;
    std::vector<double> out(cache.headSize, 0.0);
    for (std::uint32_t at = first; at <= last; ++at) {
        const double weight = std::exp(scores[at - first] - most);
        sum += weight;
        for (std::uint32_t i = 0; i < cache.headSize; ++i)
            out[i] += weight * cache.values[std::size_t{at} * cache.headSize + i];
    }
    for (double& value : out)
        value /= sum;
    return out;
}

} // namespace

Q_DECLARE_METATYPE(decodescope::engine::Isa)

class TestRowKernels : public QObject {
    Q_OBJECT

private slots:
    void rmsNorm_data() { isas(); }
    void rmsNorm();
    void activations_data() { isas(); }
    void activations();
    void activationsOfStrangeNumbers_data() { isas(); }
    void activationsOfStrangeNumbers();
    void rotation_data() { isas(); }
    void rotation();
    void halvesAreRoundedAndBounded_data() { isas(); }
    void halvesAreRoundedAndBounded();
    void attentionAgainstDouble_data();
    void attentionAgainstDouble();
    void rowsOfATileDoNotTouchEachOther_data() { isas(); }
    void rowsOfATileDoNotTouchEachOther();

private:
    static void isas() {
        QTest::addColumn<Isa>("isa");
        for (const Isa isa : isasHere())
            QTest::addRow("%s", toString(isa).data()) << isa;
    }
};

void TestRowKernels::rmsNorm() {
    QFETCH(Isa, isa);
    std::mt19937 random(1);
    for (const std::uint32_t size : {1U, 7U, 16U, 64U, 100U, 576U, 1023U}) {
        const std::vector<float> x = draw(size, random, 3.0F);
        const std::vector<float> weight = draw(size, random);
        double squares = 0;
        for (const float value : x)
            squares += double{value} * value;
        std::vector<double> expected(size);
        for (std::size_t i = 0; i < size; ++i)
            expected[i] = x[i] / std::sqrt(squares / size + 1e-5) * weight[i];
        std::vector<float> y(size);
        rowKernels(isa).rmsNorm(x.data(), weight.data(), 1e-5F, size, y.data());
        QVERIFY(worst(y, expected, 1e-6) < 2e-6);
        std::vector<float> inPlace = x;
        rowKernels(isa).rmsNorm(inPlace.data(), weight.data(), 1e-5F, size, inPlace.data());
        QVERIFY(inPlace == y);
    }
}

void TestRowKernels::activations() {
    QFETCH(Isa, isa);
    std::vector<float> gate;
    for (float x = -90; x < 90; x += 0.037F)
        gate.push_back(x);
    const std::vector<float> up(gate.size(), 1.0F);
    std::vector<double> silu, gelu;
    for (const float x : gate) {
        silu.push_back(x / (1 + std::exp(-double{x})));
        // 1 + tanh(t) without the cancellation that tanh itself would bring on the left
        const double inner = 0.79788456080286536 * (x + 0.044715 * double{x} * x * x);
        gelu.push_back(x / (1 + std::exp(-2 * inner)));
    }
    std::vector<float> y(gate.size());
    const auto size = static_cast<std::uint32_t>(gate.size());
    rowKernels(isa).silu(gate.data(), up.data(), size, y.data());
    QVERIFY(worst(y, silu, 1e-30) < 1e-5); // far left the argument's own rounding counts
    for (std::size_t i = 0; i < gate.size(); ++i)
        if (std::abs(gate[i]) < 10)
            QVERIFY(std::abs(y[i] - silu[i]) <= 5e-7 * std::abs(silu[i]));
    rowKernels(isa).geluTanh(gate.data(), up.data(), size, y.data());
    QVERIFY(worst(y, gelu, 1e-6) < 2e-6);
}

void TestRowKernels::activationsOfStrangeNumbers() {
    QFETCH(Isa, isa);
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const std::vector<float> gate{0.0F, -0.0F, kInfinity, 1e30F, -1e30F, std::numeric_limits<float>::quiet_NaN()};
    const std::vector<float> up(gate.size(), 1.0F);
    std::vector<float> y(gate.size());
    rowKernels(isa).silu(gate.data(), up.data(), static_cast<std::uint32_t>(gate.size()), y.data());
    QCOMPARE(y[0], 0.0F);
    QCOMPARE(y[1], 0.0F);
    QVERIFY(std::isinf(y[2]));
    QCOMPARE(y[3], 1e30F);
    QVERIFY(std::abs(y[4]) < 1e-7F);
    QVERIFY(std::isnan(y[5]));
}

void TestRowKernels::rotation() {
    QFETCH(Isa, isa);
    std::mt19937 random(2);
    for (const std::uint32_t pairs : {1U, 8U, 20U, 32U, 64U}) {
        const std::vector<float> x = draw(2 * pairs, random);
        std::vector<float> cosines, sines;
        for (std::uint32_t i = 0; i < pairs; ++i) {
            cosines.push_back(std::cos(0.3F * static_cast<float>(i)));
            sines.push_back(std::sin(0.3F * static_cast<float>(i)));
        }
        std::vector<double> adjacent(2 * pairs), halves(2 * pairs);
        for (std::uint32_t i = 0; i < pairs; ++i) {
            const auto turn = [&](std::size_t a, std::size_t b, std::vector<double>& out) {
                out[a] = double{x[a]} * cosines[i] - double{x[b]} * sines[i];
                out[b] = double{x[a]} * sines[i] + double{x[b]} * cosines[i];
            };
            turn(2 * std::size_t{i}, 2 * std::size_t{i} + 1, adjacent);
            turn(i, i + pairs, halves);
        }
        std::vector<float> y = x;
        rowKernels(isa).rotateAdjacent(y.data(), cosines.data(), sines.data(), pairs);
        QVERIFY(worst(y, adjacent, 1.0) < 1e-6);
        y = x;
        rowKernels(isa).rotateHalves(y.data(), cosines.data(), sines.data(), pairs);
        QVERIFY(worst(y, halves, 1.0) < 1e-6);
    }
}

void TestRowKernels::halvesAreRoundedAndBounded() {
    QFETCH(Isa, isa);
    const RowKernels& kernels = rowKernels(isa);
    std::vector<float> values{0.0F,    -0.0F,   1.0F,   65504.0F, 65519.0F,  1e9F,     -1e9F,   6.0e-8F,
                              3.0e-8F, 2.9e-8F, -1e-5F, 6.1e-5F,  6.097e-5F, 0.33333F, 2049.0F, 2051.0F};
    values.resize(kTile, 1.5F);
    KvHead head;
    head.paddedHead = kTile;
    head.valuesOffset = std::size_t{kTile} * kTile * 2;
    std::vector<std::uint16_t> block(2 * kTile * kTile);
    kernels.storeHalf(values.data(), values.data(), kTile, head, reinterpret_cast<std::byte*>(block.data()), 5);
    for (std::uint32_t i = 0; i < kTile; ++i) {
        const std::uint16_t expected = floatToHalf(std::clamp(values[i], -65504.0F, 65504.0F));
        QCOMPARE(block[std::size_t{i} * kTile + 5], expected);                 // the key, transposed
        QCOMPARE(block[kTile * kTile + std::size_t{5} * kTile + i], expected); // the value
    }
}

void TestRowKernels::attentionAgainstDouble_data() {
    QTest::addColumn<Isa>("isa");
    QTest::addColumn<bool>("bytes");
    QTest::addColumn<int>("headSize");
    for (const Isa isa : isasHere())
        for (const bool bytes : {false, true})
            for (const int headSize : {16, 64, 80, 256})
                QTest::addRow("%s %s %d", toString(isa).data(), bytes ? "q8" : "f16", headSize)
                    << isa << bytes << headSize;
}

void TestRowKernels::attentionAgainstDouble() {
    QFETCH(Isa, isa);
    QFETCH(bool, bytes);
    QFETCH(int, headSize);
    const RowKernels& kernels = rowKernels(isa);
    std::mt19937 random(3);
    const auto size = static_cast<std::uint32_t>(headSize);
    const double tolerance = bytes ? 2e-2 : 2e-3;
    for (const std::uint32_t positions : {1U, 31U, 32U, 33U, 150U}) {
        const Cache cache(size, positions, bytes, kernels, random);
        const std::uint32_t padded = cache.head.paddedHead;
        for (std::uint32_t rows = 1; rows <= kernels.attentionRows; ++rows) {
            std::vector<float> queries = draw(std::size_t{rows} * padded, random, 1.0F / std::sqrt(float(size)));
            std::vector<std::uint32_t> first, last;
            for (std::uint32_t row = 0; row < rows; ++row) {
                std::fill(queries.begin() + row * padded + size, queries.begin() + (row + 1) * padded, 0.0F);
                last.push_back(static_cast<std::uint32_t>(random() % positions));
                first.push_back(random() % 2 ? 0 : static_cast<std::uint32_t>(random() % (last[row] + 1)));
            }
            std::vector<float> greatest(rows), weight(rows), values(std::size_t{rows} * padded);
            const AttentionTile tile{rows,          queries.data(), first.data(), last.data(), greatest.data(),
                                     weight.data(), values.data()};
            (bytes ? kernels.attendBytes : kernels.attendHalf)(tile, cache.head, cache.blocks.data(), 0, 1024);
            // The same in two chunks, merged.
            std::vector<float> greatest2(rows), weight2(rows), values2(values.size());
            std::vector<float> greatest1(rows), weight1(rows), values1(values.size());
            const AttentionTile one{rows,           queries.data(), first.data(), last.data(), greatest1.data(),
                                    weight1.data(), values1.data()};
            const AttentionTile two{rows,           queries.data(), first.data(), last.data(), greatest2.data(),
                                    weight2.data(), values2.data()};
            (bytes ? kernels.attendBytes : kernels.attendHalf)(one, cache.head, cache.blocks.data(), 0, 64);
            (bytes ? kernels.attendBytes : kernels.attendHalf)(two, cache.head, cache.blocks.data(), 64, 1024);
            for (std::uint32_t row = 0; row < rows; ++row) {
                const std::vector<double> expected = attention(cache, &queries[row * padded], first[row], last[row]);
                const auto check = [&](const std::vector<float>& sums, float total) {
                    std::vector<float> out(sums.begin() + row * padded, sums.begin() + row * padded + size);
                    for (float& value : out)
                        value /= total;
                    QVERIFY2(worst(out, expected, 1.0) < tolerance,
                             qPrintable(QString::number(worst(out, expected, 1.0))));
                };
                check(values, weight[row]);
                kernels.merge(&greatest1[row], &weight1[row], &values1[row * padded], greatest2[row], weight2[row],
                              &values2[row * padded], padded);
                check(values1, weight1[row]);
            }
        }
    }
}

void TestRowKernels::rowsOfATileDoNotTouchEachOther() {
    QFETCH(Isa, isa);
    const RowKernels& kernels = rowKernels(isa);
    std::mt19937 random(4);
    const Cache cache(64, 200, false, kernels, random);
    const std::uint32_t rows = kernels.attentionRows;
    const std::vector<float> queries = draw(std::size_t{rows} * 64, random);
    std::vector<std::uint32_t> first(rows), last(rows);
    for (std::uint32_t row = 0; row < rows; ++row) {
        last[row] = 10 + row * 15;
        first[row] = row % 3 == 0 ? last[row] - 5 : 0;
    }
    std::vector<float> greatest(rows), weight(rows), values(std::size_t{rows} * 64);
    kernels.attendHalf({rows, queries.data(), first.data(), last.data(), greatest.data(), weight.data(), values.data()},
                       cache.head, cache.blocks.data(), 0, 256);
    for (std::uint32_t row = 0; row < rows; ++row) {
        float ownGreatest = 0;
        float ownWeight = 0;
        std::vector<float> own(64);
        kernels.attendHalf(
            {1, &queries[std::size_t{row} * 64], &first[row], &last[row], &ownGreatest, &ownWeight, own.data()},
            cache.head, cache.blocks.data(), 0, 256);
        QCOMPARE(ownGreatest, greatest[row]);
        QVERIFY(ownWeight == weight[row]); // bit by bit
        QVERIFY(std::equal(own.begin(), own.end(), values.begin() + std::ptrdiff_t{row} * 64));
    }
}

QTEST_APPLESS_MAIN(TestRowKernels)
#include "tst_row_kernels.moc"
