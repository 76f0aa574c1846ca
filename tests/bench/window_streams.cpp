#include "tests/bench/window_streams.h"

#include "core/record/synthetic_run.h"

#include <fmt/format.h>

#include <cstdlib>

namespace decodescope::bench {
namespace {

/// A synthetic stream that was sent some time ago.
class OlderSource final : public TokenSource {
public:
    OlderSource(const BenchStream& stream, const Clock& clock, SourceOutput output)
        : m_stream(stream.spec, clock, std::move(output))
        , m_clock(clock)
        , m_headStart(fromSeconds(stream.headStartS)) {}
    void prepare() override { m_stream.prepare(); }
    [[nodiscard]] bool ready() const override { return m_stream.ready(); }
    void release(std::optional<Instant> scheduled) override {
        m_stream.release(scheduled.value_or(m_clock.now()) - m_headStart);
    }
    void cancel(ErrorKind kind) override { m_stream.cancel(kind); }
    [[nodiscard]] Instant now() const override { return m_stream.now(); }
    [[nodiscard]] ClockSource clockSource() const override { return m_stream.clockSource(); }
    void pump() override { m_stream.pump(); }

private:
    SyntheticSource m_stream;
    const Clock& m_clock;
    Duration m_headStart;
};

RecordingHeader header() {
    RecordingHeader made;
    made.app = "decodescope benchmark";
    made.startedUtc = "2026-01-01T00:00:00.000Z";
    made.clock = ClockSource::synthetic;
    return made;
}

} // namespace

WindowServices WindowSurroundings::services() {
    WindowServices services;
    services.clock = m_clock;
    services.sources = [this](const RunSpec& spec, SourceOutput output) -> std::unique_ptr<TokenSource> {
        const auto found = m_streams.find(spec.endpoint.model);
        if (found == m_streams.end())
            return nullptr;
        BenchStream stream = found->second;
        stream.spec.seed = std::hash<std::string>{}(spec.laneName);
        return std::make_unique<OlderSource>(stream, *m_clock, std::move(output));
    };
    services.resolveKey = [](const KeyReference&) -> Result<std::shared_ptr<const Secret>> {
        return std::shared_ptr<const Secret>();
    };
    services.listModels = [](const EndpointSpec&, const std::shared_ptr<const Secret>&, const ModelsAnswer&) {};
    services.recordingHeader = header;
    services.settingsFile = m_folder.filePath(QStringLiteral("settings.json"));
    services.recordingsFolder = m_folder.filePath(QStringLiteral("recordings"));
    services.shippedFolder = QStringLiteral(":/recordings");
    services.version = QStringLiteral(DECODESCOPE_VERSION);
    return services;
}

QString WindowSurroundings::writeRecording(std::uint32_t tokens, std::uint32_t lanes) {
    const QString path = m_folder.filePath(QStringLiteral("made-%1-%2.decodescope").arg(tokens).arg(lanes));
    const auto journal = Journal::create(path.toStdString(), header());
    if (!journal)
        std::exit(1);
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        SyntheticSpec spec;
        spec.seed = lane + 1;
        spec.outputTokens = tokens / lanes;
        RecordedRun run = syntheticRun(spec);
        run.asked.lane = static_cast<int>(lane);
        run.asked.spec.laneName = fmt::format("lane {}", lane + 1);
        const auto sink = (*journal)->openRun(run.asked);
        for (const auto& [at, milestone] : run.milestones)
            sink->onMilestone(at, milestone);
        for (const ByteChunk& chunk : run.chunks)
            sink->onChunk(chunk.at, chunk.read, chunk.bytes);
        sink->onEnd(run.end->at, run.end->kind, run.end->message);
    }
    (*journal)->close();
    return path;
}

} // namespace decodescope::bench
