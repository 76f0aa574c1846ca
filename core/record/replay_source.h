#pragma once

#include "core/base/clock.h"
#include "core/record/recording.h"
#include "core/source/token_source.h"

#include <memory>

namespace decodescope {

/// The hand that all lanes of a replay follow: maps real time to the recording's time line. Speed 0.1 to 8,
/// pause, step. Lives on the session's thread.
class ReplayClock {
public:
    /// `start` and `end` on the recording's own time line.
    ReplayClock(const Clock& real, Instant start, Instant end);

    [[nodiscard]] Instant now() const; ///< never past the end
    [[nodiscard]] bool paused() const noexcept { return m_paused; }
    [[nodiscard]] double speed() const noexcept { return m_speed; }
    [[nodiscard]] Instant start() const noexcept { return m_start; }
    [[nodiscard]] Instant end() const noexcept { return m_end; }
    void setSpeed(double factor); ///< clamped to 0.1 ... 8
    void pause();
    void resume();
    /// While paused: moves to `t` (a step forward; earlier instants are ignored, what was shown stays shown).
    void stepTo(Instant t);

private:
    const Clock& m_real;
    Instant m_start, m_end;
    Instant m_anchorReal, m_anchorReplay;
    double m_speed = 1.0;
    bool m_paused = false;
};

/// Plays one recorded run through the same decoder as a live one. Delivers what is due whenever `pump()` is
/// called by Session::pump; stamps are those of the recording.
class ReplaySource final : public TokenSource {
public:
    ReplaySource(std::shared_ptr<const RecordedRun> run, std::shared_ptr<ReplayClock> clock, SourceOutput output);
    ~ReplaySource() override;

    void prepare() override;
    [[nodiscard]] bool ready() const override;
    void release(std::optional<Instant> scheduled) override;
    void cancel(ErrorKind kind) override;
    [[nodiscard]] Instant now() const override;
    [[nodiscard]] ClockSource clockSource() const override;
    [[nodiscard]] bool stampedNow() const override { return false; }
    void pump() override;
    /// The stamp of the next chunk or milestone not delivered yet: where a step goes.
    [[nodiscard]] std::optional<Instant> nextDue() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace decodescope
