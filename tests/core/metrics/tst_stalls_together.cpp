#include "core/metrics/metrics.h"
#include "core/metrics/stalls_together.h"
#include "tests/support/run_builder.h"

#include <QtTest>

#include <list>

using namespace decodescope;
using test::RunBuilder;

namespace {

/// Lanes of one session: 120 tokens each, 20 ms apart, with one pause of half a second where one is asked for.
class Race {
public:
    /// `stallS`: seconds after t0 from which on nothing came; below 0: the lane streams on.
    Race& lane(const std::string& host, double stallS, ClockSource clock = ClockSource::kernel) {
        RunBuilder run;
        run.clock(clock);
        run.record().spec.endpoint.url = "http://" + host + "/v1/chat/completions";
        double at = 0.2;
        for (int i = 0; i < 120; ++i) {
            run.event(at, 1);
            const bool pauses = stallS >= 0 && at <= stallS && stallS < at + 0.02;
            at += pauses ? 0.5 : 0.02;
        }
        add(run.finishedAt(4).build());
        return *this;
    }
    void add(RunRecord record) {
        m_records.push_back(std::move(record));
        m_summaries.push_back(summarize(m_records.back()));
    }
    RunRecord& record(std::size_t index) { return *std::next(m_records.begin(), static_cast<std::ptrdiff_t>(index)); }

    /// Of the first stall of a lane, when it is one that several lanes had together.
    [[nodiscard]] std::optional<StallOthers> of(std::size_t index) const {
        const auto others = othersOf(index);
        return others && others->side != StallSide::none ? others : std::nullopt;
    }
    [[nodiscard]] std::optional<StallOthers> othersOf(std::size_t index) const {
        std::vector<RunWithStalls> runs;
        auto summary = m_summaries.begin();
        for (const RunRecord& record : m_records)
            runs.push_back({&record, &(summary++)->stalls});
        const auto all = stallsTogether(runs);
        return all[index].empty() ? std::nullopt : all[index][0];
    }

private:
    std::list<RunRecord> m_records;
    std::list<RunSummary> m_summaries;
};

} // namespace

class TestStallsTogether : public QObject {
    Q_OBJECT

private slots:
    void lanesOfSeveralServersPointAtThisSide() {
        Race race;
        race.lane("a:1", 1.0).lane("b:1", 1.1).lane("c:1", 0.95);
        for (std::size_t i = 0; i < 3; ++i) {
            const auto together = race.of(i);
            QVERIFY(together && together->side == StallSide::client);
            QCOMPARE(together->stalled, std::uint32_t{3});
            QCOMPARE(together->streaming, std::uint32_t{3});
            QVERIFY(together->evidence.find("3 of the 3 lanes") != std::string::npos);
        }
    }

    void lanesOfOneServerPointAtIt() {
        Race race;
        race.lane("a:1", 1.0).lane("a:1", 1.0).lane("b:1", -1);
        QVERIFY(race.of(0) && race.of(0)->side == StallSide::server);
        QCOMPARE(race.of(0)->stalled, std::uint32_t{2});
        QCOMPARE(race.of(0)->streaming, std::uint32_t{3});
        QVERIFY(!race.of(2));
    }

    void nobodyElseStreamedSoItCannotBeTold() {
        Race race;
        race.lane("a:1", 1.0).lane("a:1", 1.0);
        QVERIFY(race.of(0) && race.of(0)->side == StallSide::either);
    }

    void tooFewOfThoseThatStreamed() {
        Race race;
        race.lane("a:1", 1.0).lane("b:1", 1.0).lane("c:1", -1);
        QVERIFY2(!race.of(0), "two of three");
        QCOMPARE(race.othersOf(0)->stalled, std::uint32_t{2});
        QCOMPARE(race.othersOf(0)->streaming, std::uint32_t{3});
        QCOMPARE(race.othersOf(0)->evidence, std::string("Of 2 other lanes that were streaming, 1 stalled too."));
        Race alone;
        alone.lane("a:1", 1.0).lane("b:1", -1);
        QVERIFY(!alone.of(0));
        Race most;
        most.lane("a:1", 1.0).lane("b:1", 1.0).lane("c:1", 1.0).lane("d:1", -1);
        QVERIFY2(most.of(0) && most.of(0)->side == StallSide::client, "three of four");
    }

    void notAtTheSameInstant() {
        Race race;
        race.lane("a:1", 0.5).lane("b:1", 0.9); // 0.1 s of 0.5 s in common
        QVERIFY(!race.of(0));
    }

    void lanesThatHadEndedOrNotBegunDoNotCount() {
        Race race;
        race.lane("a:1", 1.0).lane("b:1", 1.0).lane("c:1", -1).lane("d:1", -1);
        QVERIFY(!race.of(0));
        race.record(2).finished = RunBuilder::at(0.9);
        for (TokenEvent& event : race.record(3).events)
            event.at += std::chrono::seconds(3);
        QVERIFY(race.of(0) && race.of(0)->streaming == 2);
    }

    void changesOfChannelStayOut() {
        Race race;
        race.lane("b:1", 0.78);
        RunBuilder thinks;
        for (int i = 0; i < 30; ++i)
            thinks.event(0.2 + 0.02 * i, 1, "hm ", Channel::reasoning);
        for (int i = 0; i < 30; ++i)
            thinks.event(1.3 + 0.02 * i, 1);
        race.add(thinks.finishedAt(4).build());
        QVERIFY(!race.of(0) && !race.of(1));
    }

    void imaginedStreamsAndOtherTimeLinesStayOut() {
        Race imagined;
        imagined.lane("a:1", 1.0).lane("b:1", 1.0, ClockSource::synthetic);
        QVERIFY(!imagined.of(0) && !imagined.of(1));
        Race moved;
        moved.lane("a:1", 1.0).lane("b:1", 1.0);
        moved.record(1).moved = std::chrono::seconds(5);
        QVERIFY(!moved.of(0));
        moved.record(0).moved = std::chrono::seconds(5);
        QVERIFY2(moved.of(0), "two lanes of one recording");
    }

    void runsWithoutAnythingAreTaken() {
        Race race;
        race.add(RunBuilder().outcome(Outcome::error).build());
        race.lane("a:1", 1.0);
        QVERIFY(!race.of(0) && !race.of(1));
        QVERIFY(stallsTogether({}).empty());
    }

    void openStallsCount() {
        std::vector<Stall> open(1);
        open[0].kind = StallKind::open;
        open[0].startS = 1;
        open[0].lengthS = 0.6;
        const auto running = [](const char* host) {
            RunBuilder run;
            run.record().spec.endpoint.url = host;
            return run.outcome(Outcome::running).event(0.2, 1).event(1, 1).build();
        };
        const RunRecord a = running("http://a:1/v1");
        const RunRecord b = running("http://b:1/v1");
        const auto all = stallsTogether({{&a, &open}, {&b, &open}});
        QVERIFY(all[0][0] && all[0][0]->side == StallSide::client);
        markTogether(open, all[0]);
        QVERIFY(open[0].together() && open[0].others == all[0][0]);
    }
};

QTEST_APPLESS_MAIN(TestStallsTogether)
#include "tst_stalls_together.moc"
