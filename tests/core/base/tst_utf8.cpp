#include "core/base/utf8.h"

#include <QtTest>

using namespace decodescope;

class TestUtf8 : public QObject {
    Q_OBJECT

private slots:
    void repairsMaximalSubparts_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("expected");
        QTest::newRow("plain") << QByteArray("abc") << QByteArray("abc");
        QTest::newRow("valid, four bytes") << QByteArray("\xF0\x9F\xA6\x8A") << QByteArray("\xF0\x9F\xA6\x8A");
        QTest::newRow("cut at three of four") << QByteArray("\xF0\x9F\xA6") << QByteArray("\xEF\xBF\xBD");
        QTest::newRow("cut, then text") << QByteArray("\xE9\x9Bx") << QByteArray("\xEF\xBF\xBDx");
        QTest::newRow("overlong") << QByteArray("\xC0\xAF") << QByteArray("\xEF\xBF\xBD\xEF\xBF\xBD");
        QTest::newRow("surrogate") << QByteArray("\xED\xA0\x80") << QByteArray("\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
        QTest::newRow("over 10FFFF") << QByteArray("\xF4\x90\x80\x80")
                                     << QByteArray("\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
        QTest::newRow("standard's example") << QByteArray("\x61\xF1\x80\x80\xE1\x80\xC2\x62")
                                            << QByteArray("a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD" "b");
    }
    void repairsMaximalSubparts() {
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, expected);
        const Utf8Repair repair = repairUtf8(bytes.toStdString());
        QCOMPARE(QByteArray::fromStdString(repair.text), expected);
        QCOMPARE(repair.changed, bytes != expected);
        QCOMPARE(isValidUtf8(bytes.toStdString()), bytes == expected);
        QVERIFY(isValidUtf8(repair.text));
    }

    void countsWordsAndCodePoints() {
        QCOMPARE(countWords("  two words\n"), 2U);
        QCOMPARE(countWords(""), 0U);
        QCOMPARE(countWords("a\xC2\xA0" "b\xE3\x80\x80" "c"), 3U);
        QCOMPARE(countCodePoints("\xE9\x9B\xAA\xF0\x9F\xA6\x8A!"), 3U);
    }

    void neverAppendsASurrogate() {
        std::string out;
        appendUtf8(out, 0xD83D);
        appendUtf8(out, 0x1F600);
        QCOMPARE(out, std::string("\xEF\xBF\xBD\xF0\x9F\x98\x80"));
    }
};

QTEST_APPLESS_MAIN(TestUtf8)
#include "tst_utf8.moc"
