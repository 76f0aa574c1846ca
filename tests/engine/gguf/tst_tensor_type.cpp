#include "engine/gguf/shard_name.h"
#include "engine/gguf/tensor_type.h"
#include "tests/engine/support/random_blocks.h"

#include <QTest>

#include <map>
#include <set>

using namespace decodescope::engine;
using namespace decodescope::engine::test;

class TestTensorType : public QObject {
    Q_OBJECT
private slots:
    void everyIdIsKnownOrNot();
    void bitsPerWeight();
    void supportedAreThoseThatWeDecode();
    void partsOfModels();
};

void TestTensorType::everyIdIsKnownOrNot() {
    const std::set<std::uint32_t> removed{4, 5, 31, 32, 33, 36, 37, 38};
    std::set<std::string_view> names;
    for (std::uint32_t id = 0; id <= 42; ++id) {
        const TensorTypeInfo* const info = tensorTypeInfo(id);
        QCOMPARE(info == nullptr, removed.count(id) == 1);
        if (info != nullptr) {
            QCOMPARE(info->id, id);
            QVERIFY(info->blockElements > 0 && info->blockBytes > 0 && names.insert(info->name).second);
        }
    }
    for (const std::uint32_t id : {43U, 1'000U, 0xFFFFFFFFU})
        QVERIFY(tensorTypeInfo(id) == nullptr);
}

void TestTensorType::bitsPerWeight() {
    const std::map<std::uint32_t, double> bits{
        {0, 32},     {1, 16},      {30, 16},  {2, 4.5},  {3, 5},       {6, 5.5},  {7, 6},     {8, 8.5},   {9, 9},
        {10, 2.625}, {11, 3.4375}, {12, 4.5}, {13, 5.5}, {14, 6.5625}, {20, 4.5}, {23, 4.25}, {39, 4.25}, {40, 4.5}};
    for (const auto& [id, wanted] : bits) {
        const TensorTypeInfo& info = *tensorTypeInfo(id);
        QCOMPARE(8.0 * info.blockBytes / info.blockElements, wanted);
    }
}

void TestTensorType::supportedAreThoseThatWeDecode() {
    std::set<std::uint32_t> decoded;
    for (const TensorType type : supportedTypes())
        decoded.insert(static_cast<std::uint32_t>(type));
    for (std::uint32_t id = 0; id <= 42; ++id)
        if (const TensorTypeInfo* const info = tensorTypeInfo(id))
            QCOMPARE(info->supported, decoded.count(id) == 1);
}

void TestTensorType::partsOfModels() {
    const auto name = ShardName::of("/a/b-00002-of-00015.gguf");
    QVERIFY(name && name->stem == "/a/b" && name->number == 2 && name->count == 15);
    QVERIFY(name->part(15) == "/a/b-00015-of-00015.gguf");
    for (const char* const other :
         {"", "b.gguf", "-00001-of-00002.ggu", "b-0001-of-00002.gguf", "b-0000a-of-00002.gguf", "b-00001-of--0002.gguf",
          "b-00001_of-00002.gguf", "b-+0001-of-00002.gguf"})
        QVERIFY2(!ShardName::of(other), other);
}

QTEST_APPLESS_MAIN(TestTensorType)
#include "tst_tensor_type.moc"
