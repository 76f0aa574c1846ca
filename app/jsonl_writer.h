#pragma once

#include "app/json_values.h"
#include "core/metrics/run_summary.h"
#include "core/record/run_record.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace decodescope {

/// While a run goes on, a stall is told once its kind is decided; at the run's end all are.
enum class StallsTold { decided, all };

/// `--jsonl`: what happens, one JSON object a line, written to stdout as soon as flush() is called.
class JsonlWriter {
public:
    /// An event of a run, after it was taken into the record.
    void add(const std::string& lane, const RunRecord& record, const StreamEvent& event);
    /// The stalls that were not told yet. `stalls` are those of the run so far.
    void addStalls(const std::string& lane, const RunRecord& record, const std::vector<Stall>& stalls,
                   StallsTold which);
    /// Writes what was added. False when stdout does not take it.
    [[nodiscard]] bool flush();

private:
    [[nodiscard]] Json line(const std::string& lane, const RunRecord& record, Instant at, std::string_view event) const;
    void put(const Json& json);

    std::string m_pending;
    struct Told {
        bool firstToken = false;
        std::size_t stalls = 0;
    };
    std::map<const RunRecord*, Told> m_told; // of the runs that are not over
};

} // namespace decodescope
