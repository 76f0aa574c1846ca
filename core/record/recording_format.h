#pragma once

#include "core/record/recording.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

/// The lines of a recording file. Each is one JSON object and a line feed; its last member, "xx", is a short xxHash
/// of everything before it, so a line that was torn or altered is known as such:
///   {"type":"bytes","run":0,"t":1234,"read":7,"b64":"...","xx":"0f1e2d3c"}
/// Types: header (first line), lane, run (what was asked), mark (a milestone), bytes (one read), stamps (how well the
/// reads were stamped), end (of a run), hiccup (of ours; the only type that may follow the end of its run).
/// Times ("t") are nanoseconds of the monotonic clock. Readers skip types and members they do not know.
namespace decodescope {

constexpr int kRecordingSchema = 1;
/// Version of metrics.md's formulas at the time of recording: a note for people, results are always recomputed.
constexpr int kFormulasVersion = 1;

void appendHeaderLine(std::string& out, const RecordingHeader& header);
void appendLaneLine(std::string& out, const RecordedLane& lane);
/// `run` counts the runs of the file from 0.
void appendRunLine(std::string& out, std::uint32_t run, const RunRecord& asked);
void appendMarkLine(std::string& out, std::uint32_t run, Instant at, const Milestone& milestone);
void appendBytesLine(std::string& out, std::uint32_t run, Instant at, std::uint32_t read, std::string_view bytes);
void appendStampsLine(std::string& out, std::uint32_t run, Instant at, const StampReport& stamps);
void appendHiccupLine(std::string& out, std::uint32_t run, const Hiccup& hiccup);
void appendEndLine(std::string& out, std::uint32_t run, Instant at, ErrorKind kind, std::string_view message);

struct HeaderLine {
    RecordingHeader header;
    int schema = kRecordingSchema;
};
struct LaneLine {
    RecordedLane lane;
};
struct RunLine {
    std::uint32_t run = 0;
    RunRecord asked;
};
struct MarkLine {
    std::uint32_t run = 0;
    Instant at{};
    Milestone milestone;
};
struct BytesLine {
    std::uint32_t run = 0;
    ByteChunk chunk;
};
struct StampsLine {
    std::uint32_t run = 0;
    StampReport stamps;
};
struct HiccupLine {
    std::uint32_t run = 0;
    Hiccup hiccup;
};
struct EndLine {
    std::uint32_t run = 0;
    TransportEnd end;
};
/// A sound line that this version does not understand.
struct UnknownLine {};

using RecordingLine =
    std::variant<UnknownLine, HeaderLine, LaneLine, RunLine, MarkLine, BytesLine, StampsLine, HiccupLine, EndLine>;

/// Reads one line, without its line feed. Nullopt: its hash is wrong or it is no JSON.
[[nodiscard]] std::optional<RecordingLine> parseRecordingLine(std::string_view line);

} // namespace decodescope
