#include "core/metrics/engine_metrics.h"
#include "core/metrics/metrics.h"
#include "tests/support/run_builder.h"

#include <QtTest>
#include <rapidcheck.h>

#include <utility>

using namespace decodescope;
using namespace decodescope::test;

namespace {

EngineFacts facts() {
    EngineFacts f;
    f.weightBytes = 100'000'000;
    f.kvBytesPerToken = 20'000;
    f.bandwidthGBps = 20.0;
    return f;
}

/// A step of 10 ms that read 110 MB: 11 GB/s.
EngineStep step(std::uint64_t id, Instant sampled) {
    EngineStep s;
    s.tokens = 1;
    s.stepId = id;
    s.sampledAtNs = toNs(sampled);
    s.endNs = s.sampledAtNs;
    s.beginNs = s.endNs - 10'000'000;
    s.position = static_cast<std::uint32_t>(50 + id);
    s.kvLength = s.position + 1;
    s.batch = 2;
    s.rows = 2;
    s.attentionNs = 2'000'000;
    s.feedForwardNs = 5'000'000;
    s.headNs = 1'000'000;
    s.samplingNs = 500'000;
    s.weightBytes = 100'000'000;
    s.kvBytes = 10'000'000;
    return s;
}

/// `n` events 20 ms apart, each sampled 0.2 ms before it came.
RunRecord engineRun(int n) {
    RunBuilder b;
    for (int i = 0; i < n; ++i)
        b.event(0.1 + 0.02 * i);
    RunRecord record = b.build();
    record.engine = facts();
    for (int i = 0; i < n; ++i) {
        const Instant at = record.events[static_cast<std::size_t>(i)].at;
        record.engineSteps.push_back({step(static_cast<std::uint64_t>(i), at - std::chrono::microseconds(200)), at,
                                      static_cast<std::uint32_t>(i)});
        record.events[static_cast<std::size_t>(i)].tokens.engine = 1;
    }
    return record;
}

bool near(std::optional<double> value, double expected) {
    return value && std::abs(*value - expected) <= 1e-9 * std::max(1.0, std::abs(expected));
}

} // namespace

class EngineMetricsTest : public QObject {
    Q_OBJECT

private slots:
    void aRunOfAnotherServerHasNone() { QVERIFY(!summarize(RunBuilder().tokens(9).until(1).build()).engine); }

