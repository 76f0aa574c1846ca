#pragma once

#include "core/record/run_record.h"
#include "core/wire/stream_event.h"

#include <memory>

namespace decodescope {

/// Turns events into rows: the only writer of a RunRecord. Not thread-safe; lives where the record lives.
class RunRecorder {
public:
    /// Takes the record with its first block (what was asked) filled in.
    explicit RunRecorder(std::shared_ptr<RunRecord> record);

    void apply(const StreamEvent& event);
    /// Ends a record whose bytes hold no end (a recording cut off): outcome `interrupted`.
    void interrupt();

    [[nodiscard]] const RunRecord& record() const { return *m_record; }

private:
    void applyDelta(const StreamEvent& event, const TokenDelta& delta);
    void applyEnd(const StreamEvent& event, const StreamEnd& end);
    EventTokens takePending(const TokenHints& hints);
    void warn(const std::string& name);

    std::shared_ptr<RunRecord> m_record;
    EventTokens m_pending;              // told by messages without text, not yet given to an event
    std::uint64_t m_lastUsage = 0;      // running totals already handed out
    std::uint64_t m_lastTimings = 0;
};

} // namespace decodescope
