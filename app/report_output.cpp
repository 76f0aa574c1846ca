#include "app/report_output.h"

#include "app/report_json.h"
#include "app/scoreboard.h"
#include "app/terminal.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace decodescope {

namespace {

std::string texts(const SessionReport& report) {
    std::string out;
    for (const ReportedLane& lane : report.lanes) {
        for (const ReportedRun& run : lane.runs) {
            out +=
                fmt::format("\n--- {}, {} {}\n", lane.name, run.record->warmup ? "warm-up" : "run", run.record->repeat);
            if (const std::string reasoning = run.record->text(Channel::reasoning); !reasoning.empty())
                out += fmt::format("[reasoning]\n{}\n[answer]\n", reasoning);
            out += answerText(*run.record) + '\n';
        }
    }
    return out;
}

} // namespace

bool printReport(const SessionReport& report, OutputForm form, TextExport text) {
    switch (form) {
    case OutputForm::forPeople:
        return writeOut(scoreboard(report) + (text == TextExport::whole ? texts(report) : std::string()));
    case OutputForm::json:
        return writeOut(jsonDump(reportJson(report, text), 2) + '\n');
    case OutputForm::jsonLines:
        break;
    }
    return writeOut(jsonDump(reportJson(report, text)) + '\n');
}

} // namespace decodescope
