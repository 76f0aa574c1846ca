#include "tests/ui/text/record_builder.h"
#include "ui/text/text_find.h"
#include "ui/text/token_buffer.h"

#include <QTest>

using namespace decodescope;

class TestTokenBuffer : public QObject {
    Q_OBJECT

private slots:
    void textIsTheTranscript();
    void offsetsCountUtf16Units();
    void growsLikeAllAtOnce();
    void gapsBelongToTheFirstTokenOfARead();
    void severalToldTokensAreShared();
    void channelsFollowTheSpans();
    void eventsWithoutTextAreEmptyTokens();
    void positionsOfBytes();
    void hatchedTokensHaveNoHeat();
    void findsEveryPlaceInAGrowingText();
    void findGoesRound();
};

void TestTokenBuffer::textIsTheTranscript() {
    RecordBuilder b;
    b.token("Grüße, ").token("世界").token(" 😀").token("\r\nend\t");
    TokenBuffer buffer;
    QCOMPARE(buffer.append(b.record()), 0U);
    QCOMPARE(buffer.text(), QString::fromStdString(b.record().transcript));
    QCOMPARE(buffer.append(b.record()), buffer.tokenCount()); // nothing new
}

void TestTokenBuffer::offsetsCountUtf16Units() {
    RecordBuilder b;
    b.token("ü").token("😀").token("世").token("x");
    TokenBuffer buffer;
    buffer.append(b.record());
    QCOMPARE(buffer.begin(0), 0U);
    QCOMPARE(buffer.begin(1), 1U);
    QCOMPARE(buffer.begin(2), 3U);
    QCOMPARE(buffer.begin(3), 4U);
    QCOMPARE(buffer.end(3), 5U);
    QCOMPARE(buffer.tokenAt(2), 1U); // inside the surrogate pair
    QCOMPARE(buffer.tokenAt(5), 3U); // the very end
}

void TestTokenBuffer::growsLikeAllAtOnce() {
    RecordBuilder b;
    TokenBuffer growing;
    for (int i = 0; i < 50; ++i) {
        b.token(i % 7 == 0 ? "é" : " word", i % 5 == 0 ? 0 : 10 + i);
        growing.append(b.record());
    }
    TokenBuffer whole;
    whole.append(b.record());
    QCOMPARE(growing.text(), whole.text());
    QCOMPARE(growing.tokenCount(), whole.tokenCount());
    for (std::uint32_t i = 0; i < whole.tokenCount(); ++i) {
        QCOMPARE(growing.begin(i), whole.begin(i));
        QCOMPARE(growing.gapS(i), whole.gapS(i));
        QCOMPARE(growing.shared(i), whole.shared(i));
    }
}

void TestTokenBuffer::gapsBelongToTheFirstTokenOfARead() {
    RecordBuilder b;
    b.token("a", 400).token("b", 30).token("c", 0).token("d", 0).token("e", 25);
    TokenBuffer buffer;
    buffer.append(b.record());
    QCOMPARE(buffer.gapS(0), 0.0F); // the wait for the first token is no gap
    QVERIFY(qAbs(buffer.gapS(1) - 0.030F) < 1e-6F);
    QCOMPARE(buffer.gapS(2), 0.0F);
    QVERIFY(qAbs(buffer.gapS(4) - 0.025F) < 1e-6F);
    QVERIFY(!buffer.shared(0));
    QVERIFY(buffer.shared(1) && buffer.shared(2) && buffer.shared(3));
    QVERIFY(!buffer.shared(4));
    QCOMPARE(buffer.heatStop(1, 0.0074), 4);
    QCOMPARE(buffer.heatStop(2, 0.0074), 0);
}

void TestTokenBuffer::severalToldTokensAreShared() {
    RecordBuilder b;
    b.token("a").token("b c");
    b.record().events[1].tokens.ids = 2;
    TokenBuffer buffer;
    buffer.append(b.record());
    QVERIFY(!buffer.shared(0));
    QVERIFY(buffer.shared(1));
}

