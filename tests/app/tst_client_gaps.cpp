// A run in which this process stood still: what is laid to us live is laid to us by its recording and its replay.
#include "app/report_json.h"
#include "core/record/replay_source.h"
#include "core/wire/stream_decoder.h"

#include <QTemporaryDir>
#include <QtTest>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <deque>

using namespace decodescope;
using namespace std::chrono_literals;

namespace {

/// One read to come: how long after the release, and its bytes.
struct DueRead {
    Duration after{};
    std::string bytes;
};

/// Delivers reads that this process stamps when it gets round to them, through the decoder that live runs use.
class LateSource final : public TokenSource {
public:
    LateSource(const Clock& clock, std::deque<DueRead> reads, SourceOutput output)
        : m_clock(clock)
        , m_reads(std::move(reads))
        , m_output(std::move(output)) {
        DecoderOptions options;
        options.protocol = "openai-chat";
        m_decoder = *StreamDecoder::create(options);
    }
    void prepare() override {}
    [[nodiscard]] bool ready() const override { return true; }
    void release(std::optional<Instant>) override {
        m_t0 = m_clock.now();
        for (const Milestone::Kind kind :
             {Milestone::Kind::started, Milestone::Kind::connected, Milestone::Kind::sent}) {
            m_output.raw->onMilestone(*m_t0, {kind});
            m_output.events->post({*m_t0, 0, 0, Milestone{kind}});
        }
    }
    void cancel(ErrorKind) override {}
    [[nodiscard]] Instant now() const override { return m_clock.now(); }
    [[nodiscard]] ClockSource clockSource() const override { return ClockSource::user; }
    /// All that waits is one read: so does a socket give it.
    void pump() override {
        ByteChunk chunk{m_clock.now(), m_read, {}};
        while (m_t0 && !m_reads.empty() && *m_t0 + m_reads.front().after <= chunk.at) {
            chunk.bytes += m_reads.front().bytes;
            m_reads.pop_front();
        }
        if (chunk.bytes.empty())
            return;
        ++m_read;
        m_output.raw->onChunk(chunk.at, chunk.read, chunk.bytes);
        std::vector<StreamEvent> events;
        m_decoder->feed(chunk, events);
        if (m_decoder->complete()) {
            const StampReport stamps{ClockSource::user, {}, 0, 0, 300ms};
            m_output.raw->onStamps(chunk.at, stamps);
            events.push_back({chunk.at, 0, 0, stamps});
            m_output.raw->onEnd(chunk.at, ErrorKind::none, {});
            m_decoder->finish({chunk.at, ErrorKind::none, {}}, events);
        }
        m_output.events->post(events);
    }

private:
    const Clock& m_clock;
    std::deque<DueRead> m_reads;
    SourceOutput m_output;
    std::unique_ptr<StreamDecoder> m_decoder;
    std::optional<Instant> m_t0;
    std::uint32_t m_read = 0;
};

/// 90 tokens, 20 ms apart, but for half a second in which the server itself says nothing.
std::deque<DueRead> script() {
    std::deque<DueRead> reads;
    Duration at = 100ms;
    reads.push_back({50ms, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"});
    for (int i = 0; i < 90; ++i) {
        reads.push_back(
            {at, R"(data: {"choices":[{"index":0,"delta":{"content":"w)" + std::to_string(i) + "\"}}]}\n\n"});
        at += i == 40 ? 500ms : 20ms;
    }
    reads.push_back({at, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"length\"}],"
                         "\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":90}}\n\ndata: [DONE]\n\n"});
    return reads;
}

/// "client at 0.4" and so on: where each stall begins, in tenths of a second.
std::string stallsOf(const Json& run) {
    std::string text;
    for (const Json& stall : run["stalls"])
        text += fmt::format("{}{} at {:.1f}", text.empty() ? "" : ", ", stall["kind"].get<std::string>(),
                            stall["start_s"].get<double>());
    return text;
}

/// The whole recording played to its end, in steps of 10 ms.
Json replayed(const RecordedRun& run) {
    FakeClock real;
    const auto shared = std::make_shared<RecordedRun>(run);
    const auto clock = std::make_shared<ReplayClock>(real, run.begin(), run.lastStamp());
    const auto mailbox = std::make_shared<EventMailbox>();
    const auto record = std::make_shared<RunRecord>(run.asked);
    RunRecorder recorder(record);
    LiveMetrics live;
    ReplaySource source(shared, clock, {mailbox, nullptr});
    source.prepare();
    source.release({});
    std::vector<StreamEvent> events;
    for (int i = 0; i < 1000 && record->outcome == Outcome::running; ++i) {
        real.advance(10ms);
        source.pump();
        mailbox->drain(events);
        for (const StreamEvent& event : events)
            recorder.apply(event);
        live.update(*record);
    }
    return runJson({record, live.summary(*record)}, TextExport::whole);
}

} // namespace

class ClientGapsTest : public QObject {
    Q_OBJECT

private slots:
    void aHiccupIsTheSameLiveRecordedAndReplayed() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("hiccup.decodescope").toStdString();
        FakeClock clock;
        const auto log = std::make_shared<HiccupLog>();
        Session session(
            [&](const RunSpec&, SourceOutput output) {
                return std::make_unique<LateSource>(clock, script(), std::move(output));
            },
            clock);
        LaneConfig lane;
        lane.id = 1;
        lane.spec.laneName = "A";
        lane.spec.endpoint.url = "http://127.0.0.1:1";
        lane.spec.endpoint.model = "m";
        session.setLanes({lane});
        session.setHiccups(log);
        const auto journal = Journal::create(path, {});
        QVERIFY(journal.has_value());
        session.setJournal(*journal);
        QVERIFY(session.start({}).has_value());
        const Instant begun = clock.now();
        // A millisecond a turn, but for two hiccups: a short one within an ordinary gap, and a long one that holds 15
        // tokens back.
        while (session.active() && clock.now() < begun + 10s) {
            const Duration since = clock.now() - begun;
            const Duration late = since == 405ms ? 300ms : since == 241ms ? 7ms : 0ms;
            clock.advance(1ms + late);
            if (late > 0ms)
                log->note({clock.now() - late, clock.now()});
            session.pump();
        }
        QVERIFY(!session.active());
        (*journal)->close();

