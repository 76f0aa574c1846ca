#include "core/metrics/metrics.h"
#include "tests/support/run_builder.h"

#include <QtTest>

using namespace decodescope;
using test::RunBuilder;

namespace {

RunBuilder eventsTelling(const std::vector<std::uint32_t>& ids) {
    RunBuilder run;
    double at = 0.1;
    for (const std::uint32_t k : ids)
        run.event(at += 0.1, k);
    return run;
}

} // namespace

class TestTokenCount : public QObject {
    Q_OBJECT

private slots:
    void nothingTold() {
        const TokenCount count = countTokens(eventsTelling({0, 0, 0}).build());
        QVERIFY(count.basis == TokenBasis::none && count.source == TokenSourceKind::none);
        QVERIFY(!count.output && !count.visible && count.perEvent.empty() && count.told.empty());
    }

    void totalEqualsEvents() {
        const TokenCount count = countTokens(eventsTelling({0, 0, 0}).usage(3).finish("stop").build());
        QVERIFY(count.basis == TokenBasis::total && count.source == TokenSourceKind::usage);
        QCOMPARE(*count.output, std::uint64_t{3});
        QCOMPARE(*count.visible, 3.0);
        QVERIFY(!count.kUnknown && count.told.empty());
        QCOMPARE(count.perEvent, (std::vector<double>{1, 1, 1}));
    }

    void endTokenIsNotVisible() {
        const TokenCount count = countTokens(eventsTelling({0, 0, 0}).usage(4).finish("stop").build());
        QCOMPARE(*count.output, std::uint64_t{4});
        QCOMPARE(*count.visible, 3.0);
        QVERIFY(!count.kUnknown);
        QCOMPARE(count.perEvent, (std::vector<double>{1, 1, 1}));
    }

    void oneMoreByLengthIsNoEndToken() {
        const TokenCount count = countTokens(eventsTelling({0, 0, 0}).usage(4).finish("length").build());
        QVERIFY(count.kUnknown);
        QCOMPARE(*count.visible, 4.0);
        QCOMPARE(count.perEvent[1], 4.0 / 3.0);
    }

    void otherTotalsAreKnownOnAverage() {
        const TokenCount count = countTokens(eventsTelling({0, 0, 0}).usage(10).finish("stop").build());
        QVERIFY(count.kUnknown && !count.usageMismatch);
        QCOMPARE(*count.output, std::uint64_t{10});
        QCOMPARE(*count.visible, 9.0);
        QCOMPARE(count.perEvent, (std::vector<double>{3, 3, 3}));
    }

    void perEventFromIds() {
        const TokenCount count = countTokens(eventsTelling({2, 1, 4}).build());
        QVERIFY(count.basis == TokenBasis::perEvent && count.source == TokenSourceKind::tokenIds);
        QCOMPARE(*count.output, std::uint64_t{7});
        QCOMPARE(count.told, (std::vector<std::uint32_t>{2, 1, 4}));
    }

    void agreeingTotalGivesTheName() {
        const TokenCount count = countTokens(eventsTelling({2, 1, 4}).usage(7).build());
        QVERIFY(count.basis == TokenBasis::perEvent && count.source == TokenSourceKind::usage);
        QCOMPARE(count.perEvent, (std::vector<double>{2, 1, 4}));
    }

    void trailingTokensAreNotVisible() {
        RunBuilder run = eventsTelling({2, 1, 4});
        run.record().trailing.ids = 1;
        const TokenCount count = countTokens(run.usage(8).finish("stop").build());
        QVERIFY(count.basis == TokenBasis::perEvent && !count.usageMismatch);
        QCOMPARE(*count.output, std::uint64_t{8});
        QCOMPARE(*count.visible, 7.0);
    }

    void idsThatLeaveEventsOutAreNoPerEventSource() {
        const TokenCount count = countTokens(eventsTelling({2, 0, 4}).usage(9).finish("length").build());
        QVERIFY(count.basis == TokenBasis::total && count.kUnknown && count.usageMismatch);
    }

    void contradictionIsFlaggedNotMended() {
        // A simulator gives one logprob entry a chunk while usage says three times as many.
        RunBuilder run;
        for (int i = 0; i < 10; ++i) {
            run.event(0.1 * (i + 1));
            run.last().tokens.logprobs = 1;
        }
        const TokenCount count = countTokens(run.usage(30).finish("length").build());
        QVERIFY(count.usageMismatch && count.basis == TokenBasis::total && count.kUnknown);
        QCOMPARE(*count.output, std::uint64_t{30});
    }

    void differenceWithinTwoTokensIsNoContradiction() {
        // And yet no count of each event: parsers of servers hide the ids of some tokens.
        const TokenCount count = countTokens(eventsTelling({2, 2, 2}).usage(8).finish("length").build());
        QVERIFY(!count.usageMismatch && count.basis == TokenBasis::total);
        QCOMPARE(*count.output, 8U);
        for (const auto& [usage, finish, basis] :
             {std::tuple{6, "length", TokenBasis::perEvent}, std::tuple{7, "stop", TokenBasis::perEvent},
              std::tuple{7, "length", TokenBasis::total}, std::tuple{5, "stop", TokenBasis::total}}) {
            const TokenCount counted = countTokens(eventsTelling({2, 2, 2}).usage(usage).finish(finish).build());
            QVERIFY2(counted.basis == basis, qPrintable(QString("usage %1, %2").arg(usage).arg(finish)));
            QVERIFY(!counted.usageMismatch);
        }
    }