void TestTokenBuffer::channelsFollowTheSpans() {
    RecordBuilder b;
    b.token("think", 20, Channel::reasoning).token("ing", 20, Channel::reasoning).token("Yes", 20, Channel::answer);
    b.token("get_x", 20, Channel::tool);
    TokenBuffer buffer;
    buffer.append(b.record());
    QCOMPARE(buffer.channel(0), Channel::reasoning);
    QCOMPARE(buffer.channel(1), Channel::reasoning);
    QCOMPARE(buffer.channel(2), Channel::answer);
    QCOMPARE(buffer.channel(3), Channel::tool);
}

void TestTokenBuffer::eventsWithoutTextAreEmptyTokens() {
    RecordBuilder b;
    b.token("a").otherChoice().token("b").otherChoice();
    TokenBuffer buffer;
    buffer.append(b.record());
    QCOMPARE(buffer.tokenCount(), 4U);
    QCOMPARE(buffer.begin(1), buffer.end(1));
    QCOMPARE(buffer.tokenAt(0), 0U);
    QCOMPARE(buffer.tokenAt(1), 2U);
    QCOMPARE(buffer.tokenAt(2), 2U);
}

void TestTokenBuffer::positionsOfBytes() {
    RecordBuilder b;
    b.token("ü1").otherChoice().token("世2").token("😀3");
    TokenBuffer buffer;
    buffer.append(b.record());
    const QString text = buffer.text();
    for (std::uint32_t byte = 0; byte <= b.record().transcript.size(); ++byte) {
        const QString before = QString::fromUtf8(b.record().transcript.data(), byte);
        if (before.endsWith(QChar(QChar::ReplacementCharacter)))
            continue; // inside a character
        QCOMPARE(buffer.positionOfByte(b.record(), byte), static_cast<std::uint32_t>(before.size()));
    }
}

void TestTokenBuffer::hatchedTokensHaveNoHeat() {
    RecordBuilder b;
    b.token("a").token("b", 200);
    TokenBuffer buffer;
    buffer.append(b.record());
    QVERIFY(buffer.heatStop(1, 0.02) > 0);
    QVERIFY(buffer.setHatched({1}));
    QCOMPARE(buffer.heatStop(1, 0.02), 0);
    QVERIFY(!buffer.setHatched({1}));
    QVERIFY(buffer.setHatched({}));
    QVERIFY(buffer.heatStop(1, 0.02) > 0);
}

void TestTokenBuffer::findsEveryPlaceInAGrowingText() {
    const QString text = QStringLiteral("Index, an index; INDEX indexindex ind");
    TextFind growing;
    growing.setWords(QStringLiteral("index"));
    for (qsizetype n = 0; n <= text.size(); ++n)
        growing.update(text.left(n));
    QCOMPARE(growing.matches(), (std::vector<std::uint32_t>{0, 10, 17, 23, 28}));
}

void TestTokenBuffer::findGoesRound() {
    TextFind find;
    find.setWords(QStringLiteral("a"));
    find.update(QStringLiteral("a b a b a"));
    FindResult r = find.step(FindStep::stay, 3);
    QCOMPARE(r.current, 2);
    QCOMPARE(r.count, 3);
    QCOMPARE(find.step(FindStep::next, 0).current, 3);
    QCOMPARE(find.step(FindStep::next, 0).current, 1);
    QCOMPARE(find.step(FindStep::previous, 0).current, 3);
    QCOMPARE(*find.current(), 8U);
    find.setWords(QStringLiteral("zz"));
    find.update(QStringLiteral("a b a b a"));
    QCOMPARE(find.step(FindStep::next, 0).count, 0);
    QVERIFY(!find.current());
}

QTEST_APPLESS_MAIN(TestTokenBuffer)
#include "tst_token_buffer.moc"
