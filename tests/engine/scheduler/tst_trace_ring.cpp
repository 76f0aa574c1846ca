#include "engine/scheduler/trace_ring.h"

#include <QtTest>

using namespace decodescope::engine;

class TraceRingTest : public QObject {
    Q_OBJECT
private slots:
    void keepsTheLastStepsInOrder();
    void spansFromElsewhereGoWithTheirStep();
    void staysBounded();
};

void TraceRingTest::keepsTheLastStepsInOrder() {
    TraceRing ring(2);
    for (std::uint64_t step = 1; step <= 5; ++step) {
        const auto at = static_cast<std::int64_t>(step) * 100;
        const std::vector<CompactSpan> own{{SpanKind::decodeStep, -1, 3, 0, at, at + 50},
                                           {SpanKind::queue, -1, 0, 9, at - 20, at}};
        const std::vector<PhaseSpan> phases{{PhaseSpan::Phase::embed, 0, at + 1, at + 2},
                                            {PhaseSpan::Phase::attention, 4, at + 5, at + 10},
                                            {PhaseSpan::Phase::feedForward, 4, at + 10, at + 20},
                                            {PhaseSpan::Phase::head, 0, at + 20, at + 30}};
        ring.addStep(step, own, phases);
    }
    const std::vector<TraceSpan> spans = ring.spans();
    QCOMPARE(spans.size(), std::size_t{12});
    std::vector<std::string> names;
    for (std::size_t i = 0; i < 6; ++i) {
        names.push_back(spans[i].name);
        QCOMPARE(spans[i].step, std::uint64_t{4});
        QCOMPARE(spans[i + 6].step, std::uint64_t{5});
    }
    QVERIFY((names == std::vector<std::string>{"queue", "decode step", "embed", "attention", "feed forward", "head"}));
    QCOMPARE(spans[0].request, GenerationId{9});
    QCOMPARE(spans[1].tokens, 3U);
    QCOMPARE(spans[3].layer, 4);
    QCOMPARE(spans[3].beginNs, std::int64_t{405});
    QCOMPARE(spans[3].endNs, std::int64_t{410});
    QCOMPARE(spans[5].layer, -1);
}

void TraceRingTest::spansFromElsewhereGoWithTheirStep() {
    TraceRing ring(2);
    ring.addStep(1, {}, {});
    ring.add({"send", 1, 5, -1, 10, 20, 1});
    ring.addStep(2, {}, {});
    QCOMPARE(ring.spans().size(), std::size_t{1});
    QCOMPARE(ring.spans()[0].name, std::string("send"));
    ring.addStep(3, {}, {});
    QVERIFY(ring.spans().empty());
}

void TraceRingTest::staysBounded() {
    TraceRing ring(2);
    ring.addStep(1, {}, {});
    for (int i = 0; i < 1000; ++i)
        ring.add({"send", 1, 5, -1, i, i, 1});
    QCOMPARE(ring.spans().size(), std::size_t{2 * TraceRing::kMostSequences});
    QCOMPARE(ring.spans().back().beginNs, std::int64_t{999});
}

QTEST_APPLESS_MAIN(TraceRingTest)
#include "tst_trace_ring.moc"
