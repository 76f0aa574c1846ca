#include "engine/cli/zip_entry.h"
#include "tests/engine/cli/made_zip.h"

#include <QTest>

using namespace decodescope::engine;
using namespace decodescope::engine::test;

namespace {

std::span<const std::byte> bytesOf(const std::string& text) {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

std::string longText() {
    std::string out;
    for (int i = 0; i < 100'000; ++i)
        out += std::to_string(i * 7'919) + " ";
    return out;
}

Result<std::string> unpacked(const std::string& zip, std::string_view file) {
    const Result<ZipEntry> entry = findZipEntry(bytesOf(zip), file);
    if (!entry)
        return tl::unexpected(entry.error());
    std::string out;
    const Result<void> done = unpackZipEntry(*entry, [&out](std::span<const std::byte> piece) -> Result<void> {
        out.append(reinterpret_cast<const char*>(piece.data()), piece.size());
        return {};
    });
    if (!done)
        return tl::unexpected(done.error());
    return out;
}

} // namespace

class TestZipEntry : public QObject {
    Q_OBJECT
private slots:
    void unpacksStoredAndDeflated();
    void findsWholeNamesOnly();
    void stopsWhenTheTakerDoes();
    void survivesEveryTruncationAndFlip();
};

void TestZipEntry::unpacksStoredAndDeflated() {
    const std::string text = longText();
    const std::string zip = madeZip({{"a/readme", "hello", ZipMethod::stored},
                                     {"a/model.gguf", text, ZipMethod::deflated},
                                     {"empty", "", ZipMethod::deflated}},
                                    "a comment that says PK\x05\x06 too");
    QVERIFY(unpacked(zip, "model.gguf").value() == text);
    QVERIFY(unpacked(zip, "readme").value() == "hello");
    QVERIFY(unpacked(zip, "empty").value().empty());
}

void TestZipEntry::findsWholeNamesOnly() {
    const std::string zip = madeZip({{"not-model.gguf", "no"}, {"model.gguf.txt", "no"}, {"b/model.gguf", "yes"}});
    QVERIFY(unpacked(zip, "model.gguf").value() == "yes");
    QVERIFY(unpacked(zip, "other.gguf").error().code == ErrorCode::malformed);
}

void TestZipEntry::stopsWhenTheTakerDoes() {
    const std::string zip = madeZip({{"m", longText()}});
    int calls = 0;
    const Result<void> done =
        unpackZipEntry(findZipEntry(bytesOf(zip), "m").value(), [&calls](std::span<const std::byte>) -> Result<void> {
            ++calls;
            return fail(ErrorCode::disk, "full");
        });
    QVERIFY(!done && done.error().code == ErrorCode::disk);
    QCOMPARE(calls, 1);
}

void TestZipEntry::survivesEveryTruncationAndFlip() {
    const std::string zip =
        madeZip({{"a", "some text that is some text", ZipMethod::deflated}, {"b", "stored", ZipMethod::stored}});
    for (std::size_t size = 0; size < zip.size(); ++size)
        for (const char* const name : {"a", "b"})
            (void)unpacked(zip.substr(0, size), name);
    int refused = 0;
    for (std::size_t bit = 0; bit < zip.size() * 8; ++bit) {
        std::string damaged = zip;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
        const Result<std::string> text = unpacked(damaged, "a");
        refused += text ? 0 : 1;
    }
    QVERIFY2(refused > 100, std::to_string(refused).c_str());
}

QTEST_APPLESS_MAIN(TestZipEntry)
#include "tst_zip_entry.moc"
