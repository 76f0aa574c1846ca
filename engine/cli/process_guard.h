#pragma once

#include "engine/base/error.h"

#include <csignal>
#include <cstdint>

namespace decodescope::engine {

/// Takes from a serving process what it does not need and what could give its token or a prompt away: core dumps, a
/// debugger's reach, new privileges. Allows it the descriptors that its connections need.
void confineToServing() noexcept;

/// The process is asked to end (SIGTERM) when its parent dies. False when the parent is dead already.
[[nodiscard]] bool dieWithParent() noexcept;

/// SIGTERM, SIGINT and SIGHUP as something to look at rather than an interruption. Made before any thread, so that all
/// threads leave the signals to it.
class EndSignals {
public:
    [[nodiscard]] static Result<EndSignals> watch();
    EndSignals(EndSignals&& other) noexcept;
    EndSignals(const EndSignals&) = delete;
    EndSignals& operator=(const EndSignals&) = delete;
    ~EndSignals();

    [[nodiscard]] bool arrived() noexcept; ///< at once
    void wait() noexcept;

private:
    explicit EndSignals(int fd);
    [[nodiscard]] bool look(int timeoutMs) noexcept;

    int m_fd;
    bool m_arrived = false;
};

} // namespace decodescope::engine
