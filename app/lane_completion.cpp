#include "app/lane_completion.h"

#include "app/lane_option.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

namespace decodescope {

namespace {

tl::unexpected<Error> ofLane(const RunSpec& spec, const Error& error) {
    return fail(error.code, fmt::format("Lane {}: {}", spec.laneName, error.message), error.detail);
}

std::string absolutePath(const std::string& path) {
    std::error_code error;
    const std::filesystem::path absolute = std::filesystem::absolute(path, error);
    return error ? path : absolute.string();
}

Result<void> completeRecorded(RunSpec& spec, RecordingShelf& recordings) {
    spec.recorded->file = absolutePath(spec.recorded->file);
    const auto recording = recordings.open(spec.recorded->file);
    if (!recording)
        return tl::unexpected(recording.error());
    Result<RunSpec> asked = recordedLaneSpec(**recording, *spec.recorded);
    if (!asked)
        return tl::unexpected(asked.error());
    asked->laneName = spec.laneName;
    spec = *std::move(asked);
    return {};
}

} // namespace

Result<void> completeLanes(std::vector<LaneConfig>& lanes, RecordingShelf& recordings, const SampleLoader& sample) {
    std::optional<std::string> samplePath;
    for (LaneConfig& lane : lanes) {
        RunSpec& spec = lane.spec;
        if (spec.recorded) {
            if (Result<void> complete = completeRecorded(spec, recordings); !complete)
                return ofLane(spec, complete.error());
        } else if (spec.local && spec.local->path == kSampleModel) {
            if (!samplePath) {
                Result<std::string> path = sample();
                if (!path)
                    return ofLane(spec, path.error());
                samplePath = *std::move(path);
            }
            spec.local->path = *samplePath;
        }
        // A recording names the file wherever it is opened.
        if (spec.local)
            spec.local->path = absolutePath(spec.local->path);
    }
    return {};
}

} // namespace decodescope
