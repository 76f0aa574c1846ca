#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/hiccup_log.h"
#include "core/metrics/metrics.h"
#include "core/record/journal.h"
#include "core/record/raw_log.h"
#include "core/record/run_record.h"
#include "core/record/run_recorder.h"
#include "core/source/token_source.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace decodescope {

/// What a lane is doing, as look.md section 8 names it.
enum class LaneState : std::uint8_t {
    idle,
    connecting, ///< opening the connection, or ready and waiting for the barrier
    waiting,    ///< sent, no token yet
    running,
    done,
    failed, ///< error or time-out
    cut,    ///< truncated, or the connection was lost after text had come
    cancelled,
    notStreamed
};

/// One run with everything that belongs to it. Live runs change on every pump; finished ones never.
struct LaneRun {
    std::shared_ptr<RunRecord> record;
    std::shared_ptr<RawLog> raw;
    LiveMetrics live;
    std::optional<RunSummary> summary; ///< set when the run ended: the batch result
};

/// A stable name for a lane: survives reordering and edits. Colour, dash, marker and letter go with it.
using LaneId = std::uint32_t;

struct LaneConfig {
    LaneId id = 0;
    int look = 0; ///< index into the lane palette: A = 0
    RunSpec spec;
};

/// How a session is to be run.
struct RunPlan {
    int repeats = 1;
    int warmups = 0;
    bool sequential = false; ///< one lane after another; otherwise released together by one barrier
};

class Lane {
public:
    [[nodiscard]] const LaneConfig& config() const { return m_config; }
    [[nodiscard]] LaneState state() const { return m_state; }
    /// The run in flight, or the last one; null before the first.
    [[nodiscard]] const LaneRun* current() const { return m_runs.empty() ? nullptr : m_runs.back().get(); }
    /// All runs of this session in order, warm-ups included, the current one last.
    [[nodiscard]] const std::vector<std::shared_ptr<LaneRun>>& runs() const { return m_runs; }
    /// The current run's own now: frozen at its end.
    [[nodiscard]] std::optional<Instant> now() const;
    [[nodiscard]] bool inFlight() const { return m_source != nullptr; }
    /// Counts up whenever something visible changed; a view compares it with the last one it drew.
    [[nodiscard]] std::uint64_t revision() const { return m_revision; }

private:
    friend class Session;
    /// The place of a run in its plan.
    struct RunOrder {
        int laneIndex = 0;
        int repeat = 1;
        bool warmup = false;
        int concurrency = 1; ///< requests of ours that this endpoint gets together
    };

    [[nodiscard]] bool waitsForRelease() const { return m_source != nullptr && !m_released; }
    /// What a lane is given to work with. All but `factory` and `clock` may be null.
    struct Tools {
        const SourceFactory& factory;
        const Clock& clock;
        Journal* journal = nullptr;
        const HiccupLog* hiccups = nullptr;
    };

    void begin(const Tools& tools, const RunOrder& order);
    void release(std::optional<Instant> scheduled);
    void cancel();
    bool pump(const Tools& tools, const std::function<void(const Lane&, const StreamEvent&)>& onEvent);
    /// Hands the run the hiccups that fell into it, up to `end` where it is over; returns whether there were any.
    bool takeHiccups(const Tools& tools, std::optional<Instant> end,
                     const std::function<void(const Lane&, const StreamEvent&)>& onEvent);
    void apply(const StreamEvent& event, const std::function<void(const Lane&, const StreamEvent&)>& onEvent);
    void endRun();
    void show(std::vector<std::shared_ptr<LaneRun>> runs);

