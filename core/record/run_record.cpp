#include "core/record/run_record.h"

#include <algorithm>

namespace decodescope {

std::string_view toString(Outcome outcome) noexcept {
    switch (outcome) {
    case Outcome::running:
        return "running";
    case Outcome::complete:
        return "complete";
    case Outcome::truncated:
        return "truncated";
    case Outcome::error:
        return "error";
    case Outcome::cancelled:
        return "cancelled";
    case Outcome::timeout:
        return "timeout";
    case Outcome::notStreamed:
        return "not_streamed";
    case Outcome::interrupted:
        break;
    }
    return "interrupted";
}

std::string RunRecord::text(Channel channel) const {
    std::string joined;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (spans[i].channel != channel)
            continue;
        const std::size_t spanEnd = i + 1 < spans.size() ? spans[i + 1].begin : transcript.size();
        joined.append(transcript, spans[i].begin, spanEnd - spans[i].begin);
    }
    return joined;
}

Channel RunRecord::channelAt(std::uint32_t offset) const {
    const auto after = std::upper_bound(spans.begin(), spans.end(), offset,
                                        [](std::uint32_t value, const ChannelSpan& s) { return value < s.begin; });
    return after == spans.begin() ? Channel::answer : std::prev(after)->channel;
}

} // namespace decodescope
