#pragma once

#include "core/net/engine_pool.h"
#include "core/source/token_source.h"

#include <memory>
#include <optional>

namespace decodescope {

/// A run of a model on this machine: waits for its engine, which is no part of TTFT, and then measures it over
/// loopback like any other endpoint. When the engine dies, the run's message says so in the engine's own last words.
class LocalSource final : public TokenSource {
public:
    /// `remote` makes the source that talks to the engine once it listens.
    LocalSource(EnginePool& pool, SourceFactory remote, RunSpec spec, SourceOutput output);
    ~LocalSource() override;

    void prepare() override;
    [[nodiscard]] bool ready() const override;
    void release(std::optional<Instant> scheduled) override;
    void cancel(ErrorKind kind) override;
    [[nodiscard]] Instant now() const override;
    [[nodiscard]] ClockSource clockSource() const override { return ClockSource::user; }
    void pump() override;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

/// For the composition root. Both must outlive every source made.
[[nodiscard]] SourceFactory makeLocalSourceFactory(EnginePool& pool, SourceFactory remote);

} // namespace decodescope
