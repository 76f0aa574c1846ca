// When things happened, whatever the machine, its clock and its other threads do meanwhile.
#include "core/metrics/metrics.h"
#ifdef __linux__
#include "core/net/kernel_stamp_transport.h"
#include "tests/core/net/stepped_clocks.h"
#endif
#include "core/record/run_recorder.h"
#include "tests/core/net/source_probe.h"
#include "tests/core/net/transport_rows.h"
#include "tests/support/openai_script.h"

#include <QtTest>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

using namespace decodescope;
using namespace std::chrono_literals;

using fault::FaultServer;
using fault::Script;

class TestRemoteStamps : public QObject {
    Q_OBJECT

    NetworkThread m_network;
    SourceFactory m_factory; // over the transport of the row

private slots:
    void initTestCase_data() { addTransportRows(); }
    void init() { m_factory = makeRemoteSourceFactory(m_network, transportOfRow()); }

    void f43_aBlockedGuiThreadMovesNoStamp() {
        fault::PaceOptions pace;
        pace.tokens = 50;
        pace.interval = 20ms;
        FaultServer server(fault::pacedRun(pace));
        SourceProbe probe(m_factory, SourceProbe::specFor(server.url()));
        probe.prepare();
        QVERIFY(probe.waitReady());
        probe.release();
        // This thread is the one that draws; it does nothing for two seconds, and looks at the run only then.
        QTest::qSleep(2000);
        const Instant awake = std::chrono::steady_clock::now();
        QVERIFY(probe.waitEnd());
        QVERIFY(probe.endedAt() < awake);
        const auto sent = server.sendStamps();
        std::size_t token = 0;
        Instant last = sent.front().at;
        for (const StreamEvent& event : probe.events()) {
            const auto* delta = std::get_if<TokenDelta>(&event.what);
            if (delta == nullptr || delta->fragments.empty())
                continue;
            QVERIFY(event.at >= sent.at(++token).at && event.at >= last);
            last = event.at;
        }
        QCOMPARE(token, std::size_t(pace.tokens));
    }

#ifdef __linux__
    void f42_steppingTheWallClockMidRunChangesNoMetric_data() {
        QTest::addColumn<int>("hours");
        QTest::newRow("on") << 2;
        QTest::newRow("back") << -2;
    }
    void f42_steppingTheWallClockMidRunChangesNoMetric() {
        if (transportOfRow() != TransportKind::kernel)
            QSKIP("only the kernel stamps by the wall clock");
        QFETCH(int, hours);
        const auto clocks = std::make_shared<SteppedClocks>();
        // The second half of the stream is sent once the clock was stepped, however late this thread gets to that.
        const auto stepped = std::make_shared<std::atomic<bool>>(false);
        fault::PaceOptions half;
        half.tokens = 20;
        half.interval = 5ms;
        std::vector<std::string> first;
        for (int i = 0; i < half.tokens; ++i)
            first.push_back(fault::textEvent(fault::wordFor(i)));
        FaultServer server(Script{fault::readRequest(), fault::send(fault::sseHead(false))} +
                           fault::paced(first, half.first, half.interval) +
                           Script{fault::choose([stepped, half](const fault::Request&) {
                               if (!FaultServer::waitFor([&] { return stepped->load(); }))
                                   return Script{fault::close()};
                               Script rest;
                               for (int i = 0; i < half.tokens; ++i)
                                   rest = rest + Script{fault::pause(half.interval),
                                                        fault::send(fault::textEvent(fault::wordFor(20 + i)))};
                               return rest + Script{fault::send(fault::finishEvent() + fault::usageEvent(10, 40) +
                                                                fault::doneEvent())};
                           })});
        const Instant before = std::chrono::steady_clock::now();
        SourceProbe probe(makeRemoteSourceFactory(m_network, kernelStampTransportFactory(m_network, {.clocks = clocks}),
                                                  ClockSource::kernel),
                          SourceProbe::specFor(server.url()));
        probe.prepare();
        QVERIFY(probe.waitReady());
        probe.release();
        QVERIFY(probe.waitText(20));
        clocks->step(std::chrono::hours(hours));
        *stepped = true;
        QVERIFY(probe.waitEnd());
        const double tookSeconds = toSeconds(std::chrono::steady_clock::now() - before);

        const auto record = std::make_shared<RunRecord>();
        RunRecorder recorder(record);
        for (const StreamEvent& event : probe.events())
            recorder.apply(event);
        const RunSummary summary = summarize(*record);
        QCOMPARE(probe.outcome(), std::string("complete/none"));
        QVERIFY(summary.ttft && summary.decode && summary.e2e && summary.itl);
        QVERIFY(*summary.ttft > 0 && *summary.ttft <= *summary.e2e);
        QVERIFY(*summary.decode > 0 && *summary.decode <= *summary.e2e);
        QVERIFY(*summary.e2e <= tookSeconds);
        QVERIFY(summary.itl->max <= *summary.decode);
        // No stamp of the kernel's after the step is believed, and the run says so.
        QVERIFY(record->stamps && record->stamps->rejected > 0);
        QVERIFY(record->stamps->source == ClockSource::user && record->clock == ClockSource::user);
        QVERIFY(std::find(record->warnings.begin(), record->warnings.end(), "stamp_rejected") !=
                record->warnings.end());
        QVERIFY(std::find(summary.flags.begin(), summary.flags.end(), "stamp_rejected") != summary.flags.end());
        QCOMPARE(record->events.size(), std::size_t{40});
        const auto sent = server.sendStamps();
        std::size_t token = 0;
        for (const TokenEvent& event : record->events) {
            QVERIFY(event.at + 1us >= sent.at(++token).at);
            QVERIFY(toSeconds(event.at - before) <= tookSeconds);
        }
    }
#endif

    /// Nobody waits for anybody: the server answers none before all 64 have asked on the one port.
    void sixtyFourStreamsToOnePortRunAtOnce() {
        constexpr int kStreams = 64;
        const auto asked = std::make_shared<std::atomic<int>>(0);
        FaultServer server(Script{fault::readRequest(), fault::choose([asked](const fault::Request&) {
                                      ++*asked;
                                      const bool all = FaultServer::waitFor([&] { return *asked == kStreams; });
                                      return all ? fault::pacedResponse({.tokens = 2}) : Script{fault::close()};
                                  })});
        std::vector<std::unique_ptr<SourceProbe>> probes;
        for (int i = 0; i < kStreams; ++i) {
            probes.push_back(std::make_unique<SourceProbe>(m_factory, SourceProbe::specFor(server.url())));
            probes.back()->prepare();
        }
        for (const auto& probe : probes)
            QVERIFY(probe->waitReady());
        for (const auto& probe : probes)
            probe->release();
        for (const auto& probe : probes) {
            QVERIFY(probe->waitEnd());
            QCOMPARE(probe->outcome(), std::string("complete/none"));
        }
        QCOMPARE(server.connections(), kStreams);
    }
};

QTEST_GUILESS_MAIN(TestRemoteStamps)
#include "tst_remote_stamps.moc"
