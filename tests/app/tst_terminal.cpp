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
        QVERIFY(text.contains("truncated at ") && text.contains(": cut\\x0dshort. "));
        QVERIFY(!text.contains(QChar(0x1b)));
        QVERIFY(text.endsWith('\n'));
        const QStringList lines = text.split('\n');
        QVERIFY(lines[1].startsWith("first"));
        QVERIFY(lines[2].startsWith("second"));
    }

    static ReportedRun failed(ErrorKind kind, const std::string& message, std::optional<int> status) {
        ReportedRun run = failedRun(kind, status == 200 ? 0 : -1, message);
        auto record = std::make_shared<RunRecord>(*run.record);
        record->route = "https://api.example:8443/v1/chat/completions?api-version=***";
        record->spec.endpoint.key = {KeyReference::Kind::environment, "MY_KEY"};
        record->end->httpStatus = status;
        run.record = record;
        return run;
    }

    void failuresSayWhatWhereAndWhatToTry_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("message");
        QTest::addColumn<QString>("line");
        const QString at = "api.example:8443/v1/chat/completions";
        const auto row = [](ErrorKind kind, int status, const char* message, const QString& line) {
            QTest::addRow("%s %d", std::string(toString(kind)).c_str(), status)
                << int(kind) << status << QString(message) << line;
        };
        row(ErrorKind::rateLimited, 429, "slow down",
            "429 rate_limited at " + at + ": slow down. Try again after 2.5 s.");
        row(ErrorKind::auth, 401, "Bad key!",
            "401 auth at " + at +
                ": Bad key! Check the key from the environment variable MY_KEY, and what it is allowed to do.");
        row(ErrorKind::httpStatus, 404, "", "404 http_status at " + at + ": Is the address right? ");
        row(ErrorKind::httpStatus, 500, "boom", "500 http_status at " + at + ": boom. The fault is the server's");
        row(ErrorKind::redirect, 307, "moved", "307 redirect at " + at + ": moved. Check the address.");
        row(ErrorKind::inStream, 200, "overloaded", "in_stream at " + at + ": overloaded. Look into the log");
        row(ErrorKind::truncated, 200, "Cut.", "truncated at " + at + ": Cut. Look into the log");
        // Transports say it all in their own sentence.
        row(ErrorKind::unreachable, 0, "Nothing is listening.", "unreachable: Nothing is listening.\n");
    }
    void failuresSayWhatWhereAndWhatToTry() {
        QFETCH(int, kind);
        QFETCH(int, status);
        QFETCH(QString, message);
        QFETCH(QString, line);
        ReportedRun run =
            failed(ErrorKind(kind), message.toStdString(), status > 0 ? std::optional<int>(status) : std::nullopt);
        auto record = std::make_shared<RunRecord>(*run.record);
        if (ErrorKind(kind) == ErrorKind::rateLimited)
            record->end->retryAfterMs = 2500;
        run.record = record;
        SessionReport report;
        report.lanes = {sampleLane("A", {run})};
        const QString text = QString::fromStdString(scoreboard(report));
        QVERIFY2(text.contains("A, run 1: " + line), qPrintable(text));
    }

    void anAnswerWithoutATokenIsNoSuccess() {
        auto record = std::make_shared<RunRecord>();
        record->outcome = Outcome::complete;
        record->route = "http://127.0.0.1:8080/v1/completions";
        SessionReport report;
        report.lanes = {sampleLane("A", {{record, summarize(*record)}})};
        const QString text = QString::fromStdString(scoreboard(report));
        QVERIFY2(text.contains("no tokens  0 of 1"), qPrintable(text));
        QVERIFY2(text.contains("A, run 1: no tokens at 127.0.0.1:8080/v1/completions: "), qPrintable(text));
        QVERIFY(!text.contains("complete"));
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
