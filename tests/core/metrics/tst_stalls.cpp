#include "core/metrics/metrics.h"
#include "core/metrics/stalls.h"
#include "tests/support/run_builder.h"

#include <QtTest>

using namespace decodescope;
using test::RunBuilder;

namespace {

/// Tokens 20 ms apart: `before` of them, a pause, then one arrival for each number in `after` (its tokens), 20 ms
/// apart as well, or `afterGapS`.
struct Paused {
    RunBuilder run;
    double at = 0.2;

    Paused(int before, double pauseS) {
        for (int i = 0; i < before; ++i, at += 0.02)
            run.event(at, 1);
        at += pauseS - 0.02;
    }
    Paused& arrivals(int n, std::uint32_t k = 1, double gapS = 0.02) {
        for (int i = 0; i < n; ++i, at += gapS)
            run.event(at, k);
        return *this;
    }
};

std::string kinds(const RunSummary& s) {
    std::string text;
    for (const Stall& stall : s.stalls)
        text += std::string(toString(stall.kind)) + " ";
    return text;
}

} // namespace

class TestStalls : public QObject {
    Q_OBJECT

private slots:
    void thirtyPausesAreFoundAndPeriodic() {
        RunBuilder run;
        double at = 0.2;
        for (int i = 0; i < 496; ++i) {
            run.event(at, 1);
            at += i % 16 == 15 ? 0.5 : 0.02;
        }
        const RunSummary s = summarize(run.build());
        QCOMPARE(s.stalls.size(), std::size_t{30});
        for (std::size_t i = 0; i < s.stalls.size(); ++i) {
            QVERIFY(s.stalls[i].periodic);
            QCOMPARE(s.stalls[i].tokenIndex, 16.0 * static_cast<double>(i + 1));
            QCOMPARE(s.stalls[i].eventIndex, static_cast<std::uint32_t>(16 * (i + 1)));
            QVERIFY(std::abs(s.stalls[i].lengthS - 0.5) < 1e-9);
            if (i + 1 < s.stalls.size())
                QVERIFY2(s.stalls[i].kind == StallKind::generation, s.stalls[i].evidence.c_str());
        }
        QVERIFY2(s.stalls.back().kind == StallKind::unknown, "0.3 s were left, 0.75 s are needed to tell");
    }

    void heldBackInOneReadIsDelivery() {
        // 0.5 s at 50 tok/s owe 25 tokens; they come in one read.
        const RunSummary s = summarize(Paused(40, 0.5).arrivals(1, 25).arrivals(60).run.build());
        QCOMPARE(kinds(s), std::string("delivery "));
        QVERIFY(std::abs(s.stalls[0].startS - (0.2 + 39 * 0.02)) < 1e-9);
        QVERIFY(s.stalls[0].evidence.find("25.0 of the 25.0 tokens that 50.0 tok/s") != std::string::npos);
    }

    void catchUpAtTwiceTheRateIsDelivery() {
        QCOMPARE(kinds(summarize(Paused(40, 0.5).arrivals(80, 1, 0.01).run.build())), std::string("delivery "));
    }

    void halfACatchUpIsGeneration() {
        const RunSummary s = summarize(Paused(40, 0.5).arrivals(1, 12).arrivals(100).run.build());
        QCOMPARE(kinds(s), std::string("generation "));
        QVERIFY(s.stalls[0].evidence.find("12.0 of the 25.0") != std::string::npos);
    }

    void changeOfChannelIsPhase() {
        RunBuilder run;
        for (int i = 0; i < 20; ++i)
            run.event(0.2 + 0.02 * i, 1, "hm ", Channel::reasoning);
        for (int i = 0; i < 20; ++i)
            run.event(1.2 + 0.02 * i, 1);
        const RunSummary s = summarize(run.build());
        QCOMPARE(kinds(s), std::string("phase "));
        QCOMPARE(s.stalls[0].evidence, std::string("It falls on the change from reasoning to answer."));
    }

    void runThatEndsTooSoonIsUnknown() {
        QCOMPARE(kinds(summarize(Paused(40, 0.5).arrivals(5).run.build())), std::string("unknown "));
    }

    void trendFromAfterwardsWhenTheStallCameEarly() {
        // Five gaps before it: the 64 after it tell the trend.
        QCOMPARE(kinds(summarize(Paused(6, 0.5).arrivals(80).run.build())), std::string("generation "));
        QCOMPARE(kinds(summarize(Paused(6, 0.5).arrivals(4).run.finishedAt(5).build())), std::string("unknown "));
    }

