#pragma once

#include "core/record/recording.h"
#include "core/source/token_source.h"

#include <memory>
#include <optional>

namespace decodescope {

/// Plays one recorded run beside live lanes, at its own pace: its t0 is the release, and every stamp is moved by the
/// same amount, so that all figures are those of the recording. The clock that stamped it stays named.
class RecordedSource final : public TokenSource {
public:
    RecordedSource(std::shared_ptr<const RecordedRun> run, const Clock& clock, SourceOutput output);
    ~RecordedSource() override;

    void prepare() override;
    [[nodiscard]] bool ready() const override;
    void release(std::optional<Instant> scheduled) override;
    void cancel(ErrorKind kind) override;
    [[nodiscard]] Instant now() const override;
    [[nodiscard]] ClockSource clockSource() const override;
    [[nodiscard]] bool stampedNow() const override { return false; }
    void pump() override;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace decodescope
