#include "tests/core/session/fake_source.h"

#include <QtGlobal>

#include <algorithm>

namespace decodescope {

namespace {

class FakeSource final : public TokenSource {
public:
    FakeSource(std::shared_ptr<FakeState> state, const Clock& clock)
        : m_state(std::move(state))
        , m_clock(clock) {}
    ~FakeSource() override { m_state->destroyed = true; }

    void prepare() override { m_state->prepared = true; }
    bool ready() const override { return m_state->isReady; }
    void release(std::optional<Instant> scheduled) override {
        ++m_state->releases;
        m_state->scheduled = scheduled;
        m_state->released = scheduled.value_or(m_clock.now());
    }
    void cancel(ErrorKind kind) override {
        m_state->cancelled = true;
        m_state->cancelKind = kind;
        StreamEnd end;
        end.verdict = StreamEnd::Verdict::error;
        end.kind = kind;
        m_state->output.events->post(StreamEvent{m_clock.now(), 0, 0, end});
    }
    Instant now() const override { return m_clock.now(); }
    ClockSource clockSource() const override { return ClockSource::synthetic; }
    bool stampedNow() const override { return m_state->stampedNow; }

private:
    std::shared_ptr<FakeState> m_state;
    const Clock& m_clock;
};

} // namespace

SourceFactory FakeSources::factory() {
    return [this](const RunSpec& request, SourceOutput output) -> std::unique_ptr<TokenSource> {
        auto state = std::make_shared<FakeState>();
        state->request = request;
        state->output = std::move(output);
        m_made.push_back(state);
        return std::make_unique<FakeSource>(state, clock);
    };
}

FakeState& FakeSources::of(const std::string& laneName) const {
    const auto at = std::find_if(m_made.rbegin(), m_made.rend(),
                                 [&](const auto& state) { return state->request.laneName == laneName; });
    if (at == m_made.rend())
        qFatal("no source was made for lane %s", laneName.c_str());
    return **at;
}

void FakeSources::makeReady(const std::string& laneName) const {
    of(laneName).isReady = true;
}

void FakeSources::post(const std::string& laneName,
                       std::variant<Milestone, TokenDelta, UsageReport, FinishReported, StreamEnd> what) {
    StreamEvent event;
    event.at = clock.now();
    event.read = m_reads[laneName]++;
    std::visit([&](auto& part) { event.what = std::move(part); }, what);
    of(laneName).output.events->post(std::move(event));
}

void FakeSources::milestone(const std::string& laneName, Milestone::Kind kind) {
    post(laneName, Milestone{kind, false, {}});
}

void FakeSources::token(const std::string& laneName, const std::string& text) {
    Fragment fragment;
    fragment.text = text;
    post(laneName, TokenDelta{{fragment}, {}});
}

void FakeSources::end(const std::string& laneName, ErrorKind kind, const std::string& message) {
    StreamEnd end;
    end.kind = kind;
    end.message = message;
    if (kind == ErrorKind::truncated)
        end.verdict = StreamEnd::Verdict::incomplete;
    else if (kind != ErrorKind::none)
        end.verdict = StreamEnd::Verdict::error;
    post(laneName, std::move(end));
}

void FakeSources::wholeRun(const std::string& laneName) {
    milestone(laneName, Milestone::Kind::started);
    milestone(laneName, Milestone::Kind::sent);
    token(laneName);
    clock.advance(std::chrono::milliseconds(20));
    token(laneName);
    post(laneName, FinishReported{0, "stop"});
    end(laneName);
}

std::vector<LaneConfig> fakeLanes(int count) {
    std::vector<LaneConfig> lanes;
    for (int i = 0; i < count; ++i) {
        LaneConfig lane;
        lane.id = static_cast<LaneId>(i + 1);
        lane.look = i;
        lane.spec.laneName = std::string(1, static_cast<char>('A' + i));
        lane.spec.endpoint.url = "http://127.0.0.1:8080";
        lane.spec.endpoint.model = "fake";
        lane.spec.prompt = "Say something.";
        lanes.push_back(std::move(lane));
    }
    return lanes;
}

} // namespace decodescope
