#include "engine/cli/process_guard.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace decodescope::engine {

void confineToServing() noexcept {
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    constexpr rlim_t kDescriptors = 4096;
    rlimit files{};
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < kDescriptors) {
        files.rlim_cur = std::min(files.rlim_max, kDescriptors);
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

bool dieWithParent() noexcept {
    const pid_t parent = getppid();
    prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
    return getppid() == parent && parent != 1;
}

Result<EndSignals> EndSignals::watch() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP})
        sigaddset(&signals, signal);
    const int blocked = pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    const int fd = blocked == 0 ? signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK) : -1;
    if (fd < 0)
        return fail(ErrorCode::internal, std::string("The signals that end the engine cannot be watched: ") +
                                             std::strerror(blocked == 0 ? errno : blocked) + ".");
    return EndSignals(fd);
}

EndSignals::EndSignals(int fd)
    : m_fd(fd) {}

EndSignals::EndSignals(EndSignals&& other) noexcept
    : m_fd(std::exchange(other.m_fd, -1))
    , m_arrived(other.m_arrived) {}

EndSignals::~EndSignals() {
    if (m_fd >= 0)
        ::close(m_fd);
}

bool EndSignals::arrived(int timeoutMs) noexcept {
    pollfd wait{m_fd, POLLIN, 0};
    if (!m_arrived && ::poll(&wait, 1, timeoutMs) > 0) {
        signalfd_siginfo info{};
        m_arrived = ::read(m_fd, &info, sizeof info) == static_cast<ssize_t>(sizeof info);
    }
    return m_arrived;
}

EndAtOnce::EndAtOnce(EndSignals& signals) {
    constexpr int kLookMs = 5; // its end waits so long for the last look
    try {                      // the one way to learn that the system has no thread left
        m_thread = std::thread([this, &signals] {
            while (!m_over)
                if (signals.arrived(kLookMs))
                    _exit(exitStatusOf(ErrorCode::cancelled));
        });
    } catch (const std::system_error&) {
    }
}

EndAtOnce::~EndAtOnce() {
    m_over = true;
    if (m_thread.joinable())
        m_thread.join();
}

} // namespace decodescope::engine
