#include "core/base/redaction.h"
#include "core/record/header_privacy.h"

#include <QtTest>

using namespace decodescope;

namespace {

std::string masked(const std::string& bytes, std::size_t readSize) {
    HeadMasker masker;
    std::string result;
    for (std::size_t i = 0; i < bytes.size(); i += readSize) {
        std::string read = bytes.substr(i, readSize);
        masker.mask(read);
        result += read;
    }
    return result;
}

} // namespace

class TestHeaderPrivacy : public QObject {
    Q_OBJECT

private slots:
    void sensitiveNames_data();
    void sensitiveNames();
    void valuesAreMaskedAtEverySplit();
    void laterHeadsOfInterimAnswersAreMaskedToo();
    void bodiesPassUnchanged();
    void addressesLoseTheirSecrets_data();
    void addressesLoseTheirSecrets();
};

void TestHeaderPrivacy::sensitiveNames_data() {
    QTest::addColumn<bool>("sensitive");
    for (const char* name : {"authorization", "Authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie",
                             "Set-Cookie", "proxy-authorization", "x-access-token", "client-secret"})
        QTest::newRow(name) << true;
    for (const char* name : {"content-type", "server", "x-request-id", "x-ratelimit-remaining-tokens", "date",
                             "anthropic-ratelimit-tokens-limit", "openai-processing-ms", "fireworks-prompt-tokens"})
        QTest::newRow(name) << false;
}

void TestHeaderPrivacy::sensitiveNames() {
    QFETCH(bool, sensitive);
    QCOMPARE(isSensitiveHeader(QTest::currentDataTag()), sensitive);
}

void TestHeaderPrivacy::valuesAreMaskedAtEverySplit() {
    const std::string answer = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nSet-Cookie: sid=abc; Path=/\r\n"
                               "X-Auth-Token:  t0ken\r\n folded more\r\nX-Request-Id: r-1\nBroken line\r\n\r\n"
                               "Set-Cookie: in the body\r\n\r\n";
    const std::string expected = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nSet-Cookie: ******** ******\r\n"
                                 "X-Auth-Token:  *****\r\n ****** ****\r\nX-Request-Id: r-1\nBroken line\r\n\r\n"
                                 "Set-Cookie: in the body\r\n\r\n";
    for (std::size_t size = 1; size <= answer.size(); ++size)
        QCOMPARE(masked(answer, size), expected);
}

void TestHeaderPrivacy::laterHeadsOfInterimAnswersAreMaskedToo() {
    const std::string answer =
        "HTTP/1.1 103 Early Hints\r\nSet-Cookie: a\r\n\r\nHTTP/1.1 200 OK\r\nSet-Cookie: b\r\n\r\n"
        "HTTP/1.1 200 OK\r\nSet-Cookie: c\r\n";
    const std::string expected = "HTTP/1.1 103 Early Hints\r\nSet-Cookie: *\r\n\r\nHTTP/1.1 200 OK\r\nSet-Cookie: *\r\n"
                                 "\r\nHTTP/1.1 200 OK\r\nSet-Cookie: c\r\n";
    for (std::size_t size = 1; size <= answer.size(); ++size)
        QCOMPARE(masked(answer, size), expected);
}

void TestHeaderPrivacy::bodiesPassUnchanged() {
    const std::string noHttp = "SSH-2.0-OpenSSH\r\nSet-Cookie: x\r\n";
    QCOMPARE(masked(noHttp, 3), noHttp);
    HeadMasker masker;
    std::string head = "HTTP/1.1 200 OK\r\n\r\n";
    masker.mask(head);
    QVERIFY(masker.done());
}

void TestHeaderPrivacy::addressesLoseTheirSecrets_data() {
    QTest::addColumn<QString>("url");
    QTest::addColumn<QString>("safe");
    const auto row = [](const char* url, const char* safe) { QTest::newRow(url) << QString(url) << QString(safe); };
    row("http://h:1/v1", "http://h:1/v1");
    row("https://user:pass@h/v1", "https://***@h/v1");
    row("https://a@b@h/v1?key=SECRET&alt=sse", "https://***@h/v1?key=***&alt=sse");
    row("https://h/x?api-version=2024-10-21&sig=abc#f", "https://h/x?api-version=2024-10-21&sig=***");
    row("user:pass@h", "***@h");
    row("h/path@x", "h/path@x");
    row("http://h?&&a", "http://h?&&***");
    row("", "");
}

void TestHeaderPrivacy::addressesLoseTheirSecrets() {
    QFETCH(QString, url);
    QFETCH(QString, safe);
    QCOMPARE(QString::fromStdString(urlWithoutSecrets(url.toStdString())), safe);
}

QTEST_APPLESS_MAIN(TestHeaderPrivacy)
#include "tst_header_privacy.moc"
