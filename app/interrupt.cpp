#include "app/interrupt.h"

#include "app/exit_status.h"

#include <atomic>
#include <csignal>
#include <unistd.h>

namespace decodescope {

namespace {

std::atomic<int> g_asked{0};
static_assert(std::atomic<int>::is_always_lock_free, "used in a signal handler");
struct sigaction g_previousInterrupt;
struct sigaction g_previousTerminate;

void onSignal(int) {
    if (g_asked.fetch_add(1) >= 1)
        _exit(static_cast<int>(ExitStatus::interrupted));
}

} // namespace

InterruptGuard::InterruptGuard() {
    g_asked = 0;
    struct sigaction action {};
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &g_previousInterrupt);
    sigaction(SIGTERM, &action, &g_previousTerminate);
}

InterruptGuard::~InterruptGuard() {
    sigaction(SIGINT, &g_previousInterrupt, nullptr);
    sigaction(SIGTERM, &g_previousTerminate, nullptr);
}

bool InterruptGuard::asked() const {
    return g_asked > 0;
}

} // namespace decodescope
