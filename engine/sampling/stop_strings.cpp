#include "engine/sampling/sampler.h"

#include <algorithm>
#include <utility>

namespace decodescope::engine {
namespace {

/// How many of the last bytes of `text` may be the beginning of `stop`.
std::size_t possibleBeginning(std::string_view text, std::string_view stop) {
    for (std::size_t n = std::min(text.size(), stop.size() - 1); n > 0; --n)
        if (text.substr(text.size() - n) == stop.substr(0, n))
            return n;
    return 0;
}

} // namespace

StopStrings::StopStrings(std::vector<std::string> stops)
    : m_stops(std::move(stops)) {
    std::erase_if(m_stops, [](const std::string& stop) { return stop.empty(); });
}

StopStrings::Outcome StopStrings::push(std::string_view text) {
    if (m_stops.empty())
        return {std::string(text), false};
    m_held += text;
    // The stop string that is whole first wins; of those that end together the longest. So the outcome does not
    // depend on how the text was cut.
    std::size_t firstEnd = std::string::npos;
    std::size_t begin = 0;
    for (const std::string& stop : m_stops) {
        const std::size_t at = m_held.find(stop);
        if (at == std::string::npos)
            continue;
        if (at + stop.size() < firstEnd || (at + stop.size() == firstEnd && at < begin)) {
            firstEnd = at + stop.size();
            begin = at;
        }
    }
    if (firstEnd != std::string::npos) {
        Outcome outcome{m_held.substr(0, begin), true};
        m_held.clear();
        return outcome;
    }
    std::size_t hold = 0;
    for (const std::string& stop : m_stops)
        hold = std::max(hold, possibleBeginning(m_held, stop));
    Outcome outcome{m_held.substr(0, m_held.size() - hold), false};
    m_held.erase(0, m_held.size() - hold);
    return outcome;
}

std::string StopStrings::finish() {
    return std::exchange(m_held, {});
}

} // namespace decodescope::engine
