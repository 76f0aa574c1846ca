#include "app/run_command.h"

#include "app/headless_run.h"
#include "app/machine.h"
#include "app/report_output.h"
#include "app/terminal.h"
#include "app/version.h"
#include "core/base/utc_time.h"

#include <fmt/format.h>

#include <sys/resource.h>

namespace decodescope {

namespace {

ExitStatus refuse(const Error& error) {
    tell(fmt::format("decodescope: {}", error.message));
    return exitStatusOf(error);
}

/// No core file may hold a key.
void forbidCoreFiles() {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
}

ExitStatus statusAfter(const HeadlessRun::Result& result, const SessionReport& report,
                       const std::vector<Threshold>& thresholds) {
    const std::vector<std::string> missed = missedThresholds(thresholds, report.lanes);
    for (const std::string& sentence : missed)
        tell(sentence);
    if (result.interrupted)
        return ExitStatus::interrupted;
    if (result.journalFailed || result.outputFailed)
        return ExitStatus::disk;
    const ExitStatus lanes = exitStatusOf(report.lanes);
    if (lanes == ExitStatus::ok && !missed.empty())
        return ExitStatus::thresholdMissed;
    return lanes;
}

} // namespace

ExitStatus runCommand(const RunFlags& flags, const RunServices& services) {
    Result<RunRequest> request = understand(flags);
    if (!request)
        return refuse(request.error());
    if (Result<void> complete = completeLanes(request->lanes, *services.recordings, services.sampleModel); !complete)
        return refuse(complete.error());
    if (Result<void> usable = checkAuthorities(request->lanes); !usable)
        return refuse(usable.error());
    forbidCoreFiles();
    if (Result<void> keys = fetchKeys(request->lanes, services.loadKey); !keys)
        return refuse(keys.error());

    SessionReport report;
    report.startedUtc = utcNow();
    report.machineJson = machineJson();
    report.recording = request->recordPath;

    const SteadyClock clock;
    Session session(services.sources, clock);
    session.setLanes(request->lanes);
    session.setHiccups(services.hiccups);
    std::shared_ptr<Journal> journal;
    if (request->recordPath) {
        RecordingHeader header;
        header.app = applicationName();
        header.startedUtc = report.startedUtc;
        header.machineJson = report.machineJson;
        header.note = request->note;
        Result<std::shared_ptr<Journal>> created = Journal::create(*request->recordPath, header);
        if (!created)
            return refuse(created.error());
        journal = *std::move(created);
        session.setJournal(journal);
    }
    for (const std::string& note : request->notes)
        tell(note);
    if (Result<void> started = session.start(request->plan); !started)
        return refuse(started.error());

    HeadlessRun::Result result = HeadlessRun(session, request->form).exec();
    if (journal) {
        journal->close();
        if (const std::string failure = journal->state().failure; !failure.empty() && !result.journalFailed) {
            result.journalFailed = true;
            tell(fmt::format("Warning: the recording is not whole: {}", failure));
        }
    }
    report.lanes = reportLanes(session);
    if (!printReport(report, request->form, request->text)) {
        result.outputFailed = true;
        tell("decodescope: the result could not be written to standard output.");
    }
    return statusAfter(result, report, request->thresholds);
}

} // namespace decodescope
