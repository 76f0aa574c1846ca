#include "core/net/short_turns.h"

#ifdef __linux__
#include <cstdint>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace decodescope {

#ifdef __linux__
namespace {

/// The kernel's sched_attr, whose header cannot be included beside <sched.h>.
struct Attributes {
    std::uint32_t size = 0;
    std::uint32_t policy = 0;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtimeNs = 0; ///< of an ordinary thread: how long its turns are
    std::uint64_t deadlineNs = 0;
    std::uint64_t periodNs = 0;
};

} // namespace
#endif

void askForShortTurns() {
#ifdef __linux__
    constexpr std::uint64_t kShortestNs = 100'000; // that the kernel allows
    constexpr std::uint64_t kNotForChildren = 1;   // SCHED_FLAG_RESET_ON_FORK: an engine's threads want long turns
    Attributes attributes;
    if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0)
        return;
    attributes.flags |= kNotForChildren;
    attributes.runtimeNs = kShortestNs;
    ::syscall(SYS_sched_setattr, 0, &attributes, 0);
#endif
}

} // namespace decodescope
