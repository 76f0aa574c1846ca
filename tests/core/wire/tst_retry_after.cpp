#include "core/wire/retry_after.h"

#include <QtTest>

using namespace decodescope;

class TestRetryAfter : public QObject {
    Q_OBJECT

private slots:
    void dates();
    void waits();
};

void TestRetryAfter::dates() {
    constexpr std::int64_t kExample = 784111777; // the date of RFC 9110
    for (const char* text :
         {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"})
        QVERIFY(parseHttpDate(text) == kExample);
    QVERIFY(parseHttpDate("Thu, 01 Jan 1970 00:00:00 GMT") == 0);
    QVERIFY(parseHttpDate("Fri, 29 Feb 2008 12:00:00 GMT") == 1204286400);
    for (const char* text :
         {"", "tomorrow", "Sun, 06 Nov 1994 08:49:37", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
          "Sun, 06 Abc 1994 08:49:37 GMT", "Sun, 06 Nov 99999 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
          "a b c d e", "a b c d e GMT"})
        QVERIFY2(!parseHttpDate(text), text);
}

void TestRetryAfter::waits() {
    const auto wait = [](Headers headers) { return retryAfterMs(headers); };
    QVERIFY(!wait({}));
    QVERIFY(wait({{"retry-after", "7"}}) == 7000);
    QVERIFY(wait({{"retry-after", " 0.5 "}}) == 500);
    QVERIFY(wait({{"retry-after", "7"}, {"retry-after-ms", "6850"}}) == 6850);
    QVERIFY(wait({{"retry-after", "7"}, {"retry-after-ms", "soon"}}) == 7000);
    QVERIFY(!wait({{"retry-after", "-7"}}));
    QVERIFY(!wait({{"retry-after", "7 s"}}));
    QVERIFY(!wait({{"retry-after", "inf"}}) && !wait({{"retry-after", "nan"}}));
    QVERIFY(wait({{"retry-after", std::string(300, '9')}}) == 1'000'000'000'000'000);
    QVERIFY(!wait({{"retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"}})); // relative to nothing
    QVERIFY(wait({{"retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"}, {"date", "Sun, 06 Nov 1994 08:49:30 GMT"}}) ==
            7000);
    QVERIFY(wait({{"retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"}, {"date", "Sun, 06 Nov 1994 09:49:30 GMT"}}) == 0);
}

QTEST_APPLESS_MAIN(TestRetryAfter)
#include "tst_retry_after.moc"
