#include "ui/theme/format.h"

#include <QTest>

#include <cmath>
#include <limits>

using namespace decodescope;

/// look.md section 9 as a table.
class TestFormat : public QObject {
    Q_OBJECT

private slots:
    void duration_data();
    void duration();
    void gap_data();
    void gap();
    void rate_data();
    void rate();
    void ratio();
    void count();
    void percent();
    void bytes();
    void undefinedIsAnEnDash();
};

namespace {
// Thin spaces written as plain ones, for tables that can be read.
QString plain(QString text) {
    return text.replace(QChar(0x2009), QLatin1Char(' '));
}
} // namespace

void TestFormat::duration_data() {
    QTest::addColumn<double>("seconds");
    QTest::addColumn<QString>("text");
    QTest::newRow("zero") << 0.0 << "0 ms";
    QTest::newRow("next to nothing") << 0.00002 << "0.1 ms";
    QTest::newRow("tenths") << 0.00042 << "0.4 ms";
    QTest::newRow("a millisecond") << 0.00096 << "1 ms";
    QTest::newRow("milliseconds") << 0.412 << "412 ms";
    QTest::newRow("last in ms") << 0.99949 << "999 ms";
    QTest::newRow("first in s") << 0.9995 << "1.00 s";
    QTest::newRow("two decimals") << 1.238 << "1.24 s";
    QTest::newRow("last with two") << 9.9949 << "9.99 s";
    QTest::newRow("ten") << 9.995 << "10.0 s";
    QTest::newRow("one decimal") << 12.44 << "12.4 s";
    QTest::newRow("last with one") << 99.94 << "99.9 s";
    QTest::newRow("minutes") << 125.2 << "2:05";
    QTest::newRow("just over") << 99.96 << "1:40";
    QTest::newRow("rounded up to a minute") << 119.7 << "2:00";
    QTest::newRow("hours") << 3725.0 << "1:02:05";
}

void TestFormat::duration() {
    QFETCH(double, seconds);
    QFETCH(QString, text);
    QCOMPARE(plain(formatDuration(seconds).joined()), text);
}

void TestFormat::gap_data() {
    QTest::addColumn<double>("seconds");
    QTest::addColumn<bool>("kernel");
    QTest::addColumn<QString>("text");
    QTest::newRow("kernel") << 0.00983 << true << "9.8 ms";
    QTest::newRow("kernel, under 100") << 0.09994 << true << "99.9 ms";
    QTest::newRow("kernel, 100") << 0.09995 << true << "100 ms";
    QTest::newRow("kernel, long") << 0.8031 << true << "803 ms";
    QTest::newRow("user") << 0.00983 << false << "10 ms";
    QTest::newRow("user, short") << 0.00042 << false << "0 ms";
    QTest::newRow("seconds") << 1.5 << true << "1.50 s";
}

void TestFormat::gap() {
    QFETCH(double, seconds);
    QFETCH(bool, kernel);
    QFETCH(QString, text);
    QCOMPARE(plain(formatGap(seconds, kernel).joined()), text);
}

void TestFormat::rate_data() {
    QTest::addColumn<double>("rate");
    QTest::addColumn<QString>("text");
    QTest::newRow("slow") << 3.141 << "3.14";
    QTest::newRow("rounds to ten") << 9.996 << "10.0";
    QTest::newRow("usual") << 99.46 << "99.5";
    QTest::newRow("rounds to a thousand") << 999.96 << "1000";
    QTest::newRow("fast") << 2345.6 << "2346";
    QTest::newRow("grouped") << 12345.6 << "12 346";
}

void TestFormat::rate() {
    QFETCH(double, rate);
    QFETCH(QString, text);
    QCOMPARE(plain(formatRate(rate)), text);
}

void TestFormat::ratio() {
    QCOMPARE(formatRatio(2.57), QString::fromUtf8("×2.6"));
    QCOMPARE(formatRatio(9.96), QString::fromUtf8("×10"));
    QCOMPARE(formatRatio(14.2), QString::fromUtf8("×14"));
}

void TestFormat::count() {
    QCOMPARE(plain(formatCount(0)), "0");
    QCOMPARE(plain(formatCount(9999)), "9999");
    QCOMPARE(plain(formatCount(10000)), "10 000");
    QCOMPARE(plain(formatCount(1234567)), "1 234 567");
    QCOMPARE(plain(formatCount(-12345)), QString::fromUtf8("−12 345"));
}

void TestFormat::percent() {
    QCOMPARE(formatPercent(0.1234), "12.3%");
}

void TestFormat::bytes() {
    QCOMPARE(plain(formatBytes(1)), "1 byte");
    QCOMPARE(plain(formatBytes(107)), "107 bytes");
    QCOMPARE(plain(formatBytes(1234)), "1.23 kB");
    QCOMPARE(plain(formatBytes(45678)), "45.7 kB");
    QCOMPARE(plain(formatBytes(999600)), "1.00 MB");
}

void TestFormat::undefinedIsAnEnDash() {
    const QString dash(QChar(0x2013));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    QCOMPARE(formatDuration(std::nullopt).joined(), dash);
    QCOMPARE(formatDuration(nan).joined(), dash);
    QCOMPARE(formatGap(std::nullopt, true).joined(), dash);
    QCOMPARE(formatRate(infinity), dash);
    QCOMPARE(formatRatio(nan), dash);
    QCOMPARE(formatCount(infinity), dash);
    QCOMPARE(formatPercent(nan), dash);
    QCOMPARE(formatBytes(nan), dash);
}

QTEST_APPLESS_MAIN(TestFormat)
#include "tst_format.moc"
