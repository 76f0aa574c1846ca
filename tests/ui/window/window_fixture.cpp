#include "tests/ui/window/window_fixture.h"

#include "core/source/synthetic_source.h"

#include <QRegularExpression>
#include <QTest>

#include <functional>

namespace decodescope {
namespace {

/// Ends as it is told, after an optional head of text.
class EndingSource final : public TokenSource {
public:
    EndingSource(const Clock& clock, SourceOutput output, StreamEnd end, bool withText, bool endsByItself)
        : m_clock(clock)
        , m_output(std::move(output))
        , m_end(std::move(end))
        , m_withText(withText)
        , m_endsByItself(endsByItself) {}
    void prepare() override {}
    [[nodiscard]] bool ready() const override { return true; }
    void release(std::optional<Instant> scheduled) override {
        const Instant t0 = scheduled.value_or(m_clock.now());
        post(t0, Milestone{});
        post(t0, Milestone{.kind = Milestone::Kind::sent});
        if (m_withText) {
            post(m_clock.now(), MessageArrived{});
            TokenDelta delta;
            delta.fragments.push_back({.text = "It began well"});
            post(m_clock.now(), std::move(delta));
        }
        if (m_endsByItself)
            end(m_end);
    }
    void cancel(ErrorKind kind) override {
        StreamEnd stopped;
        stopped.verdict = StreamEnd::Verdict::error;
        stopped.kind = kind;
        stopped.message = "Stopped.";
        end(stopped);
    }
    [[nodiscard]] Instant now() const override { return m_clock.now(); }
    [[nodiscard]] ClockSource clockSource() const override { return ClockSource::synthetic; }

private:
    template <class What> void post(Instant at, What what) {
        m_output.events->post(StreamEvent{.at = at, .what = std::move(what)});
    }
    void end(const StreamEnd& how) {
        if (!m_ended)
            post(m_clock.now(), how);
        m_ended = true;
    }
    const Clock& m_clock;
    SourceOutput m_output;
    StreamEnd m_end;
    bool m_withText, m_endsByItself;
    bool m_ended = false;
};

StreamEnd failed(ErrorKind kind, std::string message, std::optional<int> status) {
    StreamEnd end;
    end.verdict = StreamEnd::Verdict::error;
    end.kind = kind;
    end.message = std::move(message);
    end.httpStatus = status;
    if (status)
        end.body = R"({"error":{"message":"Incorrect API key provided."}})";
    return end;
}

} // namespace

WindowFixture::WindowFixture() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^QObject::")));
}

std::unique_ptr<TokenSource> WindowFixture::source(const RunSpec& spec, SourceOutput output) {
    ++sourcesMade;
    keySeen = spec.key ? std::string(spec.key->revealForTransport()) : std::string();
    const std::string& model = spec.endpoint.model;
    if (model == "refused") {
        return std::make_unique<EndingSource>(*m_clock, std::move(output),
                                              failed(ErrorKind::auth, "Incorrect API key provided.", 401), false, true);
    }
    if (model == "cut") {
        return std::make_unique<EndingSource>(
            *m_clock, std::move(output), failed(ErrorKind::connectionClosed, "The server closed the connection.", {}),
            true, true);
    }
    if (model == "silent")
        return std::make_unique<EndingSource>(*m_clock, std::move(output), StreamEnd{}, false, false);
    SyntheticSpec synthetic;
    synthetic.model = model;
    synthetic.seed = std::hash<std::string>{}(spec.laneName);
    synthetic.ttftMs = 30;
    synthetic.tokensPerS = 400;
    synthetic.outputTokens = 60;
    if (model == "long") {
        synthetic.outputTokens = 100'000;
        synthetic.tokensPerS = 100;
    }
    if (model == "stalls") {
        synthetic.stalls = {{.kind = SyntheticStall::Kind::generation, .afterToken = 15, .lengthMs = 250},
                            {.kind = SyntheticStall::Kind::delivery, .afterToken = 40, .lengthMs = 220}};
    }
    return std::make_unique<SyntheticSource>(synthetic, *m_clock, std::move(output));
}

WindowServices WindowFixture::services() {
    WindowServices services;
    services.clock = m_clock;
    services.sources = [this](const RunSpec& spec, SourceOutput output) { return source(spec, std::move(output)); };
    services.resolveKey = [this](const KeyReference& key) -> Result<std::shared_ptr<const Secret>> {
        const auto found = environment.find(key.name);
        if (found == environment.end())
            return fail(ErrorCode::usage, "The variable " + key.name + " is not set.");
        return std::make_shared<const Secret>(found->second);
    };
    services.listModels = [this](const EndpointSpec&, std::shared_ptr<const Secret>, const ModelsAnswer& answer) {
        ++modelsAsked;
        EndpointAnswer heard;
        heard.models = models;
        heard.connected = models.has_value();
        answer(heard);
    };
    services.measureMachine = [this](std::function<void(Result<std::string>)> answer) {
        ++measurementsBegun;
        measured = std::move(answer);
        return [this] { ++measurementsCancelled; };
    };
    services.recordingHeader = [] {
        RecordingHeader header;
        header.app = "decodescope test";
        header.startedUtc = "2026-01-01T00:00:00.000Z";
        header.clock = ClockSource::synthetic;
        return header;
    };
    services.settingsFile = path(QStringLiteral("config/settings.json"));
    services.recordingsFolder = path(QStringLiteral("recordings"));
    services.shippedFolder = path(QStringLiteral("shipped"));
    services.version = QStringLiteral("0.0.0");
    return services;
}

RunSpec WindowFixture::lane(const std::string& model) {
    RunSpec spec;
    spec.laneName = model;
    spec.endpoint.url = "http://127.0.0.1:9";
    spec.endpoint.model = model;
    return spec;
}

QString WindowFixture::recording() {
    const QString file = path(QStringLiteral("made.decodescope"));
    auto journal = Journal::create(file.toStdString(), services().recordingHeader());
    if (!journal)
        return {};
    Session session([this](const RunSpec& spec, SourceOutput output) { return source(spec, std::move(output)); },
                    *m_clock);
    session.setJournal(*journal);
    std::vector<LaneConfig> lanes;
    for (const char* model : {"steady", "stalls"}) {
        RunSpec spec = lane(model);
        spec.prompt = "Why?";
        lanes.push_back(
            {.id = static_cast<LaneId>(lanes.size() + 1), .look = static_cast<int>(lanes.size()), .spec = spec});
    }
    session.setLanes(std::move(lanes));
    if (!session.start({}))
        return {};
    for (int i = 0; i < 2000 && session.active(); ++i) {
        session.pump();
        QTest::qWait(2);
    }
    (*journal)->close();
    return file;
}

} // namespace decodescope
