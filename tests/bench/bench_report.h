#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string_view>
#include <vector>

/// How benchmarks time and print (performance.md): one JSON line per figure.
namespace decodescope::bench {

/// Prints {name, value, unit, conditions}; `ratioTo` names what a ratio is relative to, empty: it is no ratio.
inline void report(std::string_view name, double value, std::string_view unit, std::string_view conditions,
                   std::string_view ratioTo = {}) {
    fmt::print(R"({{"name":"{}","value":{:.6g},"unit":"{}","ratio_to":{},"conditions":"{}"}})"
               "\n",
               name, value, unit, ratioTo.empty() ? "null" : fmt::format("\"{}\"", ratioTo), conditions);
    std::fflush(stdout);
}

/// Processor time of the calling thread so far, seconds. On a busy machine it tells the work apart from the waiting.
inline double threadSeconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Seconds that `work` takes, the median of `repeats` runs.
template <class Work> double medianSeconds(int repeats, Work work) {
    std::vector<double> seconds;
    for (int i = 0; i < repeats; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2), seconds.end());
    return seconds[seconds.size() / 2];
}

} // namespace decodescope::bench
