#pragma once

#include "core/metrics/run_summary.h"
#include "core/session/session.h"

#include <string>
#include <vector>

namespace decodescope {

/// What one lane is doing, for the progress line.
struct LaneProgress {
    std::string name;
    LaneState state = LaneState::idle;
    RunSummary figures;
};

/// The line that is rewritten in place on stderr while runs go on; silent where stderr is no terminal.
class ProgressLine {
public:
    ProgressLine();
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    [[nodiscard]] bool visible() const { return m_visible; }
    void show(const std::vector<LaneProgress>& lanes);
    void clear();

private:
    bool m_visible = false;
    bool m_shown = false;
};

/// The line's text, at most `columns` wide: "A 128 tok 45.2 tok/s | B waiting".
[[nodiscard]] std::string progressText(const std::vector<LaneProgress>& lanes, std::size_t columns);

} // namespace decodescope