        const ReportedLane live = reportLanes(session).front();
        const Json run = runJson(live.runs.front(), TextExport::whole);
        QCOMPARE(run["outcome"].get<std::string>(), std::string("complete"));
        QCOMPARE(run["token_events"].get<int>(), 90);
        QCOMPARE(QString::fromStdString(stallsOf(run)), QString("client at 0.4, generation at 0.9"));
        QCOMPARE(run["client_gaps"].get<int>(), 1);
        QCOMPARE(run["hiccup_gaps"].get<int>(), 1);
        QCOMPARE(run["hiccups"]["count"].get<int>(), 2);
        QCOMPARE(run["hiccups"]["max_s"].get<double>(), 0.3);
        // 76 arrivals make 75 gaps, one of which is ours; the longest of the others is the server's.
        QCOMPARE(run["itl_s"]["n"].get<int>(), 74);
        QVERIFY(qAbs(run["itl_s"]["max"].get<double>() - 0.5) < 0.002);
        QVERIFY(qAbs(run["itl_s"]["p50"].get<double>() - 0.02) < 0.002);

        const Result<Recording> recording = readRecording(path);
        QVERIFY(recording.has_value());
        const SessionReport report = reportRecording(*recording);
        QCOMPARE(report.lanes.size(), 1U);
        QCOMPARE(jsonDump(laneJson(report.lanes.front(), TextExport::whole), 1),
                 jsonDump(laneJson(live, TextExport::whole), 1));
        QCOMPARE(report.lanes.front().pooledGaps(), live.pooledGaps());
        QCOMPARE(live.pooledGaps().size(), 74U);
        QCOMPARE(jsonDump(replayed(*recording->runs.front()), 1), jsonDump(run, 1));
    }
};

QTEST_GUILESS_MAIN(ClientGapsTest)
#include "tst_client_gaps.moc"
