#include "app/doctor.h"

#include "app/machine.h"
#include "app/terminal.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sched.h>
#include <thread>

namespace decodescope {

namespace {

std::optional<std::string> governor() {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    std::string word;
    return std::getline(file, word) && !word.empty() ? std::optional(word) : std::nullopt;
}

std::optional<unsigned> usableCores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return std::nullopt;
    return static_cast<unsigned>(CPU_COUNT(&set));
}

std::optional<double> loadOfAMinute() {
    double load = 0;
    return getloadavg(&load, 1) == 1 ? std::optional(load) : std::nullopt;
}

template <class T> Json orNull(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json errorsJson(const std::optional<FloorErrors>& errors) {
    if (!errors)
        return nullptr;
    return {{"p50", jsonNumber(errors->p50)}, {"p99", jsonNumber(errors->p99)}, {"max", jsonNumber(errors->max)}};
}

Json floorJson(const MeasuredFloor& floor) {
    Json json = {{"clock_source", toString(floor.asked)},
                 {"streams", floor.streams},
                 {"tls", floor.tls},
                 {"interval_s", jsonNumber(floor.intervalS)}};
    const bool good = floor.failure.empty();
    json["stamped_by"] = good ? Json(toString(floor.clock)) : Json(nullptr);
    json["tokens"] = floor.tokens;
    json["merged"] = floor.merged;
    json["rejected"] = floor.rejected;
    json["stamp_error_s"] = errorsJson(floor.stamp);
    json["gap_error_s"] = errorsJson(floor.gap);
    json["stamp_error_bound_s"] = jsonNumber(floor.errorBoundS);
    json["network_lag_s"] = good ? jsonNumber(floor.networkLagS) : Json(nullptr);
    json["failure"] = jsonTextOrNull(floor.failure);
    return json;
}

/// Milliseconds to two figures: finer ones differ from minute to minute.
std::string milliseconds(double seconds) {
    return fmt::format("{:.2g} ms", seconds * 1e3);
}

std::string microseconds(double seconds) {
    return fmt::format("{:.0f} us", seconds * 1e6);
}

/// Three columns; dashes where nothing could be compared.
std::string errorsText(const std::optional<FloorErrors>& errors) {
    const auto column = [&](double FloorErrors::*figure) { return errors ? microseconds((*errors).*figure) : "–"; };
    return fmt::format("{:>9} / {:>9} / {:>9}", column(&FloorErrors::p50), column(&FloorErrors::p99),
                       column(&FloorErrors::max));
}

std::string floorLine(const MeasuredFloor& floor) {
    const std::string name = fmt::format("  {:<7} {:<4} {:>3} {:<8}", toString(floor.asked), floor.tls ? "TLS" : "",
                                         floor.streams, floor.streams == 1 ? "stream" : "streams");
    if (!floor.failure.empty())
        return name + floor.failure + '\n';
    std::string line = fmt::format("{}stamp {}   gap {}", name, errorsText(floor.stamp), errorsText(floor.gap));
    if (floor.clock != floor.asked)
        line += fmt::format("   (stamped by: {})", toString(floor.clock));
    if (floor.merged > 0)
        line += fmt::format("   ({} of {} tokens merged in one read)", floor.merged, floor.tokens);
    return line + '\n';
}

std::string floorText(const MachineFloor& floor) {
    std::string text = "Distance from the truth (half of all / 99 of 100 / largest), tokens 20 ms apart:\n";
    for (const MeasuredFloor& one : floor.floors)
        text += floorLine(one);
    text += fmt::format("Sleeps of 1 ms end late by {} (half of them), {} (99 of 100).\n",
                        microseconds(floor.sleepLateP50S), microseconds(floor.sleepLateP99S));
    if (floor.clockOffsetErrorS)
        text += fmt::format("The kernel's stamps are placed on our clock to within {:.0f} ns.\n",
                            *floor.clockOffsetErrorS * 1e9);
    if (floor.largestHiccupS)
        text += fmt::format("Hiccups of 5 ms or more while measuring: {}, the largest {}.\n", floor.hiccups,
                            milliseconds(*floor.largestHiccupS));
    else
        text += "Hiccups of 5 ms or more while measuring: none.\n";
    return text;
}

std::string_view markOf(DoctorCheck::Status status) {
    switch (status) {
    case DoctorCheck::Status::good:
        return "ok  ";
    case DoctorCheck::Status::warning:
        return "WARN";
    case DoctorCheck::Status::note:
        break;
    }
    return "note";
}

} // namespace

std::string doctorVerdict(const DoctorReport& report) {
    if (!report.floor)
        return report.floorFailure;
    const MeasuredFloor* best = report.floor->best();
    if (best == nullptr) {
        const std::vector<MeasuredFloor>& all = report.floor->floors;
        const bool some =
            std::any_of(all.begin(), all.end(), [](const MeasuredFloor& one) { return one.gap.has_value(); });
        return fmt::format("This machine's floor could not be measured: {} no gap could be compared. The measurements "
                           "say why; try again when the machine is less busy.",
                           some ? "a single stream could, but with many" : "with one stream as with many");
    }
    std::string verdict = fmt::format(
        "Gaps shorter than {} cannot be trusted on this machine ({} stamps, {} streams: 99 of 100 gaps are right to "
        "within {}).",
        milliseconds(*report.floor->gapFloorS()), toString(best->clock), best->streams, microseconds(best->gap->p99));
    if (const std::optional<double> tls = report.floor->gapFloorS(true))
        verdict += fmt::format(" Over TLS: shorter than {}.", milliseconds(*tls));
    if (best->clock != ClockSource::kernel)
        verdict += " The kernel stamps nothing here, so stamps are taken in user space.";
    return verdict;
}

Json doctorJson(const DoctorReport& report) {
    Json machine = jsonForeign(report.machineJson);
    if (!machine.is_object())
        machine = Json::object();
    Json json = {{"schema", 1}, {"machine", std::move(machine)}};
    json["processor"] = {{"cores", report.cores > 0 ? Json(report.cores) : Json(nullptr)},
                         {"usable_cores", orNull(report.usableCores)},
                         {"governor", jsonOptionalText(report.governor)},
                         {"load_1m", jsonNumber(report.load1m)}};
    Json floors = Json::array();
    json["timer"] = nullptr;
    json["clock"] = nullptr;
    json["hiccups"] = nullptr;
    std::optional<double> gapFloor, tlsGapFloor;
    const MeasuredFloor* best = nullptr;
    if (report.floor) {
        const MachineFloor& floor = *report.floor;
        for (const MeasuredFloor& one : floor.floors)
            floors.push_back(floorJson(one));
        json["timer"] = {
            {"resolution_s", jsonNumber(floor.clockResolutionS)},
            {"sleep_1ms_late_s", {{"p50", jsonNumber(floor.sleepLateP50S)}, {"p99", jsonNumber(floor.sleepLateP99S)}}}};
        json["clock"] = {{"kernel_stamps", floor.kernelStamps()},
                         {"offset_error_s", jsonNumber(floor.clockOffsetErrorS)}};
        json["hiccups"] = {{"count", floor.hiccups}, {"max_s", jsonNumber(floor.largestHiccupS)}};
        gapFloor = floor.gapFloorS();
        tlsGapFloor = floor.gapFloorS(true);
        best = floor.best();
    }
    json["floors"] = std::move(floors);
    json["verdict"] = {{"clock_source", best != nullptr ? Json(toString(best->clock)) : Json(nullptr)},
                       {"gap_floor_s", jsonNumber(gapFloor)},
                       {"tls_gap_floor_s", jsonNumber(tlsGapFloor)},
                       {"text", jsonText(doctorVerdict(report))}};
    Json checks = Json::array();
    for (const DoctorCheck& check : report.checks)
        checks.push_back({{"name", check.name},
                          {"status", toString(check.status)},
                          {"found", jsonText(check.found)},
                          {"advice", jsonTextOrNull(check.advice)}});
    json["checks"] = std::move(checks);
    return json;
}

std::string doctorText(const DoctorReport& report) {
    std::string text = doctorVerdict(report) + "\n\n";
    text += fmt::format("Processor: {} cores", report.cores);
    if (report.usableCores && *report.usableCores != report.cores)
        text += fmt::format(", {} of them for this program", *report.usableCores);
    if (report.governor)
        text += fmt::format(", governor {}", *report.governor);
    if (report.load1m)
        text += fmt::format(", load {:.1f}", *report.load1m);
    text += ".\n";
    if (report.floor)
        text += floorText(*report.floor);
    text += '\n';
    for (const DoctorCheck& check : report.checks) {
        text += fmt::format("{} {}\n", markOf(check.status), check.found);
        if (!check.advice.empty())
            text += fmt::format("     {}\n", check.advice);
    }
    return text;
}

ExitStatus doctorCommand(const DoctorFlags& flags) {
    DoctorReport report;
    report.load1m = loadOfAMinute(); // before we add to it
    if (!flags.json)
        tell(fmt::format("Measuring this machine for about {:g} seconds.", flags.seconds));
    if (Result<MachineFloor> floor = measureMachineFloor(flags.seconds))
        report.floor = *std::move(floor);
    else
        report.floorFailure = floor.error().message;
    report.machineJson = machineJson();
    report.cores = std::thread::hardware_concurrency();
    report.usableCores = usableCores();
    report.governor = governor();
    report.checks = doctorChecks();
    if (writeOut(flags.json ? jsonDump(doctorJson(report), 2) + '\n' : doctorText(report)))
        return ExitStatus::ok;
    tell("decodescope: the result could not be written to standard output.");
    return ExitStatus::disk;
}

} // namespace decodescope