    void figuresOfASteadyRun() {
        const RunSummary summary = summarize(engineRun(41));
        QVERIFY(summary.engine);
        const EngineSummary& e = *summary.engine;
        QCOMPARE(e.deliveryLag->n, 41U);
        QVERIFY(near(e.deliveryLag->p50, 0.0002));
        QCOMPARE(e.steps, 40U); // the first token is the prefill's
        QVERIFY(near(e.stepTime->p50, 0.010));
        QVERIFY(near(e.gbPerS, 11.0));
        QVERIFY(near(e.bandwidthFraction, 0.55));
        QVERIFY(near(e.bytesPerStep, 110e6));
        QCOMPARE(e.kvBytes, std::optional<std::uint64_t>(91 * 20'000));
        QVERIFY(near(e.predictedTpsFirst, 20e9 / (100e6 + 20e3 * 50)));
        QVERIFY(near(e.predictedTpsLast, 20e9 / (100e6 + 20e3 * 90)));
        QVERIFY(e.phases);
        QVERIFY(near(e.phases->attention, 0.2) && near(e.phases->feedForward, 0.5) && near(e.phases->head, 0.1) &&
                near(e.phases->sampling, 0.05) && near(e.phases->rest, 0.15));
        QVERIFY(near(e.meanBatch, 2.0));
        QCOMPARE(e.largestBatch, 2U);
        QVERIFY(!e.acceptance);
        QVERIFY(summary.tokens.source == TokenSourceKind::engine);
        QVERIFY(summary.tokens.basis == TokenBasis::perEvent);
    }

    void noDecodeStepReadsFasterThanTheMemory() {
        // A rate measured at load beside other work, here 10 GB/s, is too low: the steps read 11 GB/s.
        RunRecord record = engineRun(41);
        const std::vector<EngineRow> rows = std::exchange(record.engineSteps, {});
        record.engine->bandwidthGBps = 10.0;
        for (const EngineRow& row : rows) {
            record.engineSteps.push_back(row);
            raiseBandwidth(record);
        }
        const RunSummary summary = summarize(record);
        QVERIFY(near(summary.engine->bandwidthGBps, 11.0));
        QVERIFY(near(summary.engine->bandwidthFraction, 1.0));
        QVERIFY(near(summary.engine->predictedTpsFirst, 11e9 / (100e6 + 20e3 * 50)));
        // The prefill's last step, however fast, is no reading of the weights for one token.
        RunRecord prefill = engineRun(1);
        prefill.engine->bandwidthGBps = 10.0;
        raiseBandwidth(prefill);
        QCOMPARE(prefill.engine->bandwidthGBps, std::optional(10.0));
        RunRecord untold = engineRun(3);
        untold.engine->bandwidthGBps.reset();
        raiseBandwidth(untold);
        QVERIFY(!untold.engine->bandwidthGBps); // what a lane reached is no measurement of the memory
    }

    void aStampOfAnotherClockMakesTheLagUndefined() {
        RunRecord late = engineRun(5);
        late.engineSteps[3].step.sampledAtNs = toNs(late.engineSteps[3].at) + 1; // after it came
        QVERIFY(!deliveryLagS(late, late.engineSteps[3]));
        QVERIFY(deliveryLagS(late, late.engineSteps[2]));
        QVERIFY(!summarize(late).engine->deliveryLag);
        RunRecord early = engineRun(5);
        early.engineSteps[0].step.sampledAtNs = toNs(*early.started) - 1; // before it was asked for
        QVERIFY(!summarize(early).engine->deliveryLag);
    }

    void aServerMayAnswerBeforeWeNoteThatTheRequestLeft() {
        RunRecord quick = engineRun(5);
        quick.sent = quick.engineSteps[0].at;
        quick.engineSteps[0].step.sampledAtNs = toNs(*quick.sent) - 1;
        QVERIFY(quick.engineSteps[0].step.sampledAtNs > toNs(*quick.started));
        QVERIFY(deliveryLagS(quick, quick.engineSteps[0]));
        QVERIFY(summarize(quick).engine->deliveryLag);
    }

    void impossibleStepsTellNothing() {
        EngineStep s = step(1, RunBuilder::at(1));
        s.endNs = s.beginNs;
        QVERIFY(!stepTimeS(s) && !stepGBps(s) && !phaseShares(s));
        s = step(1, RunBuilder::at(1));
        s.attentionNs = 11'000'000; // longer than the step
        QVERIFY(stepTimeS(s) && !phaseShares(s));
        s = step(1, RunBuilder::at(1));
        s.weightBytes = s.kvBytes = 0;
        QVERIFY(!stepGBps(s));
        EngineFacts f = facts();
        f.bandwidthGBps.reset();
        QVERIFY(!predictedTps(f, 1) && !bandwidthFraction(f, 3));
        f.kvBytesPerToken = 1ULL << 60;
        QVERIFY(!kvBytesAt(f, 1ULL << 40));
    }

    void tokensOfOneStepCountItOnce() {
        RunRecord record = engineRun(4);
        record.engineSteps[2].step.stepId = record.engineSteps[1].step.stepId;
        QCOMPARE(summarize(record).engine->steps, 2U);
    }

    void draftsGiveAnAcceptance() {
        RunRecord record = engineRun(4);
        for (EngineRow& row : record.engineSteps) {
            row.step.drafted = 4;
            row.step.accepted = 3;
        }
        const EngineSummary e = *summarize(record).engine;
        QCOMPARE(e.drafted, 12U);
        QVERIFY(near(e.acceptance, 0.75));
    }

    void thePromptIsTold() {
        RunRecord record = engineRun(2);
        EnginePrompt prompt;
        prompt.tokens = 120;
        prompt.cached = 20;
        prompt.chunks = 2;
        prompt.prefillNs = 500'000'000;
        record.enginePrompt = prompt;
        const EngineSummary e = *summarize(record).engine;
        QVERIFY(near(e.prefillTps, 200));
        QVERIFY(near(e.queue, 0));
        QCOMPARE(e.prefillChunks, 2U);
    }

    void growingRunsGiveTheSameAsWholeOnes() {
        rc::check("fed row by row or at once, the figures are equal to the last bit", [] {
            const RunRecord whole = engineRun(*rc::gen::inRange(1, 60));
            EngineMetrics live;
            RunRecord growing = whole;
            growing.engineSteps.clear();
            for (const EngineRow& row : whole.engineSteps) {
                growing.engineSteps.push_back(row);
                if (*rc::gen::arbitrary<bool>())
                    live.update(growing);
            }
            live.update(growing);
            EngineMetrics batch;
            batch.update(whole);
            const EngineSummary a = *live.summary(growing);
            const EngineSummary b = *batch.summary(whole);
            RC_ASSERT(a.gbPerS == b.gbPerS);
            RC_ASSERT(a.deliveryLag == b.deliveryLag);
            RC_ASSERT(a.stepTime == b.stepTime);
            RC_ASSERT(a.phases == b.phases);
            RC_ASSERT(a.steps == b.steps);
        });
    }
};

QTEST_GUILESS_MAIN(EngineMetricsTest)
#include "tst_engine_metrics.moc"
