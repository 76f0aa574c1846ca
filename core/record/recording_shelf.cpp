#include "core/record/recording_shelf.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace decodescope {
namespace {

constexpr std::size_t kMostKept = 8;

bool endsComplete(const RecordedRun& run) {
    return rebuild(run)->outcome == Outcome::complete;
}

/// The lane's runs in order.
std::vector<std::shared_ptr<const RecordedRun>> runsOf(const Recording& recording, int lane) {
    std::vector<std::shared_ptr<const RecordedRun>> runs;
    std::copy_if(recording.runs.begin(), recording.runs.end(), std::back_inserter(runs),
                 [lane](const auto& run) { return run->asked.lane == lane; });
    return runs;
}

} // namespace

RecordingShelf::RecordingShelf(Reader reader)
    : m_reader(std::move(reader)) {}

Result<std::shared_ptr<const Recording>> RecordingShelf::open(const std::string& path) {
    const auto known = std::find_if(m_kept.begin(), m_kept.end(), [&](const Kept& k) { return k.path == path; });
    if (known != m_kept.end()) {
        m_kept.splice(m_kept.begin(), m_kept, known);
        return m_kept.front().recording;
    }
    Result<Recording> read = m_reader(path);
    if (!read)
        return tl::unexpected(read.error());
    m_kept.push_front({path, std::make_shared<const Recording>(*std::move(read))});
    if (m_kept.size() > kMostKept)
        m_kept.pop_back();
    return m_kept.front().recording;
}

Result<std::shared_ptr<const RecordedRun>> RecordingShelf::run(const RecordedLaneSpec& from) {
    const auto recording = open(from.file);
    if (!recording)
        return tl::unexpected(recording.error());
    const auto runs = runsOf(**recording, from.lane);
    if (runs.empty())
        return fail(ErrorCode::usage,
                    fmt::format("The recording {} has no run of lane {}; it has {} (counted from 0).", from.file,
                                from.lane,
                                (*recording)->lanes.size() == 1 ? std::string("1 lane")
                                                                : fmt::format("{} lanes", (*recording)->lanes.size())));
    const auto good = std::find_if(runs.begin(), runs.end(),
                                   [](const auto& run) { return !run->asked.warmup && endsComplete(*run); });
    return good == runs.end() ? runs.front() : *good;
}

Result<RunSpec> RecordingShelf::laneSpec(const RecordedLaneSpec& from) {
    const auto played = run(from);
    if (!played)
        return tl::unexpected(played.error());
    RunSpec spec = (*played)->asked.spec;
    const Recording& recording = **open(from.file);
    const auto lane = std::find_if(recording.lanes.begin(), recording.lanes.end(),
                                   [&](const RecordedLane& l) { return l.lane == from.lane; });
    if (lane != recording.lanes.end() && !lane->name.empty())
        spec.laneName = lane->name;
    if (std::exchange(spec.local, std::nullopt)) // no engine is needed to play what one said
        spec.endpoint.url = (*played)->asked.route;
    spec.recorded = from;
    spec.endpoint.key = {}; // nothing is asked of anybody
    spec.key.reset();
    spec.uniquePrefix = false; // what was asked is asked no more
    return spec;
}

} // namespace decodescope
