#include "engine/base/error.h"

#include <QTest>

using namespace decodescope::engine;

class TestEngineError : public QObject {
    Q_OBJECT
private slots:
    void leavesPlainTextAlone();
    void showsWhatSteersTerminals_data();
    void showsWhatSteersTerminals();
    void staysWithinItsLimit();
    void everyBytePairComesOutClean();
    void exitStatuses();
};

void TestEngineError::leavesPlainTextAlone() {
    for (const char* const text : {"", "plain", "h\xC3\xA9llo", "\xE4\xB8\xAD\xE6\x96\x87", "\xF0\x9F\x98\x80", "a\\b"})
        QCOMPARE(visible(text), std::string(text));
}

void TestEngineError::showsWhatSteersTerminals_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("shown");
    QTest::newRow("escape") << QByteArray("\x1B[2J") << QByteArray("\\x1B[2J");
    QTest::newRow("newline") << QByteArray("a\nb") << QByteArray("a\\x0Ab");
    QTest::newRow("zero") << QByteArray("a\0b", 3) << QByteArray("a\\x00b");
    QTest::newRow("delete") << QByteArray("\x7F") << QByteArray("\\x7F");
    QTest::newRow("C1") << QByteArray("\xC2\x9B") << QByteArray("\\x9B");
    QTest::newRow("right to left") << QByteArray("\xE2\x80\xAE") << QByteArray("\\u{202E}");
    QTest::newRow("isolate") << QByteArray("\xE2\x81\xA6") << QByteArray("\\u{2066}");
    QTest::newRow("no width") << QByteArray("\xE2\x80\x8B") << QByteArray("\\u{200B}");
    QTest::newRow("mark of order") << QByteArray("\xEF\xBB\xBF") << QByteArray("\\u{FEFF}");
    QTest::newRow("tag") << QByteArray("\xF3\xA0\x81\x81") << QByteArray("\\u{E0041}");
    QTest::newRow("alone") << QByteArray("\x80\xFF") << QByteArray("\\x80\\xFF");
    QTest::newRow("cut") << QByteArray("\xE4\xB8") << QByteArray("\\xE4\\xB8");
    QTest::newRow("overlong") << QByteArray("\xC0\xAF") << QByteArray("\\xC0\\xAF");
    QTest::newRow("surrogate") << QByteArray("\xED\xA0\x80") << QByteArray("\\xED\\xA0\\x80");
    QTest::newRow("beyond Unicode") << QByteArray("\xF4\x90\x80\x80") << QByteArray("\\xF4\\x90\\x80\\x80");
}

void TestEngineError::showsWhatSteersTerminals() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, shown);
    QCOMPARE(visible(text.toStdString()), shown.toStdString());
}

void TestEngineError::staysWithinItsLimit() {
    QCOMPARE(visible(std::string(10, 'a'), 10), std::string(10, 'a'));
    QCOMPARE(visible(std::string(11, 'a'), 10), std::string(10, 'a') + "...");
    QVERIFY(visible(std::string(1'000'000, '\x1B')).size() < 220);
}

void TestEngineError::everyBytePairComesOutClean() {
    for (int first = 0; first < 256; ++first)
        for (int second = 0; second < 256; ++second) {
            const std::string out = visible(std::string{static_cast<char>(first), static_cast<char>(second)});
            for (const char c : out)
                QVERIFY(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
            QVERIFY(QString::fromUtf8(out.data(), static_cast<int>(out.size())).toUtf8().toStdString() == out);
        }
}

void TestEngineError::exitStatuses() {
    QCOMPARE(exitStatusOf(ErrorCode::internal), 1);
    QCOMPARE(exitStatusOf(ErrorCode::usage), 2);
    QCOMPARE(exitStatusOf(ErrorCode::malformed), 5);
    QCOMPARE(exitStatusOf(ErrorCode::unsupported), 5);
    QCOMPARE(exitStatusOf(ErrorCode::disk), 8);
    QCOMPARE(exitStatusOf(ErrorCode::memory), 9);
    QCOMPARE(exitStatusOf(ErrorCode::cancelled), 130);
}

QTEST_APPLESS_MAIN(TestEngineError)
#include "tst_engine_error.moc"