    void continuousUsage() {
        RunBuilder run;
        for (const std::uint32_t k : {1U, 3U, 1U, 3U}) {
            run.event(0.1);
            run.last().tokens.usage = k;
        }
        run.record().usageContinuous = true;
        const TokenCount count = countTokens(run.usage(8).finish("stop").build());
        QVERIFY(count.basis == TokenBasis::perEvent && count.source == TokenSourceKind::usage);
        QCOMPARE(count.told, (std::vector<std::uint32_t>{1, 3, 1, 3}));
        QCOMPARE(*count.visible, 8.0);
    }

    void usageOnTheLastChunkAloneIsATotal() {
        RunBuilder run = eventsTelling({0, 0, 0, 0});
        run.last().tokens.usage = 4;
        const TokenCount count = countTokens(run.usage(4).build());
        QVERIFY(count.basis == TokenBasis::total);
        QCOMPARE(count.perEvent, (std::vector<double>{1, 1, 1, 1}));
    }

    void timingsNameTheTotal() {
        RunBuilder run = eventsTelling({0, 0});
        run.record().trailing.timings = 2;
        const TokenCount count = countTokens(run.build());
        QVERIFY(count.source == TokenSourceKind::timings && count.basis == TokenBasis::total);
        QCOMPARE(*count.output, std::uint64_t{2});
    }

    void ollamaCallsItEvalCount() {
        RunBuilder run = eventsTelling({0, 0}).protocol("ollama-chat").usage(2);
        QVERIFY(countTokens(run.build()).source == TokenSourceKind::usage); // the wire says it, not the protocol's name
        run.record().usage->origin = UsageOrigin::evalCount;
        QVERIFY(countTokens(run.build()).source == TokenSourceKind::evalCount);
    }

    void severalChoicesShareTheTotal() {
        RunBuilder run;
        run.event(0.1).event(0.2).event(0.3, 0, "").event(0.4, 0, "");
        run.record().choices[0] = {"ab", "stop"};
        run.record().choices[1] = {"cd", "stop"};
        const TokenCount count = countTokens(run.usage(6).finish("stop").build());
        QVERIFY2(!count.kUnknown, "two end tokens, one for each choice");
        QCOMPARE(*count.visible, 4.0);
        QCOMPARE(*count.output, std::uint64_t{6});
    }

    void hiddenReasoningToldIsTakenOut() {
        const TokenCount count = countTokens(eventsTelling({0, 0, 0}).usage(67, 20, 64).finish("length").build());
        QVERIFY(count.hidden && !count.kUnknown);
        QCOMPARE(*count.output, std::uint64_t{67});
        QCOMPARE(*count.visible, 3.0);
        QCOMPARE(*count.reasoning, std::uint64_t{64});
    }

    void summarisedReasoningCarriesNoTokens() {
        RunBuilder run;
        run.event(0.1, 0, "Thought.", Channel::reasoning).event(0.5).event(0.6);
        const TokenCount count = countTokens(run.usage(502, 20, 500).finish("length").build());
        QVERIFY(count.hidden);
        QCOMPARE(count.perEvent, (std::vector<double>{0, 1, 1}));
        QCOMPARE(*count.visible, 2.0);
    }

    void hiddenButNotToldLeavesRatesUndefined() {
        const RunRecord run = eventsTelling({0, 0, 0}).usage(5000).finish("length").build();
        const TokenCount count = countTokens(run);
        QVERIFY(count.hidden && !count.visible && count.perEvent.empty());
        QVERIFY(!summarize(run).decodeTps);
    }

    void streamedReasoningIsNotHidden() {
        RunBuilder run;
        run.event(0.1, 0, "Think", Channel::reasoning).event(0.2, 0, " hard.", Channel::reasoning);
        run.event(0.3, 0, "Yes").event(0.4, 0, ".");
        const TokenCount count = countTokens(run.usage(9, 12, 6).finish("stop").build());
        QVERIFY(!count.hidden && count.kUnknown);
        QCOMPARE(*count.reasoning, std::uint64_t{6});
        QCOMPARE(*count.visible, 8.0);
    }

    void zeroUsageBesideTextIsNotBelieved() {
        const TokenCount count = countTokens(eventsTelling({0, 0, 0}).usage(0, 10, 381).build());
        QVERIFY(!count.output && count.basis == TokenBasis::none && count.usageMismatch);
    }

    void wholeAnswerHasATotalAndNoEvents() {
        const TokenCount count = countTokens(RunBuilder().outcome(Outcome::notStreamed).usage(3, 5).build());
        QCOMPARE(*count.output, std::uint64_t{3});
        QVERIFY(count.source == TokenSourceKind::usage && !count.visible && !count.hidden);
    }

    void runningCounterIsNoTotalYet() {
        RunBuilder run;
        run.event(0.1).last().tokens.usage = 1;
        run.event(0.2).last().tokens.usage = 1;
        run.record().usageContinuous = true;
        // Five more were counted, their text is held back.
        const TokenCount count = countTokens(run.usage(7).outcome(Outcome::running).finish({}).build());
        QVERIFY(count.basis == TokenBasis::perEvent && !count.usageMismatch);
        QCOMPARE(*count.visible, 2.0);
    }
};

QTEST_APPLESS_MAIN(TestTokenCount)
#include "tst_token_count.moc"
