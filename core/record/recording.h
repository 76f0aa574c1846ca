#pragma once

#include "core/base/error.h"
#include "core/record/journal.h"
#include "core/record/run_record.h"
#include "core/wire/byte_chunk.h"
#include "core/wire/stream_decoder.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace decodescope {

/// One run as it lies in a recording: what was asked, its milestones and its raw reads.
struct RecordedRun {
    RunRecord asked; ///< the first block of a RunRecord; the rest is empty
    std::vector<std::pair<Instant, Milestone>> milestones;
    std::vector<ByteChunk> chunks;
    std::optional<StampReport> stamps; ///< absent: the recording was cut off, or is older than such reports
    std::vector<Hiccup> hiccups;       ///< in order of waking
    std::optional<TransportEnd> end;   ///< absent: the recording was cut off

    /// First and last stamp of anything in the run.
    [[nodiscard]] Instant begin() const;
    [[nodiscard]] Instant lastStamp() const;
};

struct Recording {
    RecordingHeader header;
    int schema = 1;
    std::vector<RecordedLane> lanes;
    std::vector<std::shared_ptr<const RecordedRun>> runs; ///< in order of opening
    std::uint64_t droppedBytes = 0;                       ///< after the first line whose hash is wrong
    std::string path;
};

/// The place of each lane in the palette, in the order of `lanes`: as the live run had it. Lanes of older recordings,
/// and one whose place another has already, take the first that is free.
[[nodiscard]] std::vector<int> looksOf(const Recording& recording);

/// What the user asked in a run: its prompt without the unique line that the session put before it.
[[nodiscard]] std::string questionOf(const Recording& recording, const RecordedRun& run);

/// For people: that a later version made this, and what it means here; empty when this version knows it all.
[[nodiscard]] std::string newerVersionNote(const Recording& recording);

/// Reads a recording: stops at the first bad line and keeps all before it. Fails with ErrorCode::io when the file
/// cannot be read, ErrorCode::malformed when not even its first line is a recording's header. A newer schema
/// opens as far as it is understood. Bounded: refuses files over 4 GiB.
[[nodiscard]] Result<Recording> readRecording(const std::string& path);
/// The same from memory (resources).
[[nodiscard]] Result<Recording> parseRecording(std::string_view bytes, const std::string& name);

/// How the answer to a run is decoded, live and ever after: recordings give the live figures again only if both
/// roads ask the decoder for the same.
[[nodiscard]] DecoderOptions decoderOptions(const RunRecord& asked);

/// Decodes a recorded run again: the record a live run would have left.
[[nodiscard]] std::shared_ptr<RunRecord> rebuild(const RecordedRun& run);
/// All runs of a recording in their order, decoded side by side on the processors there are.
[[nodiscard]] std::vector<std::shared_ptr<RunRecord>> rebuildAll(const Recording& recording);
/// Calls `one` for each index below `count` on the processors there are, and returns when all are done. Calls run at
/// the same time and share nothing but what `one` captures.
void sideBySide(std::size_t count, const std::function<void(std::size_t)>& one);

} // namespace decodescope
