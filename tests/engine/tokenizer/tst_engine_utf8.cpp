#include "engine/tokenizer/utf8.h"

#include <QtTest>
#include <rapidcheck.h>

using namespace decodescope::engine;

class Utf8Test : public QObject {
    Q_OBJECT

private slots:
    void everyCodePointIsRead();
    void illFormedPartsAreMaximal_data();
    void illFormedPartsAreMaximal();
    void prefixAndRepair();
    void announcedLengths();
};

void Utf8Test::everyCodePointIsRead() {
    for (char32_t point = 0; point < 0x110000; ++point) {
        const QByteArray text = QString::fromUcs4(&point, 1).toUtf8();
        if ((point >= 0xD800 && point < 0xE000) || point == 0xFEFF) {
            continue; // no characters, and the mark that Qt takes for one of byte order
        }
        const Utf8Step step = utf8Step({text.constData(), static_cast<std::size_t>(text.size())});
        if (step.kind != Utf8Step::Kind::whole || step.bytes != text.size() || step.codePoint != point) {
            QFAIL(qPrintable(QString("U+%1").arg(point, 0, 16)));
        }
    }
}

void Utf8Test::illFormedPartsAreMaximal_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("shape"); // w3: a whole of 3 bytes, x2: ill-formed 2, i1: incomplete 1
    // The examples of Unicode's own chapter on U+FFFD, and the limits of every row of its table.
    QTest::newRow("61 F1 80 80 E1 80 C2 62") << QByteArray("\x61\xF1\x80\x80\xE1\x80\xC2\x62") << "w1 x3 x2 x1 w1";
    QTest::newRow("C0 AF E0 80 BF F0 81 82 41")
        << QByteArray("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41") << "x1 x1 x1 x1 x1 x1 x1 x1 w1";
    QTest::newRow("surrogate") << QByteArray("\xED\xA0\x80") << "x1 x1 x1";
    QTest::newRow("above the last") << QByteArray("\xF4\x90\x80\x80") << "x1 x1 x1 x1";
    QTest::newRow("F4 8F BF BF") << QByteArray("\xF4\x8F\xBF\xBF") << "w4";
    QTest::newRow("E0 A0 80") << QByteArray("\xE0\xA0\x80") << "w3";
    QTest::newRow("cut two") << QByteArray("\xC3") << "i1";
    QTest::newRow("cut three") << QByteArray("\xE2\x82") << "i2";
    QTest::newRow("cut four") << QByteArray("\xF0\x9F\x98") << "i3";
    QTest::newRow("F5 FF") << QByteArray("\xF5\xFF") << "x1 x1";
}

void Utf8Test::illFormedPartsAreMaximal() {
    QFETCH(QByteArray, text);
    QFETCH(QString, shape);
    QStringList found;
    std::string_view rest(text.constData(), static_cast<std::size_t>(text.size()));
    while (!rest.empty()) {
        const Utf8Step step = utf8Step(rest);
        const char kind = step.kind == Utf8Step::Kind::whole ? 'w' : step.kind == Utf8Step::Kind::illFormed ? 'x' : 'i';
        found << QString("%1%2").arg(kind).arg(step.bytes);
        rest.remove_prefix(step.bytes);
    }
    QCOMPARE(found.join(' '), shape);
}

void Utf8Test::prefixAndRepair() {
    QCOMPARE(wellFormedPrefix("abcdefghijk\xC3\xA9z"), std::size_t{14});
    QCOMPARE(wellFormedPrefix("abcdefgh\xC3"), std::size_t{8});
    QCOMPARE(replaceIllFormedBytes("a\xE2\x82z"), std::string("a\xEF\xBF\xBD\xEF\xBF\xBDz")); // one for each byte
    QVERIFY(rc::check("repaired text is well-formed, and well-formed text is left alone", [](const std::string& bytes) {
        const std::string repaired = replaceIllFormedBytes(bytes);
        RC_ASSERT(wellFormedPrefix(repaired) == repaired.size());
        RC_ASSERT((repaired == bytes) == (wellFormedPrefix(bytes) == bytes.size()));
    }));
}

void Utf8Test::announcedLengths() {
    QCOMPARE(announcedLength('a'), std::size_t{1});
    QCOMPARE(announcedLength('\x80'), std::size_t{1});
    QCOMPARE(announcedLength('\xC3'), std::size_t{2});
    QCOMPARE(announcedLength('\xE2'), std::size_t{3});
    QCOMPARE(announcedLength('\xFF'), std::size_t{4});
}

QTEST_APPLESS_MAIN(Utf8Test)
#include "tst_engine_utf8.moc"
