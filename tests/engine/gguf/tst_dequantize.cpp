#include "engine/gguf/dequantize.h"
#include "tests/engine/support/random_blocks.h"

#include <QTest>

#include <bit>
#include <cmath>
#include <cstring>

using namespace decodescope::engine;
using namespace decodescope::engine::test;

namespace {

std::vector<float> decoded(TensorType type, const std::string& blocks, std::size_t elements) {
    std::vector<float> out(elements);
    dequantize(type, reinterpret_cast<const std::byte*>(blocks.data()), out);
    return out;
}

std::string half(float value) {
    const std::uint16_t bits = floatToHalf(value);
    return std::string(reinterpret_cast<const char*>(&bits), sizeof bits);
}

} // namespace

class TestDequantize : public QObject {
    Q_OBJECT
private slots:
    void everyHalfGoesThereAndBack();
    void floatsRoundToTheNearestHalf();
    void fourBitBlocks();
    void fiveBitBlocks();
    void eightBitBlocks();
    void fourBitSuperBlock();
    void fiveBitSuperBlock();
    void sixBitSuperBlock();
    void randomBlocksHaveTheirDeviation();
    void blocksFollowOneAnother();
};

void TestDequantize::everyHalfGoesThereAndBack() {
    for (unsigned bits = 0; bits < 65'536; ++bits) {
        const float value = halfToFloat(static_cast<std::uint16_t>(bits));
        if (std::isnan(value))
            QVERIFY(std::isnan(halfToFloat(floatToHalf(value))));
        else
            QCOMPARE(unsigned{floatToHalf(value)}, bits);
    }
    QCOMPARE(halfToFloat(0x3C00), 1.0F);
    QCOMPARE(halfToFloat(0x0001), 0x1p-24F);
    QCOMPARE(halfToFloat(0x7BFF), 65'504.0F);
    QVERIFY(std::isinf(halfToFloat(0xFC00)) && halfToFloat(0xFC00) < 0);
}

void TestDequantize::floatsRoundToTheNearestHalf() {
    // Between each two neighbours: the middle goes to the even one, a little beside it to the nearer one.
    for (std::uint16_t bits = 0; bits < 0x7BFF; ++bits) {
        const float below = halfToFloat(bits);
        const float above = halfToFloat(static_cast<std::uint16_t>(bits + 1));
        const float middle = (below + above) / 2;
        QCOMPARE(unsigned{floatToHalf(middle)}, bits + (bits & 1U));
        QCOMPARE(unsigned{floatToHalf(std::nextafterf(middle, 0))}, unsigned{bits});
        QCOMPARE(unsigned{floatToHalf(std::nextafterf(middle, 1e9F))}, bits + 1U);
    }
    QCOMPARE(unsigned{floatToHalf(65'519.0F)}, 0x7BFFU);
    QCOMPARE(unsigned{floatToHalf(65'520.0F)}, 0x7C00U);
    QCOMPARE(unsigned{floatToHalf(-1e30F)}, 0xFC00U);
    QCOMPARE(unsigned{floatToHalf(1e-30F)}, 0U);
    QCOMPARE(bfloatToFloat(0xBF80), -1.0F);
}

void TestDequantize::fourBitBlocks() {
    std::string q(16, '\0');
    q[0] = '\x2F'; // element 0: 15, element 16: 2
    q[15] = '\x70';
    const auto q4_0 = decoded(TensorType::q4_0, half(0.5F) + q, 32);
    QCOMPARE(q4_0[0], 0.5F * 7);
    QCOMPARE(q4_0[16], 0.5F * -6);
    QCOMPARE(q4_0[15], 0.5F * -8);
    QCOMPARE(q4_0[31], 0.5F * -1);
    const auto q4_1 = decoded(TensorType::q4_1, half(0.5F) + half(3) + q, 32);
    QCOMPARE(q4_1[0], 0.5F * 15 + 3);
    QCOMPARE(q4_1[16], 0.5F * 2 + 3);
}

void TestDequantize::fiveBitBlocks() {
    std::string q(16, '\0');
    q[1] = '\x43';                                  // element 1: 3, element 17: 4
    const std::string fifth("\x02\x00\x00\x80", 4); // elements 1 and 31
    const auto q5_0 = decoded(TensorType::q5_0, half(2) + fifth + q, 32);
    QCOMPARE(q5_0[1], 2.0F * (3 + 16 - 16));
    QCOMPARE(q5_0[17], 2.0F * (4 - 16));
    QCOMPARE(q5_0[31], 0.0F);
    const auto q5_1 = decoded(TensorType::q5_1, half(2) + half(-1) + fifth + q, 32);
    QCOMPARE(q5_1[1], 2.0F * 19 - 1);
    QCOMPARE(q5_1[31], 2.0F * 16 - 1);
    QCOMPARE(q5_1[0], -1.0F);
}

void TestDequantize::eightBitBlocks() {
    std::string q(32, '\0');
    q[0] = '\x80';
    q[31] = '\x7F';
    const auto q8_0 = decoded(TensorType::q8_0, half(0.25F) + q, 32);
    QCOMPARE(q8_0[0], -32.0F);
    QCOMPARE(q8_0[31], 31.75F);
}

void TestDequantize::fourBitSuperBlock() {
    std::string s(12, '\0');
    s[1] = '\x45'; // scale 1: 5; its upper bits are those of scale 5: 1
    s[5] = '\x83'; // minimum 1: 3; the upper bits of minimum 5: 2
    s[9] = '\x27'; // scale 5: 7 + 16 * 1; minimum 5: 2 + 16 * 2
    std::string q(128, '\0');
    q[3] = '\x90';      // chunk 0, high nibble: element 32 + 3
    q[64 + 4] = '\xA0'; // chunk 2, high nibble: element 160 + 4
    const auto out = decoded(TensorType::q4_k, half(0.5F) + half(0.25F) + s + q, 256);
    QCOMPARE(out[35], 0.5F * 5 * 9 - 0.25F * 3);
    QCOMPARE(out[32], -0.25F * 3);
    QCOMPARE(out[164], 0.5F * 23 * 10 - 0.25F * 34);
    QCOMPARE(out[0], 0.0F);
}

void TestDequantize::fiveBitSuperBlock() {
    std::string s(12, '\0');
    s[0] = '\x01';
    s[1] = '\x01';
    s[2] = '\x01';
    std::string fifth(32, '\0');
    fifth[7] = '\x06'; // sub-blocks 1 and 2, element 7 of each
    std::string q(128, '\0');
    q[7] = '\x21';      // element 7: 1; element 32 + 7: 2
    q[32 + 7] = '\x03'; // element 64 + 7: 3
    const auto out = decoded(TensorType::q5_k, half(1) + half(0) + s + fifth + q, 256);
    QCOMPARE(out[7], 1.0F);
    QCOMPARE(out[39], 18.0F);
    QCOMPARE(out[71], 19.0F);
}

void TestDequantize::sixBitSuperBlock() {
    std::string lows(128, '\0');
    std::string highs(64, '\0');
    std::string scales(16, '\1');
    lows[5] = '\x73';        // half 0: element 5: 3; element 64 + 5: 7
    lows[32 + 5] = '\x0A';   // element 32 + 5: 10
    lows[64 + 20] = '\xF0';  // half 1: element 128 + 64 + 20: 15
    highs[5] = '\x1B';       // upper bits of elements 5, 37, 69, 101: 3, 2, 1, 0
    highs[32 + 20] = '\x20'; // of 128 + 64 + 20: 2
    scales[2] = '\xFE';      // elements 32..47: -2
    scales[8 + 5] = '\x03';  // elements 128 + 80..95: 3
    const auto out = decoded(TensorType::q6_k, lows + highs + scales + half(0.5F), 256);
    QCOMPARE(out[5], 0.5F * (3 + 48 - 32));
    QCOMPARE(out[37], 0.5F * -2 * (10 + 32 - 32));
    QCOMPARE(out[69], 0.5F * (7 + 16 - 32));
    QCOMPARE(out[101], 0.5F * -32);
    QCOMPARE(out[212], 0.5F * 3 * (15 + 32 - 32));
}

void TestDequantize::randomBlocksHaveTheirDeviation() {
    RandomBits random(7);
    for (const TensorType type : supportedTypes()) {
        constexpr std::size_t kElements = 32'768;
        const auto values = decoded(type, randomBlocks(type, kElements, 0.125F, random), kElements);
        double sum = 0;
        double squares = 0;
        for (const float value : values) {
            QVERIFY(std::isfinite(value));
            sum += value;
            squares += double{value} * value;
        }
        const double deviation = std::sqrt(squares / kElements);
        const std::string name(tensorTypeInfo(type).name);
        QVERIFY2(deviation > 0.08 && deviation < 0.2, (name + " " + std::to_string(deviation)).c_str());
        QVERIFY2(std::abs(sum / kElements) < 0.02, (name + " " + std::to_string(sum / kElements)).c_str());
    }
}

void TestDequantize::blocksFollowOneAnother() {
    RandomBits random(9);
    for (const TensorType type : supportedTypes()) {
        const TensorTypeInfo& info = tensorTypeInfo(type);
        const std::string blocks = wildBlocks(type, 3 * info.blockElements, random);
        const auto all = decoded(type, blocks, 3 * info.blockElements);
        for (std::size_t block = 0; block < 3; ++block) {
            const auto one = decoded(type, blocks.substr(block * info.blockBytes), info.blockElements);
            QVERIFY(std::memcmp(one.data(), all.data() + block * info.blockElements, one.size() * sizeof(float)) == 0);
        }
    }
}

QTEST_APPLESS_MAIN(TestDequantize)
#include "tst_dequantize.moc"
