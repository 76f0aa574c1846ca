#pragma once

#include "core/record/run_record.h"
#include "core/wire/stream_event.h"

#include <cstdint>
#include <memory>
#include <string>

namespace decodescope {

/// Turns events into rows: the only writer of a RunRecord. Not thread-safe; lives where the record lives. Takes any
/// events in any order without harm; whatever comes after the end is ignored.
class RunRecorder {
public:
    /// Takes the record with its first block (what was asked) filled in.
    explicit RunRecorder(std::shared_ptr<RunRecord> record);

    /// A StreamEnd with verdict `error` and kind `none` is how a replay says that its recording was cut off there:
    /// it counts as interrupt().
    void apply(const StreamEvent& event);
    /// Ends a record whose bytes hold no end (a recording cut off): outcome `interrupted`.
    void interrupt();

    [[nodiscard]] const RunRecord& record() const { return *m_record; }

private:
    void applyMilestone(Instant at, const Milestone& milestone);
    void applyConnected(Instant at, const Milestone& milestone);
    void applyDelta(const StreamEvent& event, const TokenDelta& delta);
    void applyTool(const ToolCallOpened& opened);
    void applyUsage(const UsageReport& usage);
    void applyTimings(const ServerTimings& timings);
    void applyIdentity(const ServerIdentity& identity);
    void applyEngine(const EngineFacts& facts);
    void applyEnginePrompt(EnginePrompt prompt);
    void applyEngineStep(Instant at, EngineStep step);
    void applyFinish(const FinishReported& finish);
    void applyEnd(const StreamEvent& event, const StreamEnd& end);
    void appendFragment(const Fragment& fragment);
    void countHints(const TokenHints& hints);
    void checkBurst();
    void warn(const std::string& name);

    // Tokens told by messages without text wait in RunRecord::trailing until an event with text takes them: what
    // is left there at the end is what belongs to no event, and a live view sees the same figures as a final one.
    std::shared_ptr<RunRecord> m_record;
    std::uint64_t m_lastUsage = 0; // running totals already handed out
    std::uint64_t m_lastTimings = 0;
    std::uint32_t m_usageEvents = 0; // token events that running usage gave a count to
};

} // namespace decodescope
