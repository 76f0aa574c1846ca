#include "app/progress_line.h"

#include "app/terminal.h"
#include "core/base/counted.h"
#include "core/metrics/counted_stalls.h"

#include <fmt/format.h>

#include <cstdio>
#include <unistd.h>

namespace decodescope {

namespace {

std::string_view stateName(LaneState state) {
    switch (state) {
    case LaneState::idle:
        return "idle";
    case LaneState::connecting:
        return "connecting";
    case LaneState::waiting:
        return "waiting";
    case LaneState::running:
        return "running";
    case LaneState::done:
        return "done";
    case LaneState::failed:
        return "failed";
    case LaneState::cut:
        return "cut";
    case LaneState::cancelled:
        return "cancelled";
    case LaneState::notStreamed:
        break;
    }
    return "not streamed";
}

std::string laneText(const LaneProgress& lane) {
    const RunSummary& figures = lane.figures;
    if (figures.tokenEvents == 0)
        return fmt::format("{} {}", lane.name, stateName(lane.state));
    std::string text = fmt::format("{} {}", lane.name, counted(figures.tokenEvents, "event"));
    if (figures.decodeTps)
        text += fmt::format(" {:.1f} tok/s", *figures.decodeTps);
    else if (figures.eventsPerS)
        text += fmt::format(" {:.1f} events/s", *figures.eventsPerS);
    if (const std::size_t stalls = countedStalls(figures); stalls > 0)
        text += " " + counted(stalls, "stall");
    if (lane.state != LaneState::running)
        text += fmt::format(" {}", stateName(lane.state));
    return text;
}

} // namespace

std::string progressText(const std::vector<LaneProgress>& lanes, std::size_t columns) {
    std::string text;
    for (const LaneProgress& lane : lanes)
        text += (text.empty() ? "" : " | ") + laneText(lane);
    return oneLine(text, columns);
}

ProgressLine::ProgressLine()
    : m_visible(isTerminal(STDERR_FILENO)) {}

ProgressLine::~ProgressLine() {
    clear();
}

void ProgressLine::show(const std::vector<LaneProgress>& lanes) {
    if (!m_visible)
        return;
    const auto columns = static_cast<std::size_t>(terminalColumns(STDERR_FILENO) - 1);
    std::fputs(("\r" + progressText(lanes, columns) + "\x1b[K").c_str(), stderr);
    m_shown = true;
}

void ProgressLine::clear() {
    if (m_shown)
        std::fputs("\r\x1b[K", stderr);
    m_shown = false;
}

} // namespace decodescope
