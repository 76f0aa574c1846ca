#pragma once

#include "core/source/token_source.h"

#include <string>

namespace decodescope {

/// A run that cannot even be tried: it ends in prepare(), with a sentence that says why.
class FailedSource final : public TokenSource {
public:
    FailedSource(std::string message, const Clock& clock, SourceOutput output);

    void prepare() override;
    [[nodiscard]] bool ready() const override { return m_ended; }
    void release(std::optional<Instant>) override {}
    void cancel(ErrorKind kind) override;
    [[nodiscard]] Instant now() const override { return m_clock.now(); }
    [[nodiscard]] ClockSource clockSource() const override { return ClockSource::user; }
    [[nodiscard]] bool stampedNow() const override { return false; }

private:
    void end(ErrorKind kind);

    std::string m_message;
    const Clock& m_clock;
    SourceOutput m_output;
    bool m_ended = false;
};

} // namespace decodescope
