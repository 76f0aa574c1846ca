#pragma once

namespace decodescope {

/// While it lives, SIGINT and SIGTERM ask for an orderly end: the first one is counted, a second SIGINT leaves the
/// program at once with status 130 (a recording is valid at any moment). One at a time.
class InterruptGuard {
public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    [[nodiscard]] bool asked() const;
};

} // namespace decodescope
