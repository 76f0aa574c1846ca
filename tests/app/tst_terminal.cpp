#include "app/progress_line.h"
#include "app/scoreboard.h"
#include "app/terminal.h"
#include "tests/app/sample_runs.h"

#include <QtTest>

using namespace decodescope;
using namespace std::chrono_literals;

/// What people see: nothing a model says can steer their terminal.
class TerminalTest : public QObject {
    Q_OBJECT

private slots:
    void controlCharactersAreShown_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("shown");
        QTest::newRow("plain") << QByteArray("abc\n\tü €") << QByteArray("abc\n\tü €");
        QTest::newRow("escape") << QByteArray("\x1b[2J") << QByteArray("\\x1b[2J");
        QTest::newRow("clipboard") << QByteArray("\x1b]52;c;eA==\x07") << QByteArray("\\x1b]52;c;eA==\\x07");
        QTest::newRow("return and backspace") << QByteArray("a\rb\bc") << QByteArray("a\\x0db\\x08c");
        QTest::newRow("delete") << QByteArray("\x7f") << QByteArray("\\x7f");
        QTest::newRow("C1") << QByteArray("\xC2\x9B") << QByteArray("\\x9b");
        QTest::newRow("NUL") << QByteArray("a\0b", 3) << QByteArray("a\\x00b");
        QTest::newRow("right to left override") << QByteArray("\xE2\x80\xAEx") << QByteArray("\\u{202e}x");
        QTest::newRow("zero width space") << QByteArray("a\xE2\x80\x8B") << QByteArray("a\\u{200b}");
        QTest::newRow("ill-formed") << QByteArray("\xff") << QByteArray("\xEF\xBF\xBD");
    }
    void controlCharactersAreShown() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, shown);
        QCOMPARE(QByteArray::fromStdString(escapeForTerminal(text.toStdString())), shown);
    }

    void oneLineIsCutAtWholeCharacters() {
        QCOMPARE(oneLine("a\nb", 10), std::string("a b"));
        QCOMPARE(oneLine("äöüß", 4), std::string("äöüß"));
        QCOMPARE(oneLine("äöüßé", 4), std::string("äöü…"));
    }

    void theScoreboardHasARowForEveryLane() {
        SessionReport report;
        report.lanes = {sampleLane("first", {pacedRun(60, 200ms, 20ms)}),
                        sampleLane("second\x1b[31m", {failedRun(ErrorKind::truncated, 3, "cut\rshort")})};
        const QString text = QString::fromStdString(scoreboard(report));
        QVERIFY(text.contains("first"));
        QVERIFY(text.contains("50.00 tok/s"));
        QVERIFY(text.contains("200.0 ms"));
        QVERIFY(text.contains("60 (usage)"));
        QVERIFY(text.contains("truncated: cut\\x0dshort"));
        QVERIFY(!text.contains(QChar(0x1b)));
        QVERIFY(text.endsWith('\n'));
        const QStringList lines = text.split('\n');
        QVERIFY(lines[1].startsWith("first"));
        QVERIFY(lines[2].startsWith("second"));
    }

    void lanesAreComparedWhenThereAreRunsEnough() {
        const auto lane = [](const char* name, Duration interval) {
            return sampleLane(
                name, {pacedRun(20, 100ms, interval), pacedRun(20, 100ms, interval), pacedRun(20, 100ms, interval)});
        };
        SessionReport report;
        report.lanes = {lane("A", 20ms), lane("B", 10ms), sampleLane("C", {pacedRun(20, 100ms, 10ms)})};
        const QString text = QString::fromStdString(scoreboard(report));
        QVERIFY(text.contains("B against A: TTFT: no difference shown; decode rate x2.000 (2.000 to 2.000)"));
        QVERIFY(!text.contains("C against A"));
        QVERIFY(text.contains("requests were sent within 0.0 ms"));
    }

    void progressFitsItsLine() {
        LaneProgress lane;
        lane.name = "A";
        lane.state = LaneState::waiting;
        QCOMPARE(progressText({lane}, 80), std::string("A waiting"));
        lane.state = LaneState::running;
        lane.figures = pacedRun(60, 200ms, 20ms).summary;
        QCOMPARE(progressText({lane}, 80), std::string("A 60 events 50.0 tok/s"));
        QCOMPARE(progressText({lane, lane, lane, lane}, 20), std::string("A 60 events 50.0 to…"));
    }
};

QTEST_GUILESS_MAIN(TerminalTest)
#include "tst_terminal.moc"
