#include "engine/tokenizer/utf8.h"
#include "tests/engine/tokenizer/made_vocabulary.h"

#include <QtTest>
#include <rapidcheck.h>

using namespace decodescope::engine;
using namespace decodescope::engine::test;

class StreamDetokenizerTest : public QObject {
    Q_OBJECT

private slots:
    void neverCutsACodePoint();
    void illFormedBytesBecomeReplacements();
    void anyBytes();
    void theFirstSpace();
};

namespace {

/// Ids are bytes.
MadeVocabulary bytes() {
    MadeVocabulary made(Vocabulary::Model::bpe);
    made.addBytes();
    return made;
}

TokenId byteId(char byte) {
    return static_cast<unsigned char>(byte);
}

} // namespace

void StreamDetokenizerTest::neverCutsACodePoint() {
    const auto tokenizer = bytes().tokenizer();
    StreamDetokenizer stream(*tokenizer);
    QStringList parts;
    for (const char byte : std::string_view("a\u00E9\U0001F642z")) {
        parts << QString::fromStdString(stream.push(byteId(byte)));
    }
    QCOMPARE(parts.join('|'), QString::fromUtf8("a||\u00E9||||\U0001F642|z"));
    QCOMPARE(stream.finish(), std::string());
}

void StreamDetokenizerTest::illFormedBytesBecomeReplacements() {
    const auto tokenizer = bytes().tokenizer();
    StreamDetokenizer stream(*tokenizer);
    QCOMPARE(stream.push(byteId('\xE2')), std::string());
    QCOMPARE(stream.push(byteId('\x82')), std::string());
    QCOMPARE(stream.push(byteId('x')), std::string("\uFFFDx")); // one for the part that can no longer become whole
    QCOMPARE(stream.push(byteId('\xFF')), std::string("\uFFFD"));
    QCOMPARE(stream.push(byteId('\xF0')), std::string());
    QCOMPARE(stream.finish(), std::string("\uFFFD"));
    QCOMPARE(stream.finish(), std::string());
}

void StreamDetokenizerTest::anyBytes() {
    const auto tokenizer = bytes().tokenizer();
    QVERIFY(rc::check("the stream is well-formed, and all of it where the bytes are", [&](const std::string& text) {
        StreamDetokenizer stream(*tokenizer);
        std::string all;
        for (const char byte : text) {
            const std::string part = stream.push(byteId(byte));
            RC_ASSERT(wellFormedPrefix(part) == part.size());
            all += part;
        }
        all += stream.finish();
        if (wellFormedPrefix(text) == text.size()) {
            RC_ASSERT(all == text);
        } else {
            RC_ASSERT(all.find(kReplacement) != std::string::npos);
        }
    }));
}

void StreamDetokenizerTest::theFirstSpace() {
    MadeVocabulary made(Vocabulary::Model::spm);
    const TokenId end = made.add("</s>", TokenType::control);
    const TokenId hello = made.add("\u2581Hello");
    made.edit().addSpacePrefix = true;
    const auto tokenizer = made.tokenizer();
    StreamDetokenizer atStart(*tokenizer, true);
    QCOMPARE(atStart.push(end), std::string()); // a token without text is not the start
    QCOMPARE(atStart.push(hello), std::string("Hello"));
    QCOMPARE(atStart.push(hello), std::string(" Hello"));
    StreamDetokenizer inText(*tokenizer);
    QCOMPARE(inText.push(hello), std::string(" Hello"));
    made.edit().addSpacePrefix = false;
    const auto plain = made.tokenizer();
    StreamDetokenizer keeps(*plain, true);
    QCOMPARE(keeps.push(hello), std::string(" Hello"));
}

QTEST_APPLESS_MAIN(StreamDetokenizerTest)
#include "tst_stream_detokenizer.moc"
