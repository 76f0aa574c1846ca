#include "app/exit_status.h"
#include "tests/app/sample_runs.h"

#include <QtTest>

using namespace decodescope;
using namespace std::chrono_literals;

class ExitStatusTest : public QObject {
    Q_OBJECT

private slots:
    void everyKindOfEndHasItsStatus_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("tokens");
        QTest::addColumn<int>("status");
        const auto row = [](ErrorKind kind, int tokens, int status) {
            QTest::addRow("%s after %d tokens", std::string(toString(kind)).c_str(), tokens)
                << int(kind) << tokens << status;
        };
        row(ErrorKind::unreachable, -1, 3);
        row(ErrorKind::tls, -1, 3);
        row(ErrorKind::httpStatus, 0, 3);
        row(ErrorKind::rateLimited, 0, 3);
        row(ErrorKind::loading, 0, 3);
        row(ErrorKind::redirect, 0, 3);
        row(ErrorKind::badContentType, 0, 3);
        row(ErrorKind::timeoutConnect, -1, 3);
        row(ErrorKind::connectionClosed, -1, 3);
        row(ErrorKind::timeoutFirstToken, -1, 3);
        row(ErrorKind::auth, 0, 4);
        row(ErrorKind::timeoutFirstToken, 0, 5);
        row(ErrorKind::timeoutIdle, 3, 5);
        row(ErrorKind::timeoutTotal, 3, 5);
        row(ErrorKind::truncated, 3, 5);
        row(ErrorKind::connectionClosed, 3, 5);
        row(ErrorKind::inStream, 0, 5);
        row(ErrorKind::tooLarge, 3, 5);
        row(ErrorKind::cancelled, 3, 130);
    }
    void everyKindOfEndHasItsStatus() {
        QFETCH(int, kind);
        QFETCH(int, tokens);
        QFETCH(int, status);
        const ReportedRun run = failedRun(static_cast<ErrorKind>(kind), tokens);
        QCOMPARE(int(exitStatusOf(*run.record)), status);
    }

    void anAnswerWithoutATokenIsNone() {
        RunRecord record;
        record.outcome = Outcome::complete;
        QCOMPARE(int(exitStatusOf(record)), 3);
        record.outcome = Outcome::notStreamed;
        QCOMPARE(int(exitStatusOf(record)), 3);
        record.usage.emplace().completion = 7; // hidden, and generated
        QCOMPARE(int(exitStatusOf(record)), 0);
        record.usage->completion = 0;
        QCOMPARE(int(exitStatusOf(record)), 3);
        record.usage.reset();
        record.events.emplace_back();
        QCOMPARE(int(exitStatusOf(record)), 0);
    }

    void lanesThatEndAlikeGiveTheirStatus() {
        const ReportedLane good = sampleLane("A", {pacedRun(5, 10ms, 10ms)});
        const ReportedLane refused = sampleLane("B", {failedRun(ErrorKind::auth, 0)});
        QCOMPARE(int(exitStatusOf(std::vector{good, good})), 0);
        QCOMPARE(int(exitStatusOf(std::vector{refused, refused})), 4);
        QCOMPARE(int(exitStatusOf(std::vector{good, refused})), 6);
    }

    void aLaneIsAsGoodAsItsWorstRun() {
        const ReportedLane lane =
            sampleLane("A", {pacedRun(5, 10ms, 10ms), failedRun(ErrorKind::truncated, 2), pacedRun(5, 10ms, 10ms)});
        QCOMPARE(int(exitStatusOf(lane)), 5);
    }
};

QTEST_GUILESS_MAIN(ExitStatusTest)
#include "tst_exit_status.moc"
