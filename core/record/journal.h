#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/record/run_record.h"
#include "core/source/token_source.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace decodescope {

class DiskCalls;

/// What the header of a recording says of where it was made.
struct RecordingHeader {
    std::string app; ///< "decodescope 0.1.0"
    std::string startedUtc;
    std::string machineJson = "{}"; ///< the `machine` object of cli.md
    ClockSource clock = ClockSource::user;
    std::string note; ///< how the recording was made, for people; may be empty
};

/// A lane as the recording names it.
struct RecordedLane {
    int lane = 0;
    std::string name;
    RunSpec spec;                           ///< key never written
    std::optional<int> look = std::nullopt; ///< its place in the lane palette; absent in older recordings
};

/// How the journal is doing, for the status bar.
struct JournalState {
    std::string path;        ///< empty: no recording
    std::uint64_t bytes = 0; ///< written so far
    std::optional<Instant> lastSync;
    std::string failure; ///< why journalling stopped (disk full, ...); empty while all is well
    bool closed = false;
};

/// The append-only, crash-safe recording of one session (reliability.md section 9): a file of JSON lines, each
/// ending with the xxHash of the line, mode 0600, written by a thread of its own with write(2), fdatasync each
/// second, at the first token and at the end of a run. Nobody waits for it; a failed write stops journalling,
/// never the run. The file appears under its final name at once and is never replaced: an existing file is
/// refused by create().
class Journal {
public:
    /// Fails with ErrorCode::io. `calls` is for tests; null: the system's.
    [[nodiscard]] static Result<std::shared_ptr<Journal>> create(const std::string& path, const RecordingHeader& header,
                                                                 std::shared_ptr<DiskCalls> calls = {});
    virtual ~Journal() = default;

    virtual void addLane(const RecordedLane& lane) = 0;
    /// Opens a run and gives the sink for its raw bytes; `record` supplies what was asked.
    [[nodiscard]] virtual std::shared_ptr<RawSink> openRun(const RunRecord& record) = 0;
    /// Asks for the end and returns at once: what was handed over is written and synced, then state().closed is true.
    virtual void finish() = 0;
    /// The same, and waits for it (the only call that waits).
    virtual void close() = 0;
    [[nodiscard]] virtual JournalState state() const = 0;
};

} // namespace decodescope
