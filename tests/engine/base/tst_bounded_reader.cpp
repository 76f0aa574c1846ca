#include "engine/base/bounded_reader.h"
#include "engine/base/checked.h"

#include <QTest>

#include <array>
#include <limits>
#include <memory>

using namespace decodescope::engine;

class TestBoundedReader : public QObject {
    Q_OBJECT
private slots:
    void readsLittleEndianInOrder();
    void readsNothingBeyondTheEnd();
    void takesWhatIsThere();
    void arithmeticThatDoesNotFitIsNoResult();
};

void TestBoundedReader::readsLittleEndianInOrder() {
    const std::array<std::byte, 7> bytes{std::byte{1}, std::byte{2},    std::byte{3},   std::byte{4},
                                         std::byte{5}, std::byte{0xFF}, std::byte{0xFF}};
    BoundedReader in(bytes);
    QCOMPARE(in.read<std::uint32_t>().value(), 0x04030201U);
    QCOMPARE(int{in.read<std::uint8_t>().value()}, 5);
    QCOMPARE(int{in.read<std::int16_t>().value()}, -1);
    QCOMPARE(in.left(), std::uint64_t{0});
    QCOMPARE(in.offset(), std::uint64_t{7});
}

void TestBoundedReader::readsNothingBeyondTheEnd() {
    for (std::size_t size = 0; size < 9; ++size) {
        // Exactly as many bytes on the heap, so that a sanitizer sees a read beyond them.
        const auto bytes = std::make_unique<std::byte[]>(size);
        BoundedReader in(std::span<const std::byte>(bytes.get(), size));
        QCOMPARE(in.read<std::uint64_t>().has_value(), size >= 8);
        QCOMPARE(in.offset(), std::uint64_t{size >= 8 ? 8U : 0U});
        QVERIFY(!in.take(in.left() + 1));
        QVERIFY(!in.take(std::numeric_limits<std::uint64_t>::max()));
        QVERIFY(in.take(in.left()));
        QVERIFY(!in.read<std::uint8_t>());
        QVERIFY(in.take(0));
    }
}

void TestBoundedReader::takesWhatIsThere() {
    const std::string text = "abcdef";
    BoundedReader in({reinterpret_cast<const std::byte*>(text.data()), text.size()});
    QVERIFY(asText(in.take(2).value()) == "ab");
    QVERIFY(in.here() == reinterpret_cast<const std::byte*>(text.data()) + 2);
    QVERIFY(asText(in.take(4).value()) == "cdef");
}

void TestBoundedReader::arithmeticThatDoesNotFitIsNoResult() {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    QCOMPARE(checkedAdd(kMost - 1, 1).value(), kMost);
    QVERIFY(!checkedAdd(kMost, 1));
    QCOMPARE(checkedMultiply(1ULL << 32, (1ULL << 32) - 1).value(), kMost - (1ULL << 32) + 1);
    QVERIFY(!checkedMultiply(1ULL << 32, 1ULL << 32));
    QVERIFY(!checkedMultiply((1ULL << 42) + 1, 1ULL << 22));
    QCOMPARE(checkedAlign(0, 32).value(), std::uint64_t{0});
    QCOMPARE(checkedAlign(1, 32).value(), std::uint64_t{32});
    QCOMPARE(checkedAlign(32, 32).value(), std::uint64_t{32});
    QCOMPARE(checkedAlign(kMost - 31, 32).value(), kMost - 31);
    QVERIFY(!checkedAlign(kMost - 30, 32));
}

QTEST_APPLESS_MAIN(TestBoundedReader)
#include "tst_bounded_reader.moc"
