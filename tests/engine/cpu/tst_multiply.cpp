// The kernels of every instruction set that this processor has, over every kind of plane, against the oracle's row
// times the inputs as they were quantised, in double precision.
#include "engine/cpu/multiply.h"
#include "engine/gguf/dequantize.h"
#include "tests/engine/cpu/isas_here.h"
#include "tests/engine/cpu/made_tensor.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <random>
#include <vector>

using namespace decodescope::engine;
using decodescope::engine::test::isasHere;
using decodescope::engine::test::kPlaneTypes;
using decodescope::engine::test::MadeTensor;
using decodescope::engine::test::Scales;

namespace {

constexpr float kUntouched = -12345.0F;

struct AlignedDelete {
    void operator()(std::byte* bytes) const { ::operator delete (bytes, std::align_val_t{64}); }
};

struct Packed {
    Plane plane;
    std::unique_ptr<std::byte, AlignedDelete> bytes;
};

Packed pack(const TensorView& tensor, Isa isa) {
    Packed packed;
    packed.plane = describePlane(tensor, isa).value();
    packed.bytes.reset(static_cast<std::byte*>(::operator new (packed.plane.bytes(), std::align_val_t{64})));
    packPlane(tensor, packed.plane, packed.bytes.get(), 0, packed.plane.groups);
    packed.plane.data = packed.bytes.get();
    return packed;
}

ActivationRows drawRows(std::uint32_t rows, std::uint32_t cols, std::uint32_t seed) {
    std::mt19937 draw(seed);
    std::normal_distribution<float> normal;
    ActivationRows x;
    x.shape(rows, cols);
    for (std::uint32_t row = 0; row < rows; ++row)
        for (float& value : x.row(row))
            value = normal(draw) * (1.0F + 10.0F * static_cast<float>(draw() % 50 == 0));
    return x;
}

/// Whole numbers whose largest is 127 in every block: quantised without loss.
ActivationRows drawWholeRows(std::uint32_t rows, std::uint32_t cols, std::uint32_t seed) {
    std::mt19937 draw(seed);
    ActivationRows x;
    x.shape(rows, cols);
    for (std::uint32_t row = 0; row < rows; ++row)
        for (std::uint32_t col = 0; col < cols; ++col)
            x.row(row)[col] = col % 32 == 5 ? 127.0F : static_cast<float>(static_cast<int>(draw() % 255) - 127);
    return x;
}

/// The inputs that a plane's kernel works with.
double inputAt(const ActivationRows& x, PlaneKind kind, std::uint32_t row, std::uint32_t col) {
    if (!readsQuants(kind))
        return x.values[row * x.stride + col];
    const std::uint32_t first = row - row % kTileRows;
    const ActivationBlock& block = x.tile(first)[col / 32 * x.tileHeight(first) + (row - first)];
    return double{block.scale} * block.quants[col % 32];
}

std::vector<float> run(const Plane& plane, const ActivationRows& x, std::size_t yStride) {
    std::vector<float> y(x.rows * yStride, kUntouched);
    multiply(plane, x, 0, plane.groups, y.data(), yStride);
    return y;
}

} // namespace

class TestMultiply : public QObject {
    Q_OBJECT
private slots:
    void agreesWithTheOracle_data();
    void agreesWithTheOracle();
    void allInstructionSetsAgreeExactly_data() { types(); }
    void allInstructionSetsAgreeExactly();
    void rangesOfGroupsMakeUpTheWhole_data() { types(); }
    void rangesOfGroupsMakeUpTheWhole();
    void rowsDoNotDependOnTheirNumber_data() { types(); }
    void rowsDoNotDependOnTheirNumber();
    void strangeScalesReachOnlyTheirRow_data() { types(); }
    void strangeScalesReachOnlyTheirRow();

private:
    static void types() {
        QTest::addColumn<quint32>("typeId");
        for (const TensorType type : kPlaneTypes)
            QTest::newRow(tensorTypeInfo(type).name.data()) << static_cast<quint32>(type);
    }
};

void TestMultiply::agreesWithTheOracle_data() {
    QTest::addColumn<quint32>("typeId");
    QTest::addColumn<quint32>("isaId");
    for (const Isa isa : isasHere())
        for (const TensorType type : kPlaneTypes)
            QTest::addRow("%s %s", tensorTypeInfo(type).name.data(), toString(isa).data())
                << static_cast<quint32>(type) << static_cast<quint32>(isa);
}

