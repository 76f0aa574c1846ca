#include "core/base/redaction.h"

#include <QtTest>

#include <string>

using namespace decodescope;

class TestRedaction : public QObject {
    Q_OBJECT

private slots:
    void init() { keepOutOfTexts(Secret(std::string("sk/CANARY+12345=="))); }

    void liveKeysAreMaskedInEveryForm_data() {
        QTest::addColumn<QByteArray>("text");
        const QByteArray key("sk/CANARY+12345==");
        QTest::newRow("itself") << "it is " + key + ", they say";
        QTest::newRow("Base64") << "x " + key.toBase64();
        QTest::newRow("Base64 of a login") << "x " + ("me:" + key).toBase64();
        QTest::newRow("Base64, two off") << "x " + ("ab" + key).toBase64();
        QTest::newRow("Base64, one off") << "x " + ("a" + key).toBase64();
        QTest::newRow("percent") << "/?q=" + key.toPercentEncoding();
        QTest::newRow("percent, lower case") << QByteArray("/?q=sk%2fCANARY%2b12345%3d%3d");
    }
    void liveKeysAreMaskedInEveryForm() {
        QFETCH(QByteArray, text);
        const std::string out = redacted(text.toStdString());
        QVERIFY2(out.find("***") != std::string::npos, out.c_str());
        QVERIFY(out.find("CANARY") == std::string::npos);
        for (const QByteArray& part : text.split(' ')) { // what Base64 left in it must not give the key back
            const QByteArray back = QByteArray::fromBase64(part);
            if (back.contains("CANARY"))
                QVERIFY2(out.find(part.toStdString()) == std::string::npos, out.c_str());
        }
    }
    void anAddressIsKeptWithoutItsKeys() {
        QCOMPARE(urlWithoutKeys("https://me:pw@h/v1?key=abc&api-version=2&x-token=&sig=1"),
                 std::string("https://***@h/v1?key=***&api-version=2&x-token=***&sig=***"));
        QCOMPARE(urlWithoutKeys("http://h/v1?tokens=24&deployment=a"),
                 std::string("http://h/v1?tokens=24&deployment=a"));
        QCOMPARE(urlWithoutKeys("http://h/p?a=sk/CANARY+12345=="), "http://h/p?a=" + std::string(17, '*'));
        for (const char* plain : {"", "http://h", "http://h/?", "http://h/?a", "http://h/?a=b&&c=d", "http://h?b"})
            QCOMPARE(urlWithoutKeys(plain), std::string(plain));
    }

    void aKeyInTheWrongPlaceIsNotRepeated() {
        QCOMPARE(withoutLikelyKeys("sk-proj-0a1b2c3d4e5f6a7b is no host"), std::string("*** is no host"));
        QCOMPARE(withoutLikelyKeys("http://sk_0a1b2c3d4e5f6a7b/"), std::string("http://***/"));
        QCOMPARE(withoutLikelyKeys(""), std::string());
        for (const char* plain : {"localhost:8080", "inference-gateway.example", "192.168.100.200",
                                  "123456789012345678", "a-rather-long-host-name-4.internal"})
            QCOMPARE(withoutLikelyKeys(plain), std::string(plain));
    }

    void headersAndAddressesLoseTheirSecrets_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("safe");
        QTest::newRow("header") << "sent Authorization: Bearer abc\nand on"
                                << "sent Authorization: ***\nand on";
        QTest::newRow("quoted") << "{\"x-api-key\": \"abc\"}"
                                << "{\"x-api-key\": ***";
        QTest::newRow("cookie") << "Set-Cookie: a=b; c=d\r\n"
                                << "Set-Cookie: ***\r\n";
        QTest::newRow("address") << "GET <https://me:pw@host/p?key=abc&alt=sse> failed"
                                 << "GET <https://***@host/p?key=***&alt=sse> failed";
        QTest::newRow("two addresses") << "http://a/?k=1 http://b/?k=2"
                                       << "http://a/?k=*** http://b/?k=***";
        QTest::newRow("a sentence") << "The key: it is wrong. Tokens: 3"
                                    << "The key: it is wrong. Tokens: 3";
        QTest::newRow("a count") << "x-ratelimit-remaining-tokens: 5"
                                 << "x-ratelimit-remaining-tokens: 5";
    }
    void headersAndAddressesLoseTheirSecrets() {
        QFETCH(QString, text);
        QFETCH(QString, safe);
        QCOMPARE(QString::fromStdString(redacted(text.toStdString())), safe);
    }
};

QTEST_APPLESS_MAIN(TestRedaction)
#include "tst_redaction.moc"
