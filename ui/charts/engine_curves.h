#pragma once

#include "core/record/run_record.h"
#include "ui/charts/chunked_array.h"
#include "ui/charts/min_max_pyramid.h"

#include <cstddef>

namespace decodescope {

/// What the engine's own account adds to a lane's curves: one point for each message that brought tokens. Empty for
/// every lane that another server answers. Grows with the record, O(new rows) a call.
class EngineCurves {
public:
    void update(const RunRecord& record);

    [[nodiscard]] std::size_t size() const { return m_times.size(); }
    /// Seconds from t0 to the arrival of point i, ascending.
    [[nodiscard]] const ChunkedArray<float>& times() const { return m_times; }
    /// Seconds from sampling to arrival; NaN where it cannot be told.
    [[nodiscard]] const MinMaxPyramid& lag() const { return m_lag; }
    /// What the step read, in GB/s; NaN where its time is not known.
    [[nodiscard]] const MinMaxPyramid& bandwidth() const { return m_bandwidth; }

private:
    ChunkedArray<float> m_times;
    MinMaxPyramid m_lag, m_bandwidth;
    std::size_t m_rows = 0; // of the record, taken in
};

} // namespace decodescope
