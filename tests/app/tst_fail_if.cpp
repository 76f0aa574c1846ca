#include "app/fail_if.h"
#include "tests/app/sample_runs.h"

#include <QtTest>

using namespace decodescope;
using namespace std::chrono_literals;

class FailIfTest : public QObject {
    Q_OBJECT

private slots:
    void thresholdsAreJudged_data() {
        QTest::addColumn<QString>("expression");
        QTest::addColumn<bool>("missed");
        // The lane: TTFT 100 ms, 200 ms, 300 ms; one token every 20 ms, 25 ms, 50 ms: 50, 40, 20 tok/s.
        QTest::newRow("median time") << "ttft_p50>199ms" << true;
        QTest::newRow("median time kept") << "ttft_p50>200ms" << false;
        QTest::newRow("or equal") << "ttft_p50>=200ms" << true;
        QTest::newRow("seconds") << "ttft_p50 > 0.199 s" << true;
        QTest::newRow("no unit is seconds") << "ttft_p50>0.3" << false;
        QTest::newRow("upper tail of a time") << "ttft_p100>=300ms" << true;
        QTest::newRow("low tail of a rate") << "decode_p100<21tps" << true;
        QTest::newRow("low tail of a rate, kept") << "decode_p0<49tps" << false;
        QTest::newRow("rate without a unit") << "decode_p50<39" << false;
        QTest::newRow("decode as a time") << "decode_p50>100ms" << true;
        QTest::newRow("e2e as a time") << "e2e_p50>10s" << false;
        QTest::newRow("gaps are pooled") << "itl_p50>24ms" << true;
        QTest::newRow("largest gap") << "itl_p100>51ms" << false;
        QTest::newRow("fractional percentile") << "ttft_p99.9>298ms" << true;
        QTest::newRow("a count") << "output_tokens_p50<=11" << true;
    }
    void thresholdsAreJudged() {
        QFETCH(QString, expression);
        QFETCH(bool, missed);
        const ReportedLane lane = sampleLane("A", {pacedRun(11, 100ms, 20ms), pacedRun(11, 200ms, 25ms),
                                                   pacedRun(11, 300ms, 50ms), failedRun(ErrorKind::truncated, 3)});
        const Result<Threshold> threshold = Threshold::parse(expression.toStdString());
        QVERIFY2(threshold, threshold ? "" : threshold.error().message.c_str());
        QCOMPARE(threshold->judge(lane).missed, missed);
        QCOMPARE(missedThresholds({*threshold}, {lane}).size(), missed ? 1U : 0U);
    }

    void nonsenseIsRefused_data() {
        QTest::addColumn<QString>("expression");
        for (const char* text :
             {"", "ttft", "ttft_p95", "ttft>1s", "ttft_p95=1s", "_p95>1s", "ttft_p101>1s", "ttft_px>1s", "ttft_p95>",
              "ttft_p95>fast", "ttft_p95>1kg", "ttft_p95>1tps", "decode_p50<1foo", "speed_p50<1", "itl_p50<1tps",
              "output_tokens_p50>1s", "ttft_p95>nan", "ttft_p95>inf"})
            QTest::newRow(text) << text;
    }
    void nonsenseIsRefused() {
        QFETCH(QString, expression);
        const Result<Threshold> threshold = Threshold::parse(expression.toStdString());
        QVERIFY(!threshold);
        QVERIFY(threshold.error().code == ErrorCode::usage);
        QVERIFY(!threshold.error().message.empty());
    }

    void whatCannotBeCheckedIsMissed() {
        const ReportedLane lane = sampleLane("A", {failedRun(ErrorKind::auth, -1)});
        const Result<Threshold> threshold = Threshold::parse("ttft_p95>800ms");
        QVERIFY(threshold);
        QVERIFY(threshold->judge(lane).missed);
        QVERIFY(!threshold->judge(lane).value);
        QVERIFY(missedThresholds({*threshold}, {lane}).front().find("cannot be checked") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(FailIfTest)
#include "tst_fail_if.moc"
