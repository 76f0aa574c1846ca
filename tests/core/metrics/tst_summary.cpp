#include "core/metrics/metrics.h"
#include "tests/support/run_builder.h"

#include <QtTest>

#include <cmath>

using namespace decodescope;
using test::RunBuilder;

namespace {

bool hasFlag(const RunSummary& s, const std::string& name) {
    return std::find(s.flags.begin(), s.flags.end(), name) != s.flags.end();
}

void near(std::optional<double> value, double expected, double tolerance = 1e-9) {
    QVERIFY(value.has_value());
    QVERIFY2(std::abs(*value - expected) <= tolerance * std::max(1.0, std::abs(expected)),
             qPrintable(QString("%1, expected %2").arg(*value, 0, 'g', 12).arg(expected, 0, 'g', 12)));
}

} // namespace

class TestSummary : public QObject {
    Q_OBJECT

private slots:
    void goldenRate() {
        const RunSummary s = summarize(RunBuilder().ttft(0.2).tokens(500).until(2.3).build());
        near(s.ttft, 0.2);
        near(s.decodeTps, 237.6190476, 1e-6);
        near(s.tpot, 2.1 / 499, 1e-9);
        near(s.decode, 2.1);
        near(s.e2e, 2.3);
        near(s.e2eTps, 500 / 2.3);
        QVERIFY(s.inStats && hasFlag(s, "steady") && !hasFlag(s, "short_run"));
    }

    void anAnswerWithoutATokenIsFlagged() {
        RunRecord record;
        record.outcome = Outcome::complete;
        QVERIFY(hasFlag(summarize(record), "no_tokens") && !summarize(record).inStats);
        record.outcome = Outcome::notStreamed;
        QVERIFY(hasFlag(summarize(record), "no_tokens"));
        record.outcome = Outcome::truncated; // which says so itself
        QVERIFY(!hasFlag(summarize(record), "no_tokens"));
        record.outcome = Outcome::running; // none yet
        QVERIFY(!hasFlag(summarize(record), "no_tokens"));
        record.outcome = Outcome::complete;
        record.usage.emplace().completion = 7; // generated, and not shown
        QVERIFY(!hasFlag(summarize(record), "no_tokens"));
        QVERIFY(!hasFlag(summarize(RunBuilder().tokens(3).build()), "no_tokens"));
    }

    void milestones() {
        const RunSummary s = summarize(RunBuilder()
                                           .connectedAt(0.05)
                                           .sentAt(0.06)
                                           .firstByteAt(0.15)
                                           .ttft(0.2)
                                           .tokens(10)
                                           .until(1)
                                           .usage(10, 70, {}, 56)
                                           .build());
        near(s.connect, 0.05);
        near(s.ttftWithoutConnect, 0.15);
        near(s.ttftFromSent, 0.14);
        near(s.ttfb, 0.15);
        near(s.promptTps, 14 / 0.14);
        QVERIFY(hasFlag(s, "cached") && hasFlag(s, "short_run") && hasFlag(s, "not_steady_state"));
    }

    void aCertificateThatNobodyLookedAtIsAFlag() {
        RunRecord record = RunBuilder().ttft(0.2).tokens(500).until(2.3).build();
        QVERIFY(!hasFlag(summarize(record), "tls_not_verified"));
        record.tlsUnverified = true;
        QVERIFY(hasFlag(summarize(record), "tls_not_verified"));
    }

    void undefinedIsADash_data() {
        QTest::addColumn<int>("tokens");
        QTest::addColumn<bool>("oneRead");
        QTest::newRow("no token") << 0 << false;
        QTest::newRow("one token") << 1 << false;
        QTest::newRow("two tokens in one read") << 2 << true;
    }
    void undefinedIsADash() {
        QFETCH(int, tokens);
        QFETCH(bool, oneRead);
        RunBuilder run;
        for (int i = 0; i < tokens; ++i)
            i > 0 && oneRead ? run.sameRead(0.5) : run.event(0.5);
        const RunSummary s = summarize(run.usage(static_cast<std::uint64_t>(tokens)).finishedAt(0.5).build());
        QVERIFY(!s.decodeTps && !s.tpot && !s.eventsPerS && !s.itl && !s.jitter && !s.itlPerToken);
        QVERIFY(!s.charsPerS && !s.wordsPerS && !s.decay && s.stalls.empty());
        QCOMPARE(s.ttft.has_value(), tokens > 0);
        for (const RateAt& at : s.rateAt)
            QVERIFY(!at.tps);
    }

    void f44_zeroDurationIsUndefined() {
        RunBuilder run;
        run.event(0.5).event(0.5).event(0.5);
        const RunSummary s = summarize(run.usage(3).build());
        QVERIFY(!s.decodeTps && !s.eventsPerS && !s.charsPerS);
        QVERIFY(s.itl && s.itl->max == 0.0);
    }

    void endTokenIsOutsideTheWindow() {
        // llama.cpp: E text events, U = E + 1; its own rate counts E - 1 over the same time.
        RunBuilder run;
        for (int i = 0; i < 27; ++i)
            run.event(0.1 + 0.02 * i);
        const RunSummary s = summarize(run.usage(28).finish("stop").build());
        near(s.decodeTps, 26 / 0.52, 1e-9);
    }

    void firstArrivalIsTakenOutWhole() {
        RunBuilder run;
        run.event(0.2, 4).sameRead(0.2, 2).event(0.5, 3).event(0.7, 5);
        const RunSummary s = summarize(run.build());
        near(s.decodeTps, 8 / 0.5);
        QCOMPARE(s.arrivals, std::uint64_t{3});
        QCOMPARE(s.itl->n, std::uint64_t{2});
        near(s.itl->p50, 0.25);
        near(s.itlPerToken->max, 0.1);
        near(s.itlPerToken->min, 0.04);
    }

