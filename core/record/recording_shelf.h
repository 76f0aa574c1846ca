#pragma once

#include "core/base/error.h"
#include "core/record/recording.h"

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <string>

namespace decodescope {

/// The run that stands for a lane of a recording: its first complete one that was no warm-up, else its first; null when
/// it has none.
[[nodiscard]] std::shared_ptr<const RecordedRun> typicalRun(const Recording& recording, int lane);
/// The spec of a lane that plays a recorded one: everything as it was asked then, and where it comes from. Fails with
/// ErrorCode::usage when the recording has no such lane or no run in it.
[[nodiscard]] Result<RunSpec> recordedLaneSpec(const Recording& recording, const RecordedLaneSpec& from);

/// The recordings that lanes play from, each read once. Not thread-safe.
class RecordingShelf {
public:
    using Reader = std::function<Result<Recording>(const std::string& path)>;
    explicit RecordingShelf(Reader reader = readRecording);

    /// The recording of that path, as it was when it was first asked for. Blocks while it is read.
    [[nodiscard]] Result<std::shared_ptr<const Recording>> open(const std::string& path);

private:
    struct Kept {
        std::string path;
        std::shared_ptr<const Recording> recording;
    };
    Reader m_reader;
    std::list<Kept> m_kept; // the latest first
};

} // namespace decodescope
