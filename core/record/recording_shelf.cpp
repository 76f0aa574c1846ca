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

} // namespace

std::shared_ptr<const RecordedRun> typicalRun(const Recording& recording, int lane) {
    std::shared_ptr<const RecordedRun> first;
    for (const auto& run : recording.runs) {
        if (run->asked.lane != lane)
            continue;
        if (!run->asked.warmup && endsComplete(*run))
            return run;
        if (!first)
            first = run;
    }
    return first;
}

Result<RunSpec> recordedLaneSpec(const Recording& recording, const RecordedLaneSpec& from) {
    const auto run = typicalRun(recording, from.lane);
    if (!run)
        return fail(ErrorCode::usage,
                    fmt::format("The recording {} has no run of lane {}; it has {} lane{}, counted "
                                "from 0.",
                                from.file, from.lane, recording.lanes.size(), recording.lanes.size() == 1 ? "" : "s"));
    RunSpec spec = run->asked.spec;
    const auto lane = std::find_if(recording.lanes.begin(), recording.lanes.end(),
                                   [&](const RecordedLane& l) { return l.lane == from.lane; });
    if (lane != recording.lanes.end() && !lane->name.empty())
        spec.laneName = lane->name;
    if (std::exchange(spec.local, std::nullopt)) // no engine is needed to play what one said
        spec.endpoint.url = run->asked.route;
    spec.recorded = from;
    spec.endpoint.key = {}; // nothing is asked of anybody
    spec.key.reset();
    spec.batchMates = 0;
    spec.contextDepth = 0;
    spec.uniquePrefix = false; // what was asked is asked no more
    return spec;
}

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

} // namespace decodescope
