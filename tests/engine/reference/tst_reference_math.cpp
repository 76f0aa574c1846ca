#include "engine/gguf/dequantize.h"
#include "engine/reference/reference_math.h"
#include "tests/engine/support/random_blocks.h"

#include <QTest>

#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

using namespace decodescope::engine;
using namespace decodescope::engine::test;

namespace {

std::vector<float> random(std::size_t count, std::uint64_t seed) {
    RandomBits bits(seed);
    return randomFloats(count, 0, 1, bits);
}

double exactDot(std::span<const float> a, std::span<const float> b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0, std::plus{},
                              [](float x, float y) { return double{x} * y; });
}

/// A tensor over bytes that the test keeps.
TensorView viewOf(const std::string& bytes, TensorType type, std::uint64_t inputs, std::uint64_t outputs = 1) {
    TensorView view;
    view.typeId = static_cast<std::uint32_t>(type);
    view.shape = {inputs, outputs, 1, 1};
    view.dimensions = 2;
    view.data = reinterpret_cast<const std::byte*>(bytes.data());
    view.bytes = bytes.size();
    return view;
}

std::string bytesOf(const std::vector<float>& values) {
    return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

bool near(double a, double b, double tolerance) {
    return std::abs(a - b) <= tolerance * (1 + std::abs(b));
}

} // namespace

class TestReferenceMath : public QObject {
    Q_OBJECT
private slots:
    void dotOfEveryLength();
    void normAgainstItsFormula();
    void linearOfEveryType();
    void rowsDoNotInfluenceOneAnother();
    void ropeOfAdjacentPairs();
    void ropeOfHalves();
    void ropeOfAPart();
    void ropeScalesAndFactors();
    void ropeTellsDistanceAlone();
    void softmaxOfAnySize();
    void activations();
};

void TestReferenceMath::dotOfEveryLength() {
    for (std::size_t length = 0; length < 70; ++length) {
        const auto a = random(length, 1);
        const auto b = random(length, 2);
        QVERIFY(near(dot(a, b), exactDot(a, b), 1e-6));
    }
}

void TestReferenceMath::normAgainstItsFormula() {
    constexpr std::size_t kWidth = 24;
    const auto weights = random(kWidth, 3);
    const std::string bytes = bytesOf(weights);
    const TensorView weight = viewOf(bytes, TensorType::f32, kWidth);
    const RmsNorm norm{&weight, 1e-3F};
    auto rows = random(3 * kWidth, 4);
    for (std::size_t i = 0; i < kWidth; ++i)
        rows[kWidth + i] *= 1e-3F; // small enough for epsilon to matter
    std::vector<float> out(rows.size());
    applyNorm(norm, rows, out);
    for (std::size_t row = 0; row < 3; ++row) {
        const std::span<const float> x = std::span(rows).subspan(row * kWidth, kWidth);
        const double root = std::sqrt(exactDot(x, x) / kWidth + 1e-3F);
        for (std::size_t i = 0; i < kWidth; ++i)
            QVERIFY(near(out[row * kWidth + i], x[i] / root * weights[i], 1e-6));
    }
    auto inPlace = rows;
    applyNorm(norm, inPlace, inPlace);
    QVERIFY(inPlace == out);
    applyNorm(RmsNorm{}, rows, out);
    QVERIFY(out == rows);
}

