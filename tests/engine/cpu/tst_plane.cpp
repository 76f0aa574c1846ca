// What planes are refused, how large they are, and that packing may be divided and stays within its bytes.
#include "engine/cpu/plane.h"
#include "tests/engine/cpu/made_tensor.h"

#include <QTest>

#include <algorithm>
#include <string>
#include <vector>

using namespace decodescope::engine;
using decodescope::engine::test::kPlaneTypes;
using decodescope::engine::test::MadeTensor;

namespace {

constexpr Isa kIsas[] = {Isa::scalar, Isa::avx2, Isa::avx512};
constexpr std::byte kGuard{0xA5};

/// The plane's bytes with some more behind, all of one value before packing.
std::vector<std::byte> guarded(const Plane& plane) {
    return std::vector<std::byte>(plane.bytes() + 256, kGuard);
}

} // namespace

class TestPlane : public QObject {
    Q_OBJECT
private slots:
    void sizesStayNearTheTensors();
    void groupsAreWholeCacheLines();
    void partsPackWhatTheWholePacks();
    void packingStaysWithinItsGroups();
    void expertsAreRows();
    void unknownTypesAreNamed();
    void shapesThatContradictTheBytesAreRefused();
};

void TestPlane::sizesStayNearTheTensors() {
    for (const Isa isa : kIsas) {
        for (const TensorType type : kPlaneTypes) {
            const MadeTensor tensor(type, 2048, 64, 1);
            const Plane plane = describePlane(tensor.view, isa).value();
            QVERIFY(plane.bytes() >= tensor.view.bytes);
            QVERIFY2(plane.bytes() <= tensor.view.bytes * 103 / 100, tensorTypeInfo(type).name.data());
        }
    }
}

void TestPlane::groupsAreWholeCacheLines() {
    for (const Isa isa : kIsas) {
        for (const TensorType type : kPlaneTypes) {
            const std::uint32_t unit = tensorTypeInfo(type).blockElements;
            const MadeTensor tensor(type, unit == 1 ? 7 : 3 * unit, 35, 1);
            const Plane plane = describePlane(tensor.view, isa).value();
            QVERIFY(plane.groupBytes > 0);
            QCOMPARE(plane.groupBytes % 64, std::size_t{0});
            QCOMPARE(plane.groups, 35 / rowsPerGroup(isa) + 1);
            QCOMPARE(plane.rows, 35U);
            QVERIFY(plane.data == nullptr);
        }
    }
}

void TestPlane::partsPackWhatTheWholePacks() {
    for (const Isa isa : kIsas) {
        for (const TensorType type : kPlaneTypes) {
            const MadeTensor tensor(type, 256, 75, 2);
            const Plane plane = describePlane(tensor.view, isa).value();
            std::vector<std::byte> whole = guarded(plane);
            std::vector<std::byte> parts = guarded(plane);
            std::ranges::fill(parts, std::byte{0x5A}); // nothing may depend on what was there
            packPlane(tensor.view, plane, whole.data(), 0, plane.groups);
            packPlane(tensor.view, plane, parts.data(), 2, plane.groups);
            packPlane(tensor.view, plane, parts.data(), 0, 1);
            packPlane(tensor.view, plane, parts.data(), 1, 2);
            QVERIFY(
                std::equal(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(plane.bytes()), parts.begin()));
            QVERIFY(std::all_of(whole.begin() + static_cast<std::ptrdiff_t>(plane.bytes()), whole.end(),
                                [](std::byte byte) { return byte == kGuard; }));
        }
    }
}

void TestPlane::packingStaysWithinItsGroups() {
    for (const Isa isa : kIsas) {
        for (const TensorType type : kPlaneTypes) {
            const MadeTensor tensor(type, 256, 48, 3);
            const Plane plane = describePlane(tensor.view, isa).value();
            std::vector<std::byte> bytes = guarded(plane);
            packPlane(tensor.view, plane, bytes.data(), 1, 2);
            for (std::size_t i = 0; i < bytes.size(); ++i)
                if (i < plane.groupBytes || i >= 2 * plane.groupBytes)
                    QVERIFY(bytes[i] == kGuard);
        }
    }
}

void TestPlane::expertsAreRows() {
    MadeTensor tensor(TensorType::q4_0, 64, 60, 4);
    tensor.view.shape = {64, 20, 3, 1};
    tensor.view.dimensions = 3;
    QCOMPARE(describePlane(tensor.view, Isa::scalar).value().rows, 60U);
}

void TestPlane::unknownTypesAreNamed() {
    MadeTensor tensor(TensorType::q4_0, 64, 4, 5);
    for (const auto& [typeId, name] : {std::pair<std::uint32_t, std::string>{20, "IQ4_NL"}, {12345, "12345"}}) {
        tensor.view.typeId = typeId;
        const auto plane = describePlane(tensor.view, Isa::scalar);
        QVERIFY(!plane.has_value());
        QVERIFY(plane.error().code == ErrorCode::unsupported);
        QVERIFY(plane.error().message.find(name) != std::string::npos);
        QVERIFY(plane.error().message.find("blk.0.ffn_up.weight") != std::string::npos);
    }
}

void TestPlane::shapesThatContradictTheBytesAreRefused() {
    using Shape = std::array<std::uint64_t, 4>;
    for (const Shape& shape : {Shape{0, 4, 1, 1}, Shape{64, 0, 1, 1}, Shape{48, 4, 1, 1}, Shape{64, 5, 1, 1},
                               Shape{std::uint64_t{1} << 40, 4, 1, 1}, Shape{64, std::uint64_t{1} << 40, 1, 1}}) {
        MadeTensor tensor(TensorType::q4_0, 64, 4, 6);
        tensor.view.shape = shape;
        const auto plane = describePlane(tensor.view, Isa::avx512);
        QVERIFY(!plane.has_value());
        QVERIFY(plane.error().code == ErrorCode::malformed);
    }
}

QTEST_APPLESS_MAIN(TestPlane)
#include "tst_plane.moc"
