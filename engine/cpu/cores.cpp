#include "engine/cpu/cores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sched.h>
#include <set>
#include <string>
#include <thread>

namespace decodescope::engine {

namespace {

/// Processors worth of time that the control group grants; a large number without a quota.
int quotaProcessors() {
    std::string group;
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        if (line.rfind("0::", 0) == 0)
            group = line.substr(3);
    }
    int least = 1 << 20;
    for (;;) { // a parent's quota holds for the child too
        std::ifstream in(fmt::format("/sys/fs/cgroup{}/cpu.max", group));
        std::int64_t quota = 0;
        std::int64_t period = 0;
        if (in >> quota >> period && quota > 0 && period > 0) // "max" is no number: no quota
            least = static_cast<int>(std::clamp<std::int64_t>(quota / period, 1, least));
        if (group.empty())
            return least;
        group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
    }
}

struct Affinity {
    cpu_set_t set{};
    int count = 0;
};

Affinity affinity() {
    Affinity mine;
    CPU_ZERO(&mine.set);
    if (sched_getaffinity(0, sizeof mine.set, &mine.set) == 0)
        mine.count = CPU_COUNT(&mine.set);
    else // more processors than the set holds
        mine.count = static_cast<int>(std::thread::hardware_concurrency());
    return mine;
}

} // namespace

int allowedProcessors() {
    return std::max(1, std::min(affinity().count, quotaProcessors()));
}

int allowedCores() {
    const Affinity mine = affinity();
    std::set<std::string> cores;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &mine.set))
            continue;
        std::ifstream in(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
        std::string siblings;
        if (!std::getline(in, siblings))
            siblings = fmt::format("{}", cpu);
        cores.insert(siblings);
    }
    const int physical = cores.empty() ? mine.count : static_cast<int>(cores.size());
    return std::max(1, std::min(physical, quotaProcessors()));
}

} // namespace decodescope::engine