void TestReferenceMath::linearOfEveryType() {
    for (const TensorType type : supportedTypes()) {
        constexpr std::size_t kInputs = 512;
        constexpr std::size_t kOutputs = 5;
        RandomBits bits(5);
        const std::string blocks = randomBlocks(type, kInputs * kOutputs, 0.05F, bits);
        const TensorView weight = viewOf(blocks, type, kInputs, kOutputs);
        std::vector<float> decoded(kInputs * kOutputs);
        dequantize(type, weight.data, decoded);
        const auto biases = random(kOutputs, 6);
        const std::string biasBytes = bytesOf(biases);
        const TensorView bias = viewOf(biasBytes, TensorType::f32, kOutputs);
        const auto in = random(2 * kInputs, 7);
        std::vector<float> out(2 * kOutputs);
        std::vector<float> unbiased(2 * kOutputs);
        applyLinear({&weight, &bias}, in, out);
        applyLinear({&weight, nullptr}, in, unbiased);
        for (std::size_t row = 0; row < 2; ++row)
            for (std::size_t o = 0; o < kOutputs; ++o) {
                const double exact = exactDot(std::span(in).subspan(row * kInputs, kInputs),
                                              std::span(decoded).subspan(o * kInputs, kInputs));
                QVERIFY(near(unbiased[row * kOutputs + o], exact, 1e-5));
                QVERIFY(near(out[row * kOutputs + o], exact + biases[o], 1e-5));
            }
    }
}

void TestReferenceMath::rowsDoNotInfluenceOneAnother() {
    const auto weights = random(48 * 6, 8);
    const std::string bytes = bytesOf(weights);
    const TensorView weight = viewOf(bytes, TensorType::f32, 48, 6);
    const auto in = random(48 * 4, 9);
    std::vector<float> together(6 * 4);
    applyLinear({&weight, nullptr}, in, together);
    for (std::size_t row = 0; row < 4; ++row) {
        std::vector<float> alone(6);
        applyLinear({&weight, nullptr}, std::span(in).subspan(row * 48, 48), alone);
        QVERIFY(std::equal(alone.begin(), alone.end(), together.begin() + static_cast<std::ptrdiff_t>(row * 6)));
    }
}

