#include "engine/gguf/gguf_file.h"
#include "tests/engine/support/random_blocks.h"
#include "tests/engine/support/tiny_model.h"

#include <QTemporaryDir>
#include <QTest>

#include <cstring>

using namespace decodescope::engine;
using namespace decodescope::engine::test;

class TestGgufFile : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::string path(const char* name) const { return m_folder.filePath(name).toStdString(); }
    Result<std::unique_ptr<GgufFile>> opened(const GgufWriter& writer, const char* name = "model.gguf") const {
        return writer.write(path(name)) ? GgufFile::open(path(name)) : fail(ErrorCode::disk, "not written");
    }

private slots:
    void readsEveryValueType();
    void getterOfAnotherTypeIsEmpty();
    void readsTensorsWhereTheyLie();
    void readsVersionTwoAndOtherAlignments();
    void opensEveryArchitectureAndType();
    void readsShards();
    void refusesShardsThatDoNotBelong();
    void showsUnknownTypes();
    void saysWhatCannotBeOpened();
};

void TestGgufFile::readsEveryValueType() {
    GgufWriter writer;
    writer.value("u8", ValueType::u8, rawBytes<std::uint8_t>(200));
    writer.value("i8", ValueType::i8, rawBytes<std::int8_t>(-100));
    writer.value("u16", ValueType::u16, rawBytes<std::uint16_t>(60'000));
    writer.value("i16", ValueType::i16, rawBytes<std::int16_t>(1'234));
    writer.u32("u32", 4'000'000'000U);
    writer.i32("i32", 77);
    writer.u64("u64", 1ULL << 63);
    writer.value("i64", ValueType::i64, rawBytes<std::int64_t>(1LL << 40));
    writer.f32("f32", 0.5F);
    writer.f64("f64", 0.1);
    writer.flag("yes", true);
    writer.text("text", "h\xC3\xA9");
    writer.texts("texts", {"one", "", "three"});
    writer.f32s("f32s", {1, 2.5F});
    writer.i32s("i32s", {-1, 2});
    writer.array("bools", ValueType::boolean, 2, std::string("\1\0", 2));
    writer.array("f64s", ValueType::f64, 1, rawBytes(2.25));
    const auto file = opened(writer);
    QVERIFY2(file.has_value(), file ? "" : file.error().message.c_str());
    const GgufFile& f = **file;
    QCOMPARE(f.unsignedInteger("u8").value(), std::uint64_t{200});
    QVERIFY(!f.unsignedInteger("i8"));
    QCOMPARE(f.real("i8").value(), -100.0);
    QCOMPARE(f.unsignedInteger("u16").value(), std::uint64_t{60'000});
    QCOMPARE(f.unsignedInteger("i16").value(), std::uint64_t{1'234});
    QCOMPARE(f.unsignedInteger("u32").value(), std::uint64_t{4'000'000'000});
    QCOMPARE(f.unsignedInteger("i32").value(), std::uint64_t{77});
    QCOMPARE(f.unsignedInteger("u64").value(), std::uint64_t{1} << 63);
    QCOMPARE(f.unsignedInteger("i64").value(), std::uint64_t{1} << 40);
    QCOMPARE(f.real("f32").value(), 0.5);
    QCOMPARE(f.real("f64").value(), 0.1);
    QCOMPARE(f.flag("yes").value(), true);
    QVERIFY(f.text("text").value() == "h\xC3\xA9");
    QVERIFY((f.texts("texts").value() == std::vector<std::string_view>{"one", "", "three"}));
    QVERIFY((f.reals("f32s").value() == std::vector<float>{1, 2.5F}));
    QVERIFY((f.reals("f64s").value() == std::vector<float>{2.25F}));
    QVERIFY((f.integers("i32s").value() == std::vector<std::int64_t>{-1, 2}));
    QVERIFY((f.integers("bools").value() == std::vector<std::int64_t>{1, 0}));
    QCOMPARE(f.arraySize("texts").value(), std::uint64_t{3});
    QCOMPARE(f.keys().size(), std::size_t{17});
    QVERIFY(f.keys().front() == "u8");
}

void TestGgufFile::getterOfAnotherTypeIsEmpty() {
    GgufWriter writer;
    writer.text("text", "7");
    writer.u32("number", 7);
    writer.f32("real", 7);
    writer.f32s("reals", {7});
    writer.texts("texts", {"7"});
    const auto file = opened(writer);
    QVERIFY(file.has_value());
    const GgufFile& f = **file;
    QVERIFY(!f.unsignedInteger("text") && !f.real("text") && !f.flag("text") && !f.arraySize("text"));
    QVERIFY(!f.unsignedInteger("real"));
    QVERIFY(!f.text("number") && !f.flag("number"));
    QVERIFY(!f.texts("reals") && !f.integers("reals") && !f.reals("texts") && !f.integers("texts"));
    QVERIFY(!f.has("absent") && !f.unsignedInteger("absent") && !f.texts("absent"));
}

void TestGgufFile::readsTensorsWhereTheyLie() {
    GgufWriter writer;
    writer.tensor("b", {3, 2}, {1, 2, 3, 4, 5, 6});
    writer.tensor("a", TensorType::q4_0, {64, 2, 3}, std::string(18 * 12, 'x'));
    const auto file = opened(writer);
    QVERIFY(file.has_value());
    const TensorView* const b = (*file)->tensor("b");
    const TensorView* const a = (*file)->tensor("a");
    QVERIFY(a != nullptr && b != nullptr && (*file)->tensor("c") == nullptr);
    QVERIFY((*file)->tensors()[0].name == "b");
    QCOMPARE(b->rows(), std::uint64_t{2});
    QCOMPARE(b->rowBytes(), std::uint64_t{12});
    QCOMPARE(b->bytes, std::uint64_t{24});
    float last = 0;
    std::memcpy(&last, b->data + 20, sizeof last);
    QCOMPARE(last, 6.0F);
    QCOMPARE(a->elements(), std::uint64_t{384});
    QCOMPARE(a->rowBytes(), std::uint64_t{36});
    QVERIFY(a->type() == TensorType::q4_0 && a->dimensions == 3);
    QVERIFY(std::to_integer<char>(a->data[a->bytes - 1]) == 'x');
}

void TestGgufFile::readsVersionTwoAndOtherAlignments() {
    for (const std::uint32_t alignment : {8U, 32U, 4'096U, 65'536U}) {
        GgufWriter writer(2);
        writer.setAlignment(alignment);
        writer.tensor("one", {1}, {1});
        writer.tensor("two", {1}, {2});
        const auto file = opened(writer);
        QVERIFY2(file.has_value(), file ? "" : file.error().message.c_str());
        QCOMPARE((*file)->version(), 2U);
        float value = 0;
        std::memcpy(&value, (*file)->tensor("two")->data, sizeof value);
        QCOMPARE(value, 2.0F);
    }
}

void TestGgufFile::opensEveryArchitectureAndType() {
    for (const char* const architecture : {"llama", "qwen2", "qwen3", "gemma3"}) {
        for (const TensorType type : supportedTypes()) {
            const auto file = opened(TinyModel::of(architecture, type).writer());
            QVERIFY2(file.has_value(), file ? "" : file.error().message.c_str());
            const TensorView* const q = (*file)->tensor("blk.1.attn_q.weight");
            QVERIFY(q != nullptr && q->type() == type);
            QVERIFY((*file)->text("general.architecture").value() == architecture);
        }
    }
}

void TestGgufFile::readsShards() {
    GgufWriter first;
    first.text("general.name", "whole");
    first.value("split.no", ValueType::u16, rawBytes<std::uint16_t>(0));
    first.value("split.count", ValueType::u16, rawBytes<std::uint16_t>(2));
    first.i32("split.tensors.count", 2);
    first.tensor("one", {1}, {1});
    GgufWriter second;
    second.value("split.no", ValueType::u16, rawBytes<std::uint16_t>(1));
    second.value("split.count", ValueType::u16, rawBytes<std::uint16_t>(2));
    second.tensor("two", {1}, {2});
    QVERIFY(second.write(path("m-00002-of-00002.gguf")));
    const auto file = opened(first, "m-00001-of-00002.gguf");
    QVERIFY2(file.has_value(), file ? "" : file.error().message.c_str());
    QCOMPARE((*file)->tensors().size(), std::size_t{2});
    float value = 0;
    std::memcpy(&value, (*file)->tensor("two")->data, sizeof value);
    QCOMPARE(value, 2.0F);
    QVERIFY((*file)->text("general.name").value() == "whole");
    QCOMPARE((*file)->fileBytes(), static_cast<std::uint64_t>(first.bytes().size() + second.bytes().size()));
    const auto later = GgufFile::open(path("m-00002-of-00002.gguf"));
    QVERIFY(!later && later.error().message.find("Open the first") != std::string::npos);
}

void TestGgufFile::refusesShardsThatDoNotBelong() {
    const auto shard = [](std::uint16_t number, std::uint16_t count, const char* tensor) {
        GgufWriter out;
        out.value("split.no", ValueType::u16, rawBytes(number));
        out.value("split.count", ValueType::u16, rawBytes(count));
        out.tensor(tensor, {1}, {1});
        return out;
    };
    const auto said = [](const Result<std::unique_ptr<GgufFile>>& file, const char* words) {
        return !file && file.error().message.find(words) != std::string::npos;
    };
    QVERIFY(said(opened(shard(0, 2, "a"), "alone.gguf"), "-00001-of-00002.gguf"));
    QVERIFY(said(opened(shard(0, 2, "a"), "n-00001-of-00002.gguf"), "n-00002-of-00002.gguf"));
    QVERIFY(said(opened(shard(0, 2, "a"), "o-00002-of-00002.gguf"), "holds the first"));
    QVERIFY(shard(2, 3, "b").write(path("p-00002-of-00003.gguf")));
    QVERIFY(said(opened(shard(0, 3, "a"), "p-00001-of-00003.gguf"), "does not say that it is part 2 of 3"));
    QVERIFY(shard(1, 2, "a").write(path("q-00002-of-00002.gguf")));
    QVERIFY(said(opened(shard(0, 2, "a"), "q-00001-of-00002.gguf"), "there twice"));
    QVERIFY(said(opened(shard(0, 60'000, "a"), "r-00001-of-60000.gguf"), "1024 are allowed"));
    GgufWriter promising = shard(0, 1, "a");
    promising.i32("split.tensors.count", 9);
    QVERIFY(said(opened(promising, "s.gguf"), "it promises 9"));
}

void TestGgufFile::showsUnknownTypes() {
    GgufWriter writer;
    writer.tensor("known", 10U, {256, 1}, std::string(84, '\1')); // Q2_K
    writer.tensor("removed", 4U, {32, 1}, std::string(18, '\1'));
    writer.tensor("future", 4'000'000'000U, {32, 1}, std::string(18, '\1'));
    const auto file = opened(writer);
    QVERIFY2(file.has_value(), file ? "" : file.error().message.c_str());
    QCOMPARE((*file)->tensor("known")->bytes, std::uint64_t{84});
    QVERIFY(!tensorTypeInfo(std::uint32_t{10})->supported);
    QVERIFY(tensorTypeInfo(std::uint32_t{10})->name == "Q2_K");
    QCOMPARE((*file)->tensor("removed")->bytes, std::uint64_t{0});
    QVERIFY(tensorTypeInfo(std::uint32_t{4}) == nullptr && tensorTypeInfo(4'000'000'000U) == nullptr);
}

void TestGgufFile::saysWhatCannotBeOpened() {
    const auto absent = GgufFile::open(path("absent.gguf"));
    QVERIFY(!absent && absent.error().code == ErrorCode::disk);
    QVERIFY(absent.error().message.find("absent.gguf") != std::string::npos);
    const auto folder = GgufFile::open(m_folder.path().toStdString());
    QVERIFY(!folder && folder.error().message.find("no regular file") != std::string::npos);
    QFile empty(m_folder.filePath("empty.gguf"));
    QVERIFY(empty.open(QIODevice::WriteOnly));
    empty.close();
    const auto nothing = GgufFile::open(path("empty.gguf"));
    QVERIFY(!nothing && nothing.error().code == ErrorCode::malformed);
}

QTEST_APPLESS_MAIN(TestGgufFile)
#include "tst_gguf_file.moc"
