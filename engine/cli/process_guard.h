#pragma once

#include "engine/base/error.h"

#include <atomic>
#include <csignal>
#include <thread>

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

    /// Whether one has come, after waiting for it at most so long; negative: for ever.
    [[nodiscard]] bool arrived(int timeoutMs) noexcept;

private:
    explicit EndSignals(int fd);

    int m_fd;
    bool m_arrived = false;
};

/// While it lives, a signal ends the process at once, with status 130: for work that has nothing to tidy and looks at
/// nothing for seconds, such as loading.
class EndAtOnce {
public:
    /// Without a thread from the system the signals wait for whoever looks at them next.
    explicit EndAtOnce(EndSignals& signals);
    ~EndAtOnce();
    EndAtOnce(const EndAtOnce&) = delete;
    EndAtOnce& operator=(const EndAtOnce&) = delete;

private:
    std::atomic<bool> m_over = false;
    std::thread m_thread;
};

} // namespace decodescope::engine