    void thresholdHasAFloorAndAFactor() {
        QVERIFY(summarize(Paused(40, 0.1).arrivals(20).run.build()).stalls.empty()); // not above 100 ms
        QVERIFY(!summarize(Paused(40, 0.101).arrivals(20).run.build()).stalls.empty());
        RunBuilder slow; // 50 ms a token: 4 x 50 = 200 ms
        for (int i = 0; i < 20; ++i)
            slow.event(0.05 * i, 1);
        slow.event(19 * 0.05 + 0.2, 1);
        QVERIFY(summarize(slow.build()).stalls.empty());
        slow.event(19 * 0.05 + 0.2 + 0.201, 1);
        QCOMPARE(summarize(slow.build()).stalls.size(), std::size_t{1});
        MetricSettings patient;
        patient.stallFloorS = 1;
        QVERIFY(summarize(slow.build(), patient).stalls.empty());
    }

    void firstGapsAreComparedWithOneAnother() {
        // The second gap stands out against the others among the first eight.
        RunBuilder run;
        for (const double at : {0.2, 0.22, 0.72, 0.74, 0.76, 0.78})
            run.event(at, 1);
        QCOMPARE(summarize(run.build()).stalls.size(), std::size_t{1});
        // With two others the threshold is a second.
        RunBuilder few;
        few.event(0.2, 1).event(0.22, 1).event(1.12, 1).event(1.14, 1);
        QVERIFY(summarize(few.build()).stalls.empty());
        RunBuilder longer;
        longer.event(0.2, 1).event(0.22, 1).event(1.32, 1).event(1.34, 1);
        QCOMPARE(summarize(longer.build()).stalls.size(), std::size_t{1});
    }

    void openWhileItLasts() {
        Paused paused(40, 0.5);
        const RunRecord run = paused.run.outcome(Outcome::running).finish({}).build();
        LiveMetrics live;
        live.update(run);
        const Instant last = run.events.back().at;
        QVERIFY(live.summary(run).stalls.empty());
        QVERIFY(live.summary(run, last + std::chrono::milliseconds(90)).stalls.empty());
        const RunSummary s = live.summary(run, last + std::chrono::milliseconds(400));
        QCOMPARE(kinds(s), std::string("open "));
        QVERIFY(std::abs(s.stalls[0].lengthS - 0.4) < 1e-9);
        QCOMPARE(s.stalls[0].eventIndex, std::uint32_t{40});
        QCOMPARE(s.stalls[0].tokenIndex, 40.0);
    }

    void silenceBeforeABadEndIsKept() {
        RunBuilder run = Paused(40, 0.5).run;
        const RunSummary s = summarize(run.outcome(Outcome::timeout).finishedAt(10).build());
        QCOMPARE(kinds(s), std::string("unknown "));
        QVERIFY(s.stalls[0].lengthS > 8);
        RunBuilder well = Paused(40, 0.5).run;
        QVERIFY2(summarize(well.finishedAt(10).build()).stalls.empty(), "waiting for usage is no gap of the text");
    }

    void eventsWhenTokensAreNotKnown() {
        RunBuilder run;
        for (int i = 0; i < 40; ++i)
            run.event(0.2 + 0.02 * i);
        for (int i = 0; i < 60; ++i)
            run.event(1.5 + 0.02 * i);
        const RunSummary s = summarize(run.build());
        QCOMPARE(kinds(s), std::string("generation "));
        QVERIFY(s.stalls[0].evidence.find("events/s") != std::string::npos);
    }

    void periodicNeedsThreeEvenDistances() {
        const auto at = [](double start, double token) {
            Stall stall;
            stall.startS = start;
            stall.tokenIndex = token;
            return stall;
        };
        std::vector<Stall> uneven{at(1, 10), at(2, 30), at(4, 90)};
        markPeriodic(uneven);
        QVERIFY(!uneven[0].periodic && !uneven[2].periodic);
        std::vector<Stall> inTokens{at(1, 10), at(2, 30), at(4, 50)};
        markPeriodic(inTokens);
        QVERIFY(inTokens[0].periodic && inTokens[1].periodic && inTokens[2].periodic);
        std::vector<Stall> two{at(1, 10), at(2, 20)};
        markPeriodic(two);
        QVERIFY(!two[0].periodic);
    }
};

QTEST_APPLESS_MAIN(TestStalls)
#include "tst_stalls.moc"