    void scaledTokensWhenUnknown() {
        RunBuilder run;
        run.event(0.2).sameRead(0.2).event(0.5).event(1.2);
        const RunSummary s = summarize(run.usage(12).finish("length").build());
        QVERIFY(hasFlag(s, "k_unknown"));
        near(s.decodeTps, (12 - 12.0 / 4 * 2) / 1.0);
    }

    void eventsWithoutTokens() {
        RunBuilder run;
        run.event(0.2).event(0.3).event(0.7);
        const RunSummary s = summarize(run.build());
        QVERIFY(!s.decodeTps && !s.e2eTps && s.rateAt.empty());
        near(s.eventsPerS, 2 / 0.5);
    }

    void answerAfterReasoning() {
        RunBuilder run;
        run.event(0.2, 1, "Let me ", Channel::reasoning).event(0.4, 1, "think. ", Channel::reasoning);
        run.event(0.9, 1, "Four ").event(1.4, 1, "is eno").event(1.9, 1, "ugh.");
        const RunSummary s = summarize(run.build());
        near(s.ttft, 0.2);
        near(s.ttfa, 0.9);
        near(s.lastAnswer, 1.9);
        near(s.charsPerS, 10.0); // "is eno" and "ugh." over one second
        near(s.wordsPerS, 2.0);  // "is", "enough."
    }

    void hiddenReasoningCountsTheAnswerAlone() {
        RunBuilder run;
        run.event(0.2, 0, "Summary.", Channel::reasoning);
        run.event(2.0).event(2.1).event(2.2).event(2.3);
        const RunSummary s = summarize(run.usage(904, 20, 900).finish("length").build());
        QVERIFY(hasFlag(s, "hidden_tokens"));
        near(s.decodeTps, 3 / 0.3);
        near(s.ttft, 0.2);
    }

    void distributionAndJitter() {
        // Gaps 10, 20, 30, 60 ms.
        RunBuilder run;
        run.event(0.1).event(0.11).event(0.13).event(0.16).event(0.22);
        const RunSummary s = summarize(run.usage(5).build());
        near(s.itl->mean, 0.030);
        near(s.itl->p50, 0.025);
        near(s.itl->p90, 0.051); // type 7: 2.7 -> 30 + 0.7 * 30
        near(s.itl->p95, 0.0555);
        near(s.itl->p99, 0.0591);
        near(s.itl->min, 0.010);
        near(s.itl->max, 0.060);
        near(s.jitter->stdev, std::sqrt(350.0) * 1e-3);
        near(s.jitter->mad, 0.010); // distances to 25: 15, 5, 5, 35
        near(s.jitter->p99MinusP50, 0.0341);
        const double j1 = 10.0 / 16;
        const double j2 = j1 + (10 - j1) / 16;
        const double j3 = j2 + (30 - j2) / 16;
        near(s.jitter->rfc3550, j3 * 1e-3);
        QVERIFY2(!s.itlPerToken, "every gap brought one token");
    }

    void notStreamed() {
        const RunSummary s = summarize(RunBuilder().outcome(Outcome::notStreamed).usage(30, 5).finishedAt(1.5).build());
        QVERIFY(!s.ttft && !s.decodeTps && !s.inStats && hasFlag(s, "not_streamed"));
        near(s.e2e, 1.5);
        near(s.e2eTps, 20);
    }

    void aWholeAnswerTellsNothingOfItsTokensTimes() {
        const RunSummary s =
            summarize(RunBuilder().ttft(0.2).tokens(3).until(0.4).outcome(Outcome::notStreamed).usage(3).build());
        QVERIFY(!s.ttft && !s.ttfa && !s.decode && !s.promptTps && !s.itl && s.rateAt.empty());
        QCOMPARE(s.tokenEvents, 0U);
        QVERIFY(s.e2e && s.e2eTps);
    }

    void failedRunsKeepTheirValues() {
        const RunSummary s = summarize(
            RunBuilder().ttft(0.2).tokens(40).until(1.2).noUsage().failed(ErrorKind::connectionClosed, "cut").build());
        QVERIFY(!s.inStats && s.ttft && s.itl && s.eventsPerS && s.e2e);
        QVERIFY(s.outcome == Outcome::error);
    }

    void f39_aRunWithoutATokenIsNotInStatistics() {
        const RunSummary s = summarize(RunBuilder().until(1).build());
        QVERIFY(s.outcome == Outcome::complete && s.e2e && !s.inStats);
    }

    void warmupIsNotInStatistics() { QVERIFY(!summarize(RunBuilder().tokens(5).until(1).warmup().build()).inStats); }

    void allAtOnceIsNotReallyStreamed() {
        RunBuilder burst;
        for (int i = 0; i < 40; ++i)
            burst.event(2.0 + i * 0.0001);
        QVERIFY(hasFlag(summarize(burst.usage(40).build()), "not_really_streamed"));
        RunBuilder few;
        few.event(0.5, 30).event(0.9, 30).event(1.4, 30);
        QVERIFY(hasFlag(summarize(few.build()), "not_really_streamed"));
        QVERIFY(!hasFlag(summarize(RunBuilder().ttft(2).tokens(40).until(2.8).build()), "not_really_streamed"));
    }
};

QTEST_APPLESS_MAIN(TestSummary)
#include "tst_summary.moc"
