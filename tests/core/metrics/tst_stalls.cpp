#include "core/metrics/metrics.h"
#include "core/metrics/stalls.h"
#include "core/record/recording.h"
#include "core/record/synthetic_run.h"
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
        QVERIFY(s.stalls[0].evidence.ends_with("came above the trend, with the arrival that ended it."));
    }

    void moreThanWasOwedIsAllOfIt() {
        const RunSummary s = summarize(Paused(40, 0.5).arrivals(1, 27).arrivals(60).run.build());
        QVERIFY2(s.stalls[0].evidence.starts_with("All of the 25.0 tokens that 50.0 tok/s"),
                 s.stalls[0].evidence.c_str());
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

    void aHiccupThatMadeTheGapIsOurs_data() {
        QTest::addColumn<int>("clock");
        QTest::addColumn<double>("due");
        QTest::addColumn<double>("woke");
        QTest::addColumn<QString>("kind");
        QTest::addColumn<int>("leftOut");
        QTest::addColumn<int>("marked");
        // 40 tokens at 20 ms, then 0.5 s of silence from 0.98 to 1.48: 480 ms above the median.
        const int user = static_cast<int>(ClockSource::user);
        const int kernel = static_cast<int>(ClockSource::kernel);
        QTest::newRow("all of it") << user << 1.0 << 1.48 << "client " << 1 << 0;
        QTest::newRow("half of what is above the median") << user << 1.24 << 1.48 << "client " << 1 << 0;
        QTest::newRow("less than half of that") << user << 1.2402 << 1.48 << "generation " << 0 << 1;
        QTest::newRow("read a moment after waking") << user << 1.0 << 1.476 << "client " << 1 << 0;
        QTest::newRow("over before the gap ended") << user << 1.0 << 1.47 << "generation " << 0 << 1;
        QTest::newRow("goes on when it ended") << user << 1.2 << 1.59 << "client " << 1 << 6;
        QTest::newRow("began long before the gap") << user << 0.51 << 1.48 << "client " << 1 << 24;
        QTest::newRow("only what lies in the gap counts") << user << 0.1 << 1.1 << "generation " << 0 << 40;
        QTest::newRow("after it") << user << 1.485 << 1.495 << "generation " << 0 << 1;
        QTest::newRow("a kernel stamp is not falsified") << kernel << 1.0 << 1.48 << "generation " << 0 << 1;
    }
    void aHiccupThatMadeTheGapIsOurs() {
        QFETCH(int, clock);
        QFETCH(double, due);
        QFETCH(double, woke);
        QFETCH(QString, kind);
        RunBuilder run = Paused(40, 0.5).arrivals(100).run;
        run.clock(static_cast<ClockSource>(clock)).hiccup(due, woke);
        const RunSummary s = summarize(run.build());
        QCOMPARE(QString::fromStdString(kinds(s)), kind);
        QFETCH(int, leftOut);
        QFETCH(int, marked);
        QCOMPARE(static_cast<int>(s.clientGaps), leftOut);
        QCOMPARE(static_cast<int>(s.hiccupGaps), marked);
        QCOMPARE(static_cast<int>(s.itl->n), 139 - leftOut);
        QCOMPARE(s.itl->max < 0.03, leftOut == 1);
        QCOMPARE(s.stalls[0].data.hiccupS.has_value(), due < 1.48);
        QVERIFY(std::abs(*s.stalls[0].data.medianS - 0.02) < 1e-9);
        QVERIFY(std::abs(s.stalls[0].data.thresholdS - 0.1) < 1e-9);
    }

    void whatLayInTheKernelWhileWeStoodStillIsOurs_data() {
        QTest::addColumn<double>("due");
        QTest::addColumn<double>("pause");
        QTest::addColumn<QString>("kind");
        QTest::newRow("all of it") << 1.0 << 0.5 << "client ";
        QTest::newRow("a little of a delivery") << 1.44 << 0.5 << "delivery ";
    }
    void whatLayInTheKernelWhileWeStoodStillIsOurs() {
        // 25 events of one read carry the kernel's stamp of the last packet, which came before we woke at 1.485 s.
        QFETCH(double, due);
        QFETCH(double, pause);
        QFETCH(QString, kind);
        Paused stream(40, pause);
        stream.arrivals(1);
        for (int i = 0; i < 24; ++i)
            stream.run.sameRead(stream.at - 0.02, 1);
        stream.arrivals(60);
        stream.run.clock(ClockSource::kernel).hiccup(due, 1.485);
        const RunSummary s = summarize(stream.run.build());
        QCOMPARE(QString::fromStdString(kinds(s)), kind);
        QCOMPARE(s.clientGaps, std::uint64_t{kind == "client " ? 1U : 0U});
        QCOMPARE(s.itl->max < 0.03, kind == "client ");
        QVERIFY(s.stalls[0].data.hiccupS.has_value());
    }

    void theStampReportHasTheLastWordOnTheClock() {
        // One read without a usable kernel stamp: the whole run counts as stamped by us.
        RunBuilder run = Paused(40, 0.5).arrivals(100).run;
        run.clock(ClockSource::kernel).hiccup(1.0, 1.48);
        run.record().stamps = StampReport{ClockSource::user, {}, 120, 0, {}};
        QCOMPARE(kinds(summarize(run.build())), std::string("client "));
    }

    void aSmallGapIsNeverLaidToUs() {
        // No stall: the hiccup is marked, and the gap kept.
        RunBuilder run = Paused(40, 0.06).arrivals(100).run;
        const RunSummary s = summarize(run.hiccup(1.0, 1.04).build());
        QVERIFY(s.stalls.empty());
        QCOMPARE(s.itl->n, std::uint64_t{139});
        QCOMPARE(s.hiccupGaps, std::uint64_t{1});
    }

    void earlyGapsAreOursToo() {
        // The third gap: its median is that of the others among the first eight, so it is told only when they are
        // there.
        RunBuilder run;
        for (const double at : {0.2, 0.22, 0.24, 0.74})
            run.event(at, 1);
        run.hiccup(0.26, 0.74);
        LiveMetrics live;
        RunBuilder early = run;
        const RunRecord few = early.outcome(Outcome::running).finish({}).build();
        live.update(few);
        QVERIFY2(live.summary(few).stalls.empty(), "two other gaps: the threshold is a second");
        QCOMPARE(live.summary(few).itl->n, std::uint64_t{3});
        for (int i = 1; i < 40; ++i)
            run.event(0.74 + 0.02 * i, 1);
        const RunRecord whole = run.build();
        live.update(whole);
        QCOMPARE(kinds(live.summary(whole)), std::string("client "));
        QCOMPARE(live.summary(whole).itl->n, std::uint64_t{41});
        QVERIFY(live.summary(whole).itl->max < 0.021);
    }

    void evidenceIsDataToo() {
        const RunSummary held = summarize(Paused(40, 0.5).arrivals(1, 25).arrivals(60).run.build());
        const StallEvidence& data = held.stalls[0].data;
        QVERIFY(std::abs(*data.trendPerS - 50) < 1e-6);
        QVERIFY(std::abs(*data.owed - 25) < 1e-6);
        QVERIFY(std::abs(*data.caughtUp - 25) < 1e-6);
        QCOMPARE(*data.withinS, 0.0);
        QVERIFY(data.countsTokens && !data.trendFromAfter && !data.hiccupS && !data.from);
        QCOMPARE(held.stalls[0].readBefore, std::uint32_t{39});
        QCOMPARE(held.stalls[0].readAfter.value(), std::uint32_t{40});
        QCOMPARE(held.stalls[0].textOffset, std::uint32_t{40 * 5});
        // Too early for a trend before it.
        const RunSummary early = summarize(Paused(6, 0.5).arrivals(80).run.build());
        QVERIFY(early.stalls[0].data.trendFromAfter);
        QVERIFY(std::abs(*early.stalls[0].data.withinS - 0.75) < 1e-9);
        QVERIFY(std::abs(*early.stalls[0].data.caughtUp - 1) < 1e-6);
    }

    void syntheticStallsOfBothKindsAreToldRight_data() {
        QTest::addColumn<bool>("delivery");
        QTest::addColumn<int>("afterToken");
        QTest::addColumn<double>("lengthMs");
        QTest::addColumn<double>("jitter");
        QTest::addColumn<int>("eventsPerRead");
        for (const bool delivery : {true, false})
            for (const int after : {4, 30, 150})
                for (const double lengthMs : {250.0, 900.0})
                    for (const double jitter : {0.0, 0.3})
                        for (const int perRead : {1, 3})
                            QTest::addRow("%s after %d, %.0f ms, jitter %.1f, %d a read",
                                          delivery ? "delivery" : "generation", after, lengthMs, jitter, perRead)
                                << delivery << after << lengthMs << jitter << perRead;
    }
    void syntheticStallsOfBothKindsAreToldRight() {
        QFETCH(bool, delivery);
        QFETCH(int, afterToken);
        QFETCH(double, lengthMs);
        QFETCH(double, jitter);
        QFETCH(int, eventsPerRead);
        SyntheticSpec spec;
        spec.outputTokens = 300;
        spec.jitter = jitter;
        spec.eventsPerRead = static_cast<std::uint32_t>(eventsPerRead);
        spec.stalls = {{delivery ? SyntheticStall::Kind::delivery : SyntheticStall::Kind::generation,
                        static_cast<std::uint32_t>(afterToken), lengthMs}};
        const auto record = rebuild(syntheticRun(spec));
        const RunSummary s = summarize(*record);
        // Three tokens a read are 60 ms apart: a quarter of a second is little more than four times that, and what is
        // held back in the first gaps leaves too few of them. Where it is found, it is told right.
        if (eventsPerRead == 1)
            QCOMPARE(s.stalls.size(), std::size_t{1});
        for (const Stall& stall : s.stalls)
            QVERIFY2(stall.kind == (delivery ? StallKind::delivery : StallKind::generation), stall.evidence.c_str());
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
        std::vector<Stall> inTime{at(1, 10), at(2.05, 30), at(3, 90)};
        markPeriodic(inTime);
        QVERIFY(inTime[0].periodic && inTime[1].periodic && inTime[2].periodic);
        std::vector<Stall> tenPercent{at(1, 10), at(2, 30), at(3.106, 90)};
        markPeriodic(tenPercent);
        QVERIFY(!tenPercent[0].periodic);
        std::vector<Stall> two{at(1, 10), at(2, 20)};
        markPeriodic(two);
        QVERIFY(!two[0].periodic);
        std::vector<Stall> oneIsOurs{at(1, 10), at(2, 20), at(2.3, 25), at(3, 30)};
        oneIsOurs[2].kind = StallKind::client;
        markPeriodic(oneIsOurs);
        QVERIFY(oneIsOurs[0].periodic && oneIsOurs[3].periodic && !oneIsOurs[2].periodic);
    }
};

QTEST_APPLESS_MAIN(TestStalls)
#include "tst_stalls.moc"
