#pragma once

#include "core/session/session.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace decodescope {

/// What the tests see of one source, also after the session dropped it.
struct FakeState {
    RunSpec request;
    SourceOutput output;
    bool prepared = false;
    bool isReady = false;
    bool stampedNow = true;
    bool cancelled = false;
    bool destroyed = false;
    int releases = 0;
    std::optional<Instant> scheduled; ///< as release() was given it
    Instant released{};
    ErrorKind cancelKind = ErrorKind::none;
};

/// Sources that do only what the test tells them to, on a clock that stands still.
class FakeSources {
public:
    [[nodiscard]] SourceFactory factory();
    /// The sources made so far, in order.
    [[nodiscard]] const std::vector<std::shared_ptr<FakeState>>& made() const { return m_made; }
    /// The latest source of a lane.
    [[nodiscard]] FakeState& of(const std::string& laneName) const;

    void makeReady(const std::string& laneName) const;
    void post(const std::string& laneName,
              std::variant<Milestone, TokenDelta, UsageReport, FinishReported, StreamEnd> what);
    void milestone(const std::string& laneName, Milestone::Kind kind);
    void token(const std::string& laneName, const std::string& text = "word ");
    void end(const std::string& laneName, ErrorKind kind = ErrorKind::none, const std::string& message = {});
    /// started, sent, two tokens 20 ms apart, finish, end.
    void wholeRun(const std::string& laneName);

    FakeClock clock;

private:
    std::vector<std::shared_ptr<FakeState>> m_made;
    std::map<std::string, std::uint32_t> m_reads;
};

/// Lanes named A, B, C ... with ids from 1, all against one loopback server.
[[nodiscard]] std::vector<LaneConfig> fakeLanes(int count);

} // namespace decodescope