    LaneConfig m_config;
    RunSpec m_planSpec;  // the spec as it was when the plan began: all its repeats ask the same
    int m_planIndex = 0; // its place then, and so its number in the recording: lanes may be moved meanwhile
    LaneState m_state = LaneState::idle;
    std::vector<std::shared_ptr<LaneRun>> m_runs;
    std::unique_ptr<RunRecorder> m_recorder;
    std::unique_ptr<TokenSource> m_source;
    std::shared_ptr<EventMailbox> m_mailbox;
    HiccupLog::Cursor m_hiccupsRead = 0;
    Instant m_begun{};
    bool m_ready = false; // what ready() said before the mailbox was last drained
    bool m_released = false;
    std::uint64_t m_revision = 0;
};

/// The state that a record shows: what a lane is doing, or how it ended.
[[nodiscard]] LaneState stateOf(const RunRecord& record);

/// Lanes and the crank that turns them. Single-threaded: the window calls pump() once a frame, the command line
/// in a loop, tests with a fake clock. No Qt, no thread of its own.
class Session {
public:
    Session(SourceFactory factory, const Clock& clock);
    ~Session();

    /// Replaces the lanes (kept by id: a lane whose id stays keeps its runs, and one in flight its run, which has
    /// its own copy of what it asked). A lane that is left out while in flight is cancelled and dropped.
    void setLanes(std::vector<LaneConfig> lanes);
    /// Where runs are recorded from the next start on; null: nowhere.
    void setJournal(std::shared_ptr<Journal> journal);
    /// Where hiccups of this process are told; null: nowhere. Listened to while a plan is in progress.
    void setHiccups(std::shared_ptr<HiccupLog> hiccups);

    /// Starts the plan over all lanes; earlier runs of the lanes are dropped. Fails, with nothing started, when a
    /// plan is in progress, when there is no lane, or when a lane's endpoint makes no request (ErrorCode::usage).
    Result<void> start(const RunPlan& plan);
    /// The latest plan over one lane alone, beside whatever the other lanes are doing.
    Result<void> startLane(LaneId lane);
    /// Cancels what is in flight and what was still to come; what had arrived is kept.
    void stop();
    void stopLane(LaneId lane);
    /// Shows finished runs (an opened recording) instead of live ones.
    void showRuns(LaneId lane, std::vector<std::shared_ptr<LaneRun>> runs);

    /// Drains every mailbox, records, updates live metrics, moves the plan on. Returns whether anything changed.
    bool pump();

    [[nodiscard]] bool active() const; ///< a plan is in progress
    [[nodiscard]] const std::vector<std::unique_ptr<Lane>>& lanes() const { return m_lanes; }
    [[nodiscard]] const Lane* lane(LaneId id) const;
    [[nodiscard]] const RunPlan& plan() const { return m_plan; }
    /// Spread of `sent` over the lanes of the latest barrier; absent before, and in sequence.
    [[nodiscard]] std::optional<Duration> releaseSpread() const { return m_spread; }
    [[nodiscard]] std::shared_ptr<Journal> journal() const { return m_journal; }
    /// For --jsonl and logs: called for every event of every lane after it was recorded.
    std::function<void(const Lane&, const StreamEvent&)> onEvent;

private:
    struct Campaign;
    struct Progress;
    [[nodiscard]] Lane* find(LaneId id);
    [[nodiscard]] Result<void> ready(const Lane& lane) const;
    void enroll(Lane& lane, int index);
    void beginTurn(Campaign& campaign);
    void releaseReady(Campaign& campaign);
    [[nodiscard]] bool advance(Campaign& campaign);
    void measureSpread();
    void listenWhileActive();
    [[nodiscard]] Lane::Tools tools() const { return {m_factory, m_clock, m_journal.get(), m_hiccups.get()}; }

    SourceFactory m_factory;
    const Clock& m_clock;
    std::vector<std::unique_ptr<Lane>> m_lanes;
    std::shared_ptr<Journal> m_journal;
    std::shared_ptr<HiccupLog> m_hiccups;
    bool m_listening = false;
    RunPlan m_plan;
    std::optional<Duration> m_spread;
    std::unique_ptr<Progress> m_progress;
};

} // namespace decodescope
