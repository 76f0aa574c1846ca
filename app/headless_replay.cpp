#include "app/headless_replay.h"

#include "app/interrupt.h"
#include "app/progress_line.h"
#include "core/record/replay_source.h"
#include "core/record/run_recorder.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QTimer>

#include <algorithm>
#include <deque>

namespace decodescope {

namespace {

constexpr std::chrono::milliseconds kCrank{5};
constexpr qint64 kProgressMs = 100;

/// One recorded run on its way through the decoder again.
struct PlayedRun {
    std::string lane;
    std::shared_ptr<RunRecord> record;
    RunRecorder recorder;
    std::shared_ptr<EventMailbox> mailbox = std::make_shared<EventMailbox>();
    LiveMetrics live;
    ReplaySource source;
    bool over = false;

    PlayedRun(std::string laneName, const std::shared_ptr<const RecordedRun>& run,
              const std::shared_ptr<ReplayClock>& clock)
        : lane(std::move(laneName))
        , record(std::make_shared<RunRecord>(run->asked))
        , recorder(record)
        , source(run, clock, SourceOutput{mailbox, nullptr}) {
        source.prepare();
        source.release({});
    }

    void pump(JsonlWriter* writer) {
        source.pump();
        std::vector<StreamEvent> events;
        if (over || !mailbox->drain(events))
            return;
        for (const StreamEvent& event : events) {
            recorder.apply(event);
            over = over || std::holds_alternative<StreamEnd>(event.what);
            if (writer && over)
                writer->addStalls(lane, *record, summarize(*record).stalls, StallsTold::all);
            if (writer)
                writer->add(lane, *record, event);
        }
        live.update(*record);
    }

    void tellStalls(JsonlWriter& writer) const {
        if (!over && record->events.size() > 1)
            writer.addStalls(lane, *record, live.summary(*record, source.now()).stalls, StallsTold::decided);
    }
};

std::string laneName(const Recording& recording, const RunRecord& asked) {
    const auto lane = std::find_if(recording.lanes.begin(), recording.lanes.end(),
                                   [&](const RecordedLane& l) { return l.lane == asked.lane; });
    return lane == recording.lanes.end() ? asked.spec.laneName : lane->name;
}

/// The latest begun run of each lane.
std::vector<LaneProgress> progressOf(const std::deque<PlayedRun>& runs) {
    std::vector<LaneProgress> lanes;
    for (const PlayedRun& run : runs) {
        if (!run.record->started)
            continue;
        LaneProgress now{run.lane, stateOf(*run.record), run.live.summary(*run.record, run.source.now())};
        const auto known = std::find_if(lanes.begin(), lanes.end(), [&](const auto& l) { return l.name == run.lane; });
        if (known == lanes.end())
            lanes.push_back(std::move(now));
        else
            *known = std::move(now);
    }
    return lanes;
}

} // namespace

HeadlessRun::Result playRecording(const Recording& recording, double speed, OutputForm form) {
    HeadlessRun::Result result;
    if (recording.runs.empty())
        return result;
    Instant begin = recording.runs.front()->begin();
    Instant end = recording.runs.front()->lastStamp();
    for (const auto& run : recording.runs) {
        begin = std::min(begin, run->begin());
        end = std::max(end, run->lastStamp());
    }
    const SteadyClock real;
    const auto clock = std::make_shared<ReplayClock>(real, begin, end);
    clock->setSpeed(speed);
    std::deque<PlayedRun> runs;
    for (const auto& run : recording.runs)
        runs.emplace_back(laneName(recording, run->asked), run, clock);

    const InterruptGuard interrupt;
    ProgressLine progress;
    JsonlWriter writer;
    QElapsedTimer sinceProgress;
    sinceProgress.start();
    QTimer crank;
    crank.setTimerType(Qt::PreciseTimer);
    crank.setInterval(kCrank);
    QObject::connect(&crank, &QTimer::timeout, [&] {
        const bool over = clock->now() >= clock->end(); // asked first: what is due by now is still delivered
        for (PlayedRun& run : runs)
            run.pump(form == OutputForm::jsonLines ? &writer : nullptr);
        if (sinceProgress.elapsed() >= kProgressMs) {
            sinceProgress.restart();
            if (progress.visible())
                progress.show(progressOf(runs));
            if (form == OutputForm::jsonLines) {
                for (const PlayedRun& run : runs)
                    run.tellStalls(writer);
            }
        }
        result.outputFailed = !writer.flush() || result.outputFailed;
        result.interrupted = interrupt.asked();
        if (result.interrupted || over)
            QCoreApplication::quit();
    });
    crank.start();
    QCoreApplication::exec();
    return result;
}

} // namespace decodescope
