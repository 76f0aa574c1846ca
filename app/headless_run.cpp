#include "app/headless_run.h"

#include "app/interrupt.h"
#include "app/progress_line.h"
#include "app/terminal.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QTimer>
#include <fmt/format.h>

namespace decodescope {

namespace {

constexpr std::chrono::milliseconds kCrank{5};
constexpr qint64 kProgressMs = 100;

} // namespace

HeadlessRun::HeadlessRun(Session& session, OutputForm form)
    : m_session(session)
    , m_form(form) {}

void HeadlessRun::writeStalls() {
    for (const auto& lane : m_session.lanes()) {
        const LaneRun* run = lane->current();
        if (run && lane->inFlight() && run->record->events.size() > 1)
            m_writer.addStalls(lane->config().spec.laneName, *run->record,
                               run->live.summary(*run->record, lane->now()).stalls, StallsTold::decided);
    }
}

void HeadlessRun::watchJournal() {
    if (!m_session.journal() || m_result.journalFailed)
        return;
    const JournalState state = m_session.journal()->state();
    if (state.failure.empty())
        return;
    m_result.journalFailed = true;
    tell(fmt::format("Warning: {}", state.failure));
}

HeadlessRun::Result HeadlessRun::exec() {
    const InterruptGuard interrupt;
    ProgressLine progress;
    QElapsedTimer sinceProgress;
    sinceProgress.start();

    if (m_form == OutputForm::jsonLines) {
        m_session.onEvent = [this](const Lane& lane, const StreamEvent& event) {
            const LaneRun& run = *lane.current();
            if (run.summary) // its last event
                m_writer.addStalls(lane.config().spec.laneName, *run.record, run.summary->stalls, StallsTold::all);
            m_writer.add(lane.config().spec.laneName, *run.record, event);
        };
    }
    QTimer crank;
    crank.setTimerType(Qt::PreciseTimer);
    crank.setInterval(kCrank);
    QObject::connect(&crank, &QTimer::timeout, [&] {
        if (interrupt.asked() && !m_result.interrupted) {
            m_result.interrupted = true;
            progress.clear();
            tell("Stopping. Press Ctrl-C again to quit at once.");
            m_session.stop();
        }
        m_session.pump();
        const bool over = !m_session.active();
        if (over || sinceProgress.elapsed() >= kProgressMs) {
            sinceProgress.restart();
            if (m_form == OutputForm::jsonLines)
                writeStalls();
            if (progress.visible() && !over) {
                std::vector<LaneProgress> lanes;
                for (const auto& lane : m_session.lanes()) {
                    const LaneRun* run = lane->current();
                    lanes.push_back({lane->config().spec.laneName, lane->state(),
                                     run ? run->live.summary(*run->record, lane->now()) : RunSummary{}});
                }
                progress.show(lanes);
            }
            watchJournal();
        }
        m_result.outputFailed = !m_writer.flush() || m_result.outputFailed;
        if (over)
            QCoreApplication::quit();
    });
    crank.start();
    QCoreApplication::exec();
    m_session.onEvent = {};
    return m_result;
}

} // namespace decodescope