void TestMultiply::agreesWithTheOracle() {
    QFETCH(quint32, typeId);
    QFETCH(quint32, isaId);
    const auto type = static_cast<TensorType>(typeId);
    const std::uint32_t unit = std::max(tensorTypeInfo(type).blockElements, 1U);
    std::uint32_t seed = 1;
    for (const std::uint32_t rows : {1, 2, 3, 4, 5, 6, 7, 8, 9, 17, 33}) {
        for (const std::uint32_t outputs : {1U, 16U, 37U, 88U}) {
            const std::uint32_t inputs = unit == 1 ? 75 + outputs : unit * (1 + (outputs + rows) % (512 / unit));
            const MadeTensor tensor(type, inputs, outputs, ++seed);
            const Packed packed = pack(tensor.view, static_cast<Isa>(isaId));
            ActivationRows x = drawRows(rows, inputs, ++seed);
            quantizeRows(packed.plane.isa, x, 0, rows);
            const std::size_t yStride = outputs + 3;
            const std::vector<float> y = run(packed.plane, x, yStride);
            for (std::uint32_t output = 0; output < outputs; ++output) {
                const std::vector<float> weights = tensor.row(output);
                for (std::uint32_t row = 0; row < rows; ++row) {
                    double expected = 0;
                    double magnitude = 0;
                    for (std::uint32_t col = 0; col < inputs; ++col) {
                        const double product = weights[col] * inputAt(x, packed.plane.kind, row, col);
                        expected += product;
                        magnitude += std::abs(product);
                    }
                    const double got = y[row * yStride + output];
                    // Minima are applied to the sum of a block: their products may cancel within it.
                    if (std::abs(got - expected) > 4e-6 * magnitude + 1e-5)
                        QFAIL(qPrintable(QString("%1 x %2, %3 rows: row %4 output %5 is %6, not %7")
                                             .arg(inputs)
                                             .arg(outputs)
                                             .arg(rows)
                                             .arg(row)
                                             .arg(output)
                                             .arg(got)
                                             .arg(expected)));
                }
            }
            for (std::uint32_t row = 0; row < rows; ++row)
                for (std::size_t i = outputs; i < yStride; ++i)
                    QCOMPARE(y[row * yStride + i], kUntouched);
        }
    }
}

void TestMultiply::allInstructionSetsAgreeExactly() {
    QFETCH(quint32, typeId);
    const auto type = static_cast<TensorType>(typeId);
    constexpr std::uint32_t kInputs = 256;
    constexpr std::uint32_t kOutputs = 45;
    const MadeTensor tensor(type, kInputs, kOutputs, 99, Scales::powersOfTwo);
    for (const std::uint32_t rows : {1U, 5U, 8U, 11U}) {
        std::vector<float> first;
        for (const Isa isa : isasHere()) {
            const Packed packed = pack(tensor.view, isa);
            ActivationRows x = drawWholeRows(rows, kInputs, rows);
            quantizeRows(isa, x, 0, rows);
            const std::vector<float> y = run(packed.plane, x, kOutputs);
            if (first.empty())
                first = y;
            QVERIFY2(y == first, qPrintable(QString("%1 rows, %2").arg(rows).arg(toString(isa).data())));
        }
        double largest = 0;
        for (const float value : first)
            largest = std::max(largest, std::abs(double{value}));
        QVERIFY(largest > 1000); // the products did not vanish
    }
}

void TestMultiply::rangesOfGroupsMakeUpTheWhole() {
    QFETCH(quint32, typeId);
    const MadeTensor tensor(static_cast<TensorType>(typeId), 256, 150, 5);
    for (const Isa isa : isasHere()) {
        const Packed packed = pack(tensor.view, isa);
        for (const std::uint32_t rows : {1U, 12U}) {
            ActivationRows x = drawRows(rows, 256, 6);
            quantizeRows(isa, x, 0, rows);
            const std::vector<float> whole = run(packed.plane, x, 150);
            std::vector<float> parts(whole.size(), kUntouched);
            const std::uint32_t cuts[] = {0, 1, 1, 4, packed.plane.groups};
            for (std::size_t i = 0; i + 1 < std::size(cuts); ++i)
                multiply(packed.plane, x, cuts[i], cuts[i + 1], parts.data(), 150);
            QVERIFY2(parts == whole, toString(isa).data());
        }
    }
}

void TestMultiply::rowsDoNotDependOnTheirNumber() {
    // A batch of requests and each alone may add in another order, but not by more than rounding.
    QFETCH(quint32, typeId);
    const MadeTensor tensor(static_cast<TensorType>(typeId), 512, 20, 7);
    for (const Isa isa : isasHere()) {
        const Packed packed = pack(tensor.view, isa);
        ActivationRows many = drawRows(19, 512, 8);
        quantizeRows(isa, many, 0, 7);
        quantizeRows(isa, many, 7, 19);
        const std::vector<float> together = run(packed.plane, many, 20);
        for (std::uint32_t row = 0; row < 19; ++row) {
            ActivationRows one;
            one.shape(3, 512);
            one.rows = 1;
            std::ranges::copy(many.row(row), one.row(0).begin());
            quantizeRows(isa, one, 0, 1);
            const std::vector<float> alone = run(packed.plane, one, 20);
            for (std::size_t i = 0; i < 20; ++i)
                QVERIFY2(std::abs(alone[i] - together[row * 20 + i]) < 2e-5F * (1 + std::abs(alone[i])),
                         toString(isa).data());
        }
    }
}

void TestMultiply::strangeScalesReachOnlyTheirRow() {
    QFETCH(quint32, typeId);
    const auto type = static_cast<TensorType>(typeId);
    constexpr std::uint32_t kOutputs = 20;
    for (const std::uint16_t half : {0x7E00, 0x7C00, 0xFC00, 0x0001}) { // NaN, infinities, the smallest number
        MadeTensor tensor(type, 256, kOutputs, 11);
        tensor.setScale(3, 0, half);
        for (const Isa isa : isasHere()) {
            const Packed packed = pack(tensor.view, isa);
            ActivationRows x = drawRows(2, 256, 12);
            quantizeRows(isa, x, 0, 2);
            const std::vector<float> y = run(packed.plane, x, kOutputs);
            for (std::size_t i = 0; i < y.size(); ++i)
                if (i % kOutputs != 3)
                    QVERIFY2(std::isfinite(y[i]), toString(isa).data());
        }
    }
}

QTEST_APPLESS_MAIN(TestMultiply)
#include "tst_multiply.moc"
