// Streams through real proxies that hold them back, each in its way: what the run says of them.
#include "core/metrics/metrics.h"
#include "core/record/run_recorder.h"
#include "tests/core/net/source_probe.h"
#include "tests/support/buffering_proxy.h"
#include "tests/support/openai_script.h"

#include <QtTest>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

using namespace decodescope;
using namespace std::chrono_literals;

using fault::BufferingProxy;
using fault::FaultServer;
using fault::Holding;

namespace {

/// A server that streams, a proxy before it, and a run through both.
class HeldRun {
public:
    HeldRun(const SourceFactory& factory, const fault::PaceOptions& pace, const Holding& holding)
        : m_server(fault::pacedRun(pace))
        , m_proxy(m_server.port(), holding)
        , m_probe(factory, SourceProbe::specFor(m_proxy.url())) {
        m_probe.prepare();
    }
    bool release() {
        const bool ready = m_probe.waitReady();
        m_probe.release();
        return ready;
    }
    /// Once it is over; the record is left in `record`.
    RunSummary summary() {
        if (!m_probe.waitEnd() || m_probe.outcome() != "complete/none")
            return {};
        RunRecorder recorder(record);
        for (const StreamEvent& event : m_probe.events())
            recorder.apply(event);
        return summarize(*record);
    }

    std::shared_ptr<RunRecord> record = std::make_shared<RunRecord>();

private:
    FaultServer m_server;
    BufferingProxy m_proxy;
    SourceProbe m_probe;
};

bool flagged(const RunSummary& s, const char* name) {
    return std::find(s.flags.begin(), s.flags.end(), name) != s.flags.end();
}

const BufferingSign* sign(const RunSummary& s, BufferingKind kind) {
    const auto& signs = s.buffering.signs;
    const auto found = std::find_if(signs.begin(), signs.end(), [&](const auto& each) { return each.kind == kind; });
    return found == signs.end() ? nullptr : &*found;
}

std::string told(const RunSummary& s) {
    std::string text = std::to_string(s.tokenEvents) + " events, " + std::to_string(s.arrivals) + " arrivals;";
    for (const std::string& flag : s.flags)
        text += ' ' + flag;
    for (const BufferingSign& one : s.buffering.signs)
        text += "\n" + one.evidence;
    return text;
}

/// The share of the gaps between arrivals that lie in [from, to].
double shareOfGaps(const RunRecord& record, Duration from, Duration to) {
    std::size_t gaps = 0;
    std::size_t within = 0;
    for (std::size_t i = 1; i < record.events.size(); ++i) {
        const Duration gap = record.events[i].at - record.events[i - 1].at;
        gaps += gap > Duration::zero() ? 1 : 0;
        within += gap >= from && gap <= to ? 1 : 0;
    }
    return gaps == 0 ? 0 : static_cast<double>(within) / static_cast<double>(gaps);
}

} // namespace

class TestBufferedStreams : public QObject {
    Q_OBJECT

    NetworkThread m_network;

private slots:
    /// All at once, since they take their time.
    void eachWayOfHoldingBackIsTold() {
        const SourceFactory factory = makeRemoteSourceFactory(m_network);
        fault::PaceOptions pace;
        pace.tokens = 70;
        fault::PaceOptions longer = pace;
        longer.tokens = 330;
        longer.interval = 16ms; // 10 KiB a second: like no buffer's size
        HeldRun streaming(factory, pace, {Holding::Until::nothing, 0, {}});
        HeldRun held(factory, pace, {Holding::Until::end, 0, {}});
        HeldRun full(factory, longer, {Holding::Until::full, 4096, {}});
        HeldRun clocked(factory, longer, {Holding::Until::clock, 0, 1s});
        for (HeldRun* run : {&streaming, &held, &full, &clocked})
            QVERIFY(run->release());

        const RunSummary atOnce = held.summary();
        QCOMPARE(atOnce.tokenEvents, std::uint64_t{70});
        QVERIFY2(flagged(atOnce, "not_really_streamed"), told(atOnce).c_str());
        QVERIFY2(sign(atOnce, BufferingKind::notReallyStreamed) != nullptr, told(atOnce).c_str());
        QVERIFY(atOnce.buffering.signs.front().kind == BufferingKind::notReallyStreamed);

        const RunSummary truly = streaming.summary();
        QCOMPARE(truly.tokenEvents, std::uint64_t{70});
        QVERIFY2(!flagged(truly, "not_really_streamed"), told(truly).c_str());
        for (const BufferingKind kind : {BufferingKind::notReallyStreamed, BufferingKind::proxyBuffer,
                                         BufferingKind::bursts, BufferingKind::nagle})
            QVERIFY2(sign(truly, kind) == nullptr, told(truly).c_str());

        const RunSummary bySize = full.summary();
        QCOMPARE(bySize.tokenEvents, std::uint64_t{330});
        QVERIFY2(bySize.buffering.flushedBy == FlushedBy::size, told(bySize).c_str());
        QVERIFY2(bySize.buffering.bufferBytes == 4096U, told(bySize).c_str());
        QVERIFY(sign(bySize, BufferingKind::proxyBuffer)->evidence.find("4 KiB") != std::string::npos);
        QVERIFY2(!flagged(bySize, "not_really_streamed"), told(bySize).c_str());

        const RunSummary byClock = clocked.summary();
        QCOMPARE(byClock.tokenEvents, std::uint64_t{330});
        QVERIFY2(byClock.buffering.flushedBy == FlushedBy::time, told(byClock).c_str());
        QVERIFY2(std::abs(byClock.buffering.burstPeriodS.value() - 1) < 0.1, told(byClock).c_str());
        QVERIFY2(flagged(byClock, "bursts") && flagged(byClock, "proxy_buffer"), told(byClock).c_str());
        QVERIFY2(!flagged(byClock, "not_really_streamed"), told(byClock).c_str());
    }

    /// Its sign is a gap of 40 ms to a few: the run is told by it if the machine let the proxy keep that.
    void waitingForAcknowledgementsIsTold() {
        const SourceFactory factory = makeRemoteSourceFactory(m_network);
        fault::PaceOptions pace;
        pace.tokens = 120;
        pace.interval = 14ms;
        for (int attempt = 0; attempt < 3; ++attempt) {
            HeldRun pairs(factory, pace, {Holding::Until::acknowledged, 0, 40ms});
            QVERIFY(pairs.release());
            const RunSummary summary = pairs.summary();
            QCOMPARE(summary.tokenEvents, std::uint64_t{120});
            QVERIFY2(!flagged(summary, "not_really_streamed"), told(summary).c_str());
            if (shareOfGaps(*pairs.record, 38ms, 46ms) < 0.8)
                continue;
            QVERIFY2(flagged(summary, "nagle"), told(summary).c_str());
            QVERIFY(sign(summary, BufferingKind::nagle)->advice.find("TCP_NODELAY") != std::string::npos);
            return;
        }
        QSKIP("this machine is too busy to keep a rhythm of 40 ms");
    }
};

QTEST_GUILESS_MAIN(TestBufferedStreams)
#include "tst_buffered_streams.moc"
