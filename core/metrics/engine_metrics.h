#pragma once

#include "core/metrics/run_summary.h"
#include "core/record/engine_steps.h"
#include "core/record/run_record.h"

#include <memory>
#include <optional>

/// What the engine's own account of its steps tells: pure functions of a row, and their sum over a run. Bytes and rates
/// count 1 GB as 10^9 bytes. Undefined is nullopt, never 0.
namespace decodescope {

/// Seconds from sampling to arrival. Absent where the engine's stamp cannot be of the clock that stamped the arrivals:
/// before the run began, or after the tokens had come.
[[nodiscard]] std::optional<double> deliveryLagS(const RunRecord& record, const EngineRow& row);
/// The time that the step took, in seconds.
[[nodiscard]] std::optional<double> stepTimeS(const EngineStep& step);
/// `gbPerS` as a part of the memory's read rate.
[[nodiscard]] std::optional<double> bandwidthFraction(const EngineFacts& facts, double gbPerS);
/// What the cache holds once `positions` tokens are in it.
[[nodiscard]] std::optional<std::uint64_t> kvBytesAt(const EngineFacts& facts, std::uint64_t positions);
/// The rate of one request alone that the memory allows at a position: bandwidth / (weights + KV x position). The
/// decay that a perfect decoder shows.
[[nodiscard]] std::optional<double> predictedTps(const EngineFacts& facts, std::uint64_t position);
/// How the step's time is split. Absent when its phases do not fit into it.
[[nodiscard]] std::optional<PhaseShares> phaseShares(const EngineStep& step);

/// The figures of a whole run, kept up to date row by row: LiveMetrics' part for runs of our own engine.
class EngineMetrics {
public:
    EngineMetrics();
    ~EngineMetrics();
    EngineMetrics(EngineMetrics&&) noexcept;
    EngineMetrics& operator=(EngineMetrics&&) noexcept;

    /// Takes in the rows that are new since the last call.
    void update(const RunRecord& record);
    /// Absent when no engine of ours answered.
    [[nodiscard]] std::optional<EngineSummary> summary(const RunRecord& record) const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace decodescope
