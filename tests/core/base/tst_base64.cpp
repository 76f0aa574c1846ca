#include "core/base/base64.h"

#include <QByteArray>
#include <QRandomGenerator>
#include <QtTest>

using namespace decodescope;

class TestBase64 : public QObject {
    Q_OBJECT

private slots:
    void agreesWithQt();
    void refusesWhatItDoesNotWrite_data();
    void refusesWhatItDoesNotWrite();
    void noCharacterOutsideTheAlphabetPasses();
};

void TestBase64::agreesWithQt() {
    QRandomGenerator random(7);
    for (int size = 0; size < 300; ++size) {
        QByteArray bytes(size, '\0');
        for (char& c : bytes)
            c = static_cast<char>(random.bounded(256));
        std::string text = "before";
        appendBase64(text, bytes.toStdString());
        QCOMPARE(text.substr(6), bytes.toBase64().toStdString());
        std::string back = "old";
        QVERIFY(decodeBase64(std::string_view(text).substr(6), back));
        QCOMPARE(back, bytes.toStdString());
    }
}

void TestBase64::refusesWhatItDoesNotWrite_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"A", "AB", "ABC", "ABC=A", "A===", "====", "=AAA", "AB=C",
                             "A=B=", "QQ==QQ==", "QR==", "QUJ=", "AA A", "AAA\n", "AA-_"})
        QTest::newRow(text) << QString(text);
}

void TestBase64::refusesWhatItDoesNotWrite() {
    QFETCH(QString, text);
    std::string out = "old";
    QVERIFY(!decodeBase64(text.toStdString(), out));
    QVERIFY(out.empty());
}

void TestBase64::noCharacterOutsideTheAlphabetPasses() {
    const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int c = 0; c < 256; ++c) {
        for (std::size_t place = 0; place < 4; ++place) {
            std::string text = "AAAAAAAA";
            text[place] = static_cast<char>(c);
            std::string out;
            const bool known = alphabet.find(static_cast<char>(c)) != std::string::npos;
            QCOMPARE(decodeBase64(text, out), known);
        }
    }
}

QTEST_APPLESS_MAIN(TestBase64)
#include "tst_base64.moc"
