#include "app/replay_commands.h"

#include "app/headless_replay.h"
#include "app/report_output.h"
#include "app/terminal.h"
#include "core/base/counted.h"
#include "core/record/recording.h"

#include <fmt/format.h>

#include <optional>

namespace decodescope {

namespace {

ExitStatus refuse(const Error& error) {
    tell(fmt::format("decodescope: {}", error.message));
    return exitStatusOf(error);
}

Result<Recording> open(const std::string& file) {
    Result<Recording> recording = readRecording(file);
    if (recording && !newerVersionNote(*recording).empty())
        tell(fmt::format("Note: {}", newerVersionNote(*recording)));
    if (recording && recording->droppedBytes > 0)
        tell(fmt::format("{}: left out at its end, damaged or cut off: {}.", file,
                         counted(recording->droppedBytes, "byte")));
    return recording;
}

ExitStatus print(const Recording& recording, OutputForm form, bool withText) {
    if (printReport(reportRecording(recording), form, withText ? TextExport::whole : TextExport::hashOnly))
        return ExitStatus::ok;
    tell("decodescope: the result could not be written to standard output.");
    return ExitStatus::disk;
}

} // namespace

ExitStatus replayCommand(const RecordingFlags& flags) {
    const Result<OutputForm> form = outputForm(flags.json, flags.jsonLines);
    if (!form)
        return refuse(form.error());
    const Result<Recording> recording = open(flags.file);
    if (!recording)
        return refuse(recording.error());
    HeadlessRun::Result played;
    if (*form != OutputForm::json)
        played = playRecording(*recording, flags.speed, *form);
    const ExitStatus printed = print(*recording, *form, flags.text);
    if (played.interrupted)
        return ExitStatus::interrupted;
    return played.outputFailed ? ExitStatus::disk : printed;
}

ExitStatus reportCommand(const RecordingFlags& flags) {
    const Result<Recording> recording = open(flags.file);
    if (!recording)
        return refuse(recording.error());
    return print(*recording, flags.json ? OutputForm::json : OutputForm::forPeople, flags.text);
}

} // namespace decodescope
