#include "core/wire/content_coding.h"

#include <QtTest>

#include <string>
#include <zlib.h>

using namespace decodescope;

namespace {

std::string packed(const std::string& text, int windowBits, int flush = Z_FINISH) {
    z_stream stream{};
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return {};
    std::string in = text;
    std::string out(text.size() / 2 + 512, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, flush);
    out.resize(out.size() - stream.avail_out);
    deflateEnd(&stream);
    return out;
}

constexpr int kGzip = 15 + 16;

struct Result {
    std::string text;
    Inflater::Status status = Inflater::Status::open;
    bool ended = false;
};

Result unpack(const std::string& bytes, ContentCoding coding, std::size_t step = 1000, std::size_t limit = 1U << 20) {
    Inflater inflater(coding, limit);
    Result out;
    for (std::size_t at = 0; at < bytes.size(); at += step)
        out.status =
            inflater.feed(std::string_view(bytes).substr(at, step), [&](std::string_view piece) { out.text += piece; });
    out.ended = inflater.ended();
    return out;
}

} // namespace

class TestContentCoding : public QObject {
    Q_OBJECT

private slots:
    void names();
    void unpacksInAnySteps();
    void flushedPiecesComeAtOnce();
    void membersMayFollow();
    void damage();
    void limits();
    void aBombIsStopped();
};

void TestContentCoding::names() {
    QCOMPARE(contentCodingFromHeader(""), ContentCoding::identity);
    QCOMPARE(contentCodingFromHeader(" Identity "), ContentCoding::identity);
    QCOMPARE(contentCodingFromHeader("GZIP"), ContentCoding::gzip);
    QCOMPARE(contentCodingFromHeader("x-gzip"), ContentCoding::gzip);
    QCOMPARE(contentCodingFromHeader("deflate"), ContentCoding::deflate);
    for (const char* other : {"br", "zstd", "gzip, gzip", "gzip2", "compress"})
        QCOMPARE(contentCodingFromHeader(other), ContentCoding::unknown);
}

void TestContentCoding::unpacksInAnySteps() {
    std::string text;
    for (int i = 0; i < 5000; ++i)
        text += "data: " + std::to_string(i * i) + "\n\n";
    for (const std::size_t step : {1UL, 13UL, 1'000'000UL}) {
        for (const auto& [bytes, coding] :
             {std::pair(packed(text, kGzip), ContentCoding::gzip), std::pair(packed(text, 15), ContentCoding::deflate),
              std::pair(packed(text, -15), ContentCoding::deflate)}) {
            const Result got = unpack(bytes, coding, step);
            QVERIFY(got.text == text);
            QVERIFY(got.ended);
            QCOMPARE(got.status, Inflater::Status::open);
        }
    }
}

void TestContentCoding::flushedPiecesComeAtOnce() {
    const Result got = unpack(packed("data: a\n\n", kGzip, Z_SYNC_FLUSH), ContentCoding::gzip, 1);
    QCOMPARE(got.text, std::string("data: a\n\n"));
    QVERIFY(!got.ended);
}

void TestContentCoding::membersMayFollow() {
    const std::string bytes = packed("one ", kGzip) + packed("two", kGzip) + std::string(3, '\0');
    for (const std::size_t step : {1UL, 1000UL}) {
        const Result got = unpack(bytes, ContentCoding::gzip, step);
        QCOMPARE(got.text, std::string("one two"));
        QVERIFY(got.ended);
        QCOMPARE(got.status, Inflater::Status::open);
    }
}

void TestContentCoding::damage() {
    QCOMPARE(unpack("this is no gzip", ContentCoding::gzip).status, Inflater::Status::corrupt);
    std::string bytes = packed(std::string(2000, 'a') + "bcd", kGzip);
    bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 0x55); // the checksum
    QCOMPARE(unpack(bytes, ContentCoding::gzip).status, Inflater::Status::corrupt);
}

void TestContentCoding::limits() {
    for (const std::size_t size : {999UL, 1000UL, 1001UL}) {
        const Result got = unpack(packed(std::string(size, 'x'), kGzip), ContentCoding::gzip, 7, 1000);
        QCOMPARE(got.status, size > 1000 ? Inflater::Status::tooLarge : Inflater::Status::open);
        QCOMPARE(got.text.size(), std::min<std::size_t>(size, 1000));
    }
}

void TestContentCoding::aBombIsStopped() {
    const std::string bytes = packed(std::string(60U << 20, '\0'), kGzip);
    const Result got = unpack(bytes, ContentCoding::gzip, 4096, 256U << 20);
    QCOMPARE(got.status, Inflater::Status::tooLarge);
    QVERIFY(got.text.size() < (8U << 20));
}

QTEST_APPLESS_MAIN(TestContentCoding)
#include "tst_content_coding.moc"