/// As complex numbers: a pair is one, its rotation a product.
void TestReferenceMath::ropeOfAdjacentPairs() {
    const Rope rope{RopeStyle::adjacent, 8, 500.0F, 1.0F, nullptr};
    for (const std::uint32_t position : {0U, 1U, 7U, 4095U, 131'071U}) {
        const auto head = random(8, 10);
        auto turned = head;
        applyRope(rope, position, turned);
        for (std::size_t i = 0; i < 4; ++i) {
            const std::complex<double> pair(head[2 * i], head[2 * i + 1]);
            const auto expected = pair * std::polar(1.0, position * std::pow(500.0, -2.0 * double(i) / 8));
            QVERIFY(near(turned[2 * i], expected.real(), 1e-6));
            QVERIFY(near(turned[2 * i + 1], expected.imag(), 1e-6));
        }
        if (position == 0)
            QVERIFY(turned == head);
    }
}

void TestReferenceMath::ropeOfHalves() {
    const Rope halves{RopeStyle::halves, 8, 10000.0F, 1.0F, nullptr};
    const Rope adjacent{RopeStyle::adjacent, 8, 10000.0F, 1.0F, nullptr};
    const auto head = random(8, 11);
    auto turned = head;
    applyRope(halves, 19, turned);
    // The same rotation as of adjacent pairs, but for the order of elements.
    std::vector<float> reordered(8);
    for (std::size_t i = 0; i < 4; ++i) {
        reordered[2 * i] = head[i];
        reordered[2 * i + 1] = head[4 + i];
    }
    applyRope(adjacent, 19, reordered);
    for (std::size_t i = 0; i < 4; ++i) {
        QCOMPARE(turned[i], reordered[2 * i]);
        QCOMPARE(turned[4 + i], reordered[2 * i + 1]);
    }
    QVERIFY(near(turned[0], head[0] * std::cos(19.0) - head[4] * std::sin(19.0), 1e-6));
}

void TestReferenceMath::ropeOfAPart() {
    for (const RopeStyle style : {RopeStyle::adjacent, RopeStyle::halves}) {
        const Rope rope{style, 4, 10000.0F, 1.0F, nullptr};
        const auto head = random(10, 12);
        auto turned = head;
        applyRope(rope, 3, turned);
        for (std::size_t i = 0; i < 4; ++i)
            QVERIFY(turned[i] != head[i]);
        for (std::size_t i = 4; i < 10; ++i)
            QCOMPARE(turned[i], head[i]);
    }
    auto untouched = random(10, 12);
    applyRope(Rope{RopeStyle::none, 10, 10000.0F, 1.0F, nullptr}, 3, untouched);
    QVERIFY(untouched == random(10, 12));
}

void TestReferenceMath::ropeScalesAndFactors() {
    const auto head = random(4, 13);
    const auto turn = [&](Rope rope, std::uint32_t position) {
        auto out = head;
        applyRope(rope, position, out);
        return out;
    };
    const Rope plain{RopeStyle::adjacent, 4, 100.0F, 1.0F, nullptr};
    Rope slower = plain;
    slower.frequencyScale = 0.25F;
    QVERIFY(turn(slower, 12) == turn(plain, 3));

    // A factor slows its own pair alone.
    const std::string bytes = bytesOf({1.0F, 4.0F});
    const TensorView factors = viewOf(bytes, TensorType::f32, 2);
    Rope factored = plain;
    factored.factors = &factors;
    const auto out = turn(factored, 12);
    QCOMPARE(out[0], turn(plain, 12)[0]);
    QCOMPARE(out[2], turn(plain, 3)[2]);
    QCOMPARE(out[3], turn(plain, 3)[3]);
}

void TestReferenceMath::ropeTellsDistanceAlone() {
    for (const RopeStyle style : {RopeStyle::adjacent, RopeStyle::halves}) {
        const Rope rope{style, 16, 10000.0F, 1.0F, nullptr};
        const auto score = [&](std::uint32_t queryPosition, std::uint32_t keyPosition) {
            auto query = random(16, 14);
            auto key = random(16, 15);
            applyRope(rope, queryPosition, query);
            applyRope(rope, keyPosition, key);
            return dot(query, key);
        };
        QVERIFY(near(score(10, 3), score(1007, 1000), 1e-5));
        QVERIFY(!near(score(10, 3), score(10, 4), 1e-3));
    }
}

void TestReferenceMath::softmaxOfAnySize() {
    std::vector<float> one{-1e30F};
    softmax(one);
    QCOMPARE(one[0], 1.0F);

    std::vector<float> large{1000.0F, 1001.0F, -1000.0F};
    softmax(large);
    QVERIFY(near(large[0], 1 / (1 + std::exp(1.0)), 1e-6));
    QVERIFY(near(large[1], 1 / (1 + std::exp(-1.0)), 1e-6));
    QCOMPARE(large[2], 0.0F);

    std::vector<float> shifted{1.0F, 2.0F, 3.0F};
    std::vector<float> plain{0.0F, 1.0F, 2.0F};
    softmax(shifted);
    softmax(plain);
    QVERIFY(shifted == plain);

    std::vector<float> many(10'000, std::numeric_limits<float>::max());
    softmax(many);
    QVERIFY(near(std::accumulate(many.begin(), many.end(), 0.0), 1, 1e-6));
    QCOMPARE(many.front(), 1e-4F);
}

void TestReferenceMath::activations() {
    for (const float x : {-5.0F, -1.0F, -0.1F, 0.0F, 0.3F, 2.0F, 9.0F}) {
        QVERIFY(near(activate(Activation::silu, x), x / (1 + std::exp(-double{x})), 1e-6));
        // The tanh form stays within 5e-4 of the error function that it stands for.
        const double gelu = 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
        QVERIFY(std::abs(activate(Activation::geluTanh, x) - gelu) < 5e-4);
    }
    QVERIFY(near(activate(Activation::geluTanh, 1), 0.841191990608, 1e-6)); // and is not it (0.8413447)
    QVERIFY(activate(Activation::silu, -200) == 0 && activate(Activation::silu, 200) == 200);
    QVERIFY(activate(Activation::geluTanh, -200) == 0 && activate(Activation::geluTanh, 200) == 200);
}

QTEST_GUILESS_MAIN(TestReferenceMath)
#include "tst_reference_math.moc"
